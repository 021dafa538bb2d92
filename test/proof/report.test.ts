import { generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { createSigning } from '../../procedures/core/signing.ts';
import { makeProof } from '../../procedures/proof/making/make.ts';
import { database, tamper } from '../support/database/database.ts';
import { insertManyTasks } from '../support/proof/many-tasks.ts';
import { between, makeReport, now, textsOf, wordsOf } from '../support/proof/report.ts';
import { readZip } from '../support/proof/zip.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { openTestStorage } from '../support/storage/evidence-files.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import { addEvidence } from '../support/tenants/evidence.ts';
import { createMember } from '../support/tenants/member.ts';

const HOSTILE = `<script>alert("1")</script>&'`;

describe('a report', () => {
  test('escapes all texts, and has no script and no reference to the outside', async () => {
    const acme = await createCompany(HOSTILE);
    const eve = await createMember(acme, { name: HOSTILE });
    const { uniqueId: taskUniqueId } = await acme.newTask({ title: HOSTILE });
    await eve.caller.comment.create({ taskUniqueId, text: HOSTILE });
    await addEvidence(acme, { taskUniqueId }, { name: HOSTILE.replaceAll('/', '') });
    await acme.vendor.create({ name: HOSTILE });
    await acme.manage.framework.create({ name: HOSTILE });
    const report = await makeReport(acme.id, { asOf: await now() });
    expect(report.match(/<script|<\/style>.*<\/style>|javascript:/s)).toBeNull();
    expect(report).toContain('&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;&#38;&#39;');
    const attributes = [...report.matchAll(/\s(?:href|src|action|data|xlink:href|content)="([^"]*)"/g)].map(
      ([, value]) => value ?? '',
    );
    expect(attributes.length).toBeGreaterThan(5);
    const policy = "default-src 'none'; style-src 'unsafe-inline'";
    expect(attributes.filter((value) => !value.startsWith('#') && value !== policy)).toEqual([
      'width=device-width, initial-scale=1',
    ]);
    expect(report).not.toMatch(/@import|url\(/);
    const anchors = [...report.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id);
    expect(anchors.filter((id) => !report.includes(`id="${id}"`))).toEqual([]);
  });

  test('is the same in two proofs of the same request, whatever happened since', async () => {
    const acme = await createCompany();
    const ann = await createMember(acme, { name: 'Ann' });
    const { uniqueId: taskUniqueId } = await acme.newTask({ title: 'Review' });
    await ann.caller.comment.create({ taskUniqueId, text: 'Done' });
    const asOf = await now();
    const storage = await openTestStorage(await temporaryFolder());
    const prove = async () => {
      const { zip } = await makeProof(
        new Session(database, operatorPrincipal(acme.id), 'test'),
        { storage, signing: createSigning(generateKeyPairSync('ed25519').privateKey), timestamp: undefined },
        {
          uniqueId: taskUniqueId,
          attempt: 1,
          from: null,
          asOf: asOf.replace('Z', '+00'),
          frameworks: null,
          evidence: true,
        },
        { signal: new AbortController().signal, maxBytes: storage.quotaBytes, onProgress: () => {} },
      );
      return readZip(await readFile(zip.path))
        .get('report.html')
        ?.toString();
    };
    const first = await prove();
    await acme.manage.settings.update({ name: 'Other', timeZone: 'Asia/Tokyo' });
    await ann.caller.task.update({ taskUniqueId, title: 'Other' });
    await acme.manage.framework.rename({ id: acme.framework, name: 'Other' });
    expect(await prove()).toBe(first);
    expect(first).toBe(await makeReport(acme.id, { asOf }));
  });

  test('has the times of the time zone of the company, the posture, the members and the head', async () => {
    const acme = await createCompany();
    await acme.manage.settings.update({ timeZone: 'Asia/Tokyo' });
    await createMember(acme, { name: 'Ann', role: 'auditor' });
    await acme.newTask({ dueDate: '2020-01-01' });
    for (const status of ['done', 'not_applicable', 'canceled'] as const) {
      const { uniqueId } = await acme.newTask();
      await acme.task.update({ taskUniqueId: uniqueId, status });
    }
    const asOf = await now();
    const report = await makeReport(acme.id, { asOf });
    const day = new Date(Date.parse(asOf) + 9 * 3_600_000).toISOString();
    expect(report).toContain(`${Number(day.slice(8, 10))} `);
    expect(textsOf(report)).toContain('Asia/Tokyo, that of the company');
    expect(wordsOf(between(report, '<h2 id="posture">', '</section>'))).toContain(
      'ISO 27001 | 4 | 1 | 0 | 0 | 1 | 1 | 1 | 1 | 50 %, 1 of 2',
    );
    expect(textsOf(between(report, '<h2 id="members">', '</section>'))).toContain('Auditor');
    expect(report).toContain(`${day.slice(11, 16)} (${asOf})`);
    expect(report).toMatch(/Sequence \d+<br><code>[0-9a-f]{64}<\/code>/);
  });

  test('has only the tasks of the given frameworks, and says so', async () => {
    const acme = await createCompany();
    const soc = await acme.manage.framework.create({ name: 'SOC 2' });
    await acme.newTask({ title: 'Task of ISO' });
    await acme.newTask({ title: 'Task of SOC', framework: soc.id });
    const report = await makeReport(acme.id, { asOf: await now(), frameworks: [soc.id] });
    expect(report).toContain('Task of SOC');
    expect(report).not.toContain('Task of ISO');
    expect(report).toContain('are those of the frameworks on the first page');
  });

  test('says of a name that it was not recorded then', async () => {
    const acme = await createCompany();
    const ann = await createMember(acme, { name: 'Ann Lee' });
    const { uniqueId: taskUniqueId } = await ann.caller.task.create({ framework: acme.framework, title: 'Review' });
    await ann.caller.task.update({ taskUniqueId, assigneeId: ann.uniqueId });
    const before = await now();
    // A member of an earlier version got the first record later.
    await acme.newTask();
    await tamper(
      `update identity set event_id = (select max(id) from audit_event where company_id = ${acme.id}) where member_id = '${ann.uniqueId}'`,
    );
    const after = await now();
    const report = await makeReport(acme.id, { asOf: after });
    expect(textsOf(between(report, '<article>', '</article>')).slice(-2)).toEqual([
      'Ann Lee (not recorded then)',
      'set the assignee to Ann Lee (not recorded then)',
    ]);
    expect(textsOf(between(report, '<h2 id="members">', '</section>'))).toContain('Ann Lee');
    const earlier = await makeReport(acme.id, { asOf: before });
    expect(textsOf(between(earlier, '<h2 id="members">', '</section>'))).toContain(
      `${ann.uniqueId} (not recorded then)`,
    );
  });
});

describe('a report of many tasks', () => {
  test(
    'takes less than 5 MB for 2,000 tasks with 6 changes and 2 files of evidence each',
    { timeout: 120_000 },
    async () => {
      const acme = await createCompany();
      await insertManyTasks(acme, { tasks: 2000 });
      const report = await makeReport(acme.id, { asOf: await now() });
      expect(report.match(/<article>/g)).toHaveLength(2000);
      expect(report.match(/<td>attached “/g)).toHaveLength(4000);
      expect(Buffer.byteLength(report)).toBeLessThan(5_000_000);
    },
  );

  test('has only the open ones above the limit, by due date, and says so', async () => {
    const acme = await createCompany();
    const { task } = await callerForKey(acme.key);
    const dates = ['2026-03-01', null, '2026-01-01', '2026-02-01', '2026-04-01'];
    for (const dueDate of dates) await acme.newTask({ title: `Due ${dueDate}`, dueDate });
    const done = await acme.newTask({ title: 'Finished' });
    await task.update({ taskUniqueId: done.uniqueId, status: 'done' });
    const asOf = await now();
    expect((await makeReport(acme.id, { asOf }, { records: 6 })).match(/<article>/g)).toHaveLength(6);
    const report = await makeReport(acme.id, { asOf }, { records: 4 });
    const section = between(report, '<h2 id="tasks">', '</section>');
    expect(section).toContain('The proof has 6 tasks. Above 4 tasks this report has only those that are open');
    expect(section).toContain('the first 4 of 5');
    expect([...section.matchAll(/<tr><td>Due (\S+?)<td>/g)].map(([, date]) => date)).toEqual([
      '2026-01-01',
      '2026-02-01',
      '2026-03-01',
      '2026-04-01',
    ]);
    expect(section).not.toContain('Finished');
    expect(textsOf(between(report, '<h2 id="posture">', '</section>')).slice(11, 13)).toEqual(['ISO 27001', '6']);
  });
});
