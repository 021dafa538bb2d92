import { describe, expect, test } from 'vitest';
import { between, makeReport, now, textsOf, wordsOf } from '../support/proof/report.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { fileCaller, openTestStorage, sha256Of } from '../support/storage/evidence-files.ts';
import { createCompany } from '../support/tenants/company.ts';
import { addEvidence } from '../support/tenants/evidence.ts';
import { createMember } from '../support/tenants/member.ts';

describe('a record', () => {
  test('shows a task at the start and at the end of the period, and who changed what', async () => {
    const acme = await createCompany();
    const ann = await createMember(acme, { name: 'Ann Lee' });
    const { uniqueId: taskUniqueId } = await acme.newTask({ gaps: [acme.gap] });
    const other = await acme.newTask({ title: 'Old task' });
    const from = await now();
    await ann.caller.task.update({ taskUniqueId, status: 'in_progress', dueDate: '2999-10-12', priority: 1 });
    await ann.caller.task.update({ taskUniqueId, departmentId: acme.department, assigneeId: ann.uniqueId });
    await ann.caller.comment.create({ taskUniqueId, text: 'First finding' });
    await addEvidence(acme, { taskUniqueId }, { name: 'Review', date: '2020-01-02', validUntil: '2020-02-03' });
    await ann.caller.task.delete({ taskUniqueId: other.uniqueId });
    await acme.newTask({ title: 'New task' });
    const asOf = await now();
    await ann.caller.task.update({ taskUniqueId, status: 'done' });
    await ann.caller.comment.create({ taskUniqueId, text: 'Too late' });

    const report = await makeReport(acme.id, { from, asOf });
    expect(wordsOf(between(report, '<h4 id="t1">', '</article>'))).toEqual(
      [
        `1. Review access rights | Status at the start | Todo | Status at the end | In progress | Assignee | Ann Lee | Priority | Urgent`,
        `Due date | 12 Oct 2999 | Department | Security | Created | TIME by Integration of Acme | Gaps | No access review`,
        `uniqueId | ${taskUniqueId} | Evidence | Date | Valid until | Size | SHA-256 or address`,
        `Review | 2 Jan 2020 | 3 Feb 2020 | expired | link | https://example.com/review | Time | Person | Change | TIME | Ann Lee`,
        `changed the priority from Medium to Urgent; set the due date to 12 Oct 2999; changed the status from Todo to In progress`,
        `TIME | Ann Lee | set the department to Security; set the assignee to Ann Lee`,
        `TIME | Ann Lee | wrote a comment: “First finding” | TIME | Integration of Acme | attached “Review”`,
      ].join(' | '),
    );
    expect(wordsOf(between(report, '<h4 id="t2">', '</article>'))).toMatch(
      /^2. New task \| Status at the start \| not there yet \| Status at the end \| Todo \|/,
    );
    expect(textsOf(between(report, '<h2 id="deleted">', '</section>')).slice(5, 7)).toEqual(['task', 'Old task']);
    expect(report).not.toContain('Too late');
    expect(await makeReport(acme.id, { from: null, asOf })).toContain('From the beginning of the log');
  });

  test('marks a file whose bytes are gone, and names it in a section', async () => {
    const acme = await createCompany();
    const storage = await openTestStorage(await temporaryFolder());
    const { upload } = await fileCaller(
      (await acme.manage.apiKey.create({ name: 'Files', scopes: ['task:read', 'evidence:read', 'evidence:write'] }))
        .key,
      storage,
    );
    const content = Buffer.from('the only copy');
    const { uniqueId } = await acme.newTask();
    await upload(uniqueId, content);
    const sha256 = sha256Of(content);
    const asOf = await now();
    const whole = await makeReport(acme.id, { asOf });
    expect(whole).toContain(`13 bytes<td><code>${sha256}</code>\n`);
    expect(whole).not.toContain('Missing files</a>');
    const report = await makeReport(acme.id, { asOf }, { missing: [{ sha256, size: 13 }] });
    expect(report).toContain(`<code>${sha256}</code> <b>bytes missing</b>`);
    expect(textsOf(between(report, '<h2 id="missing">', '</section>')).slice(-4)).toEqual([
      'Report',
      'Review access rights',
      '13 bytes',
      sha256,
    ]);
  });

  test('has one line for a change that is repeated, and the last ones of many', async () => {
    const acme = await createCompany();
    const { uniqueId: taskUniqueId } = await acme.newTask();
    for (const text of ['a', 'b', 'c']) await acme.task.update({ taskUniqueId, description: text });
    for (const priority of [1, 2, 4]) await acme.task.update({ taskUniqueId, priority });
    const asOf = await now();
    expect(await makeReport(acme.id, { asOf })).toMatch(/<td>changed the description \(3 times, until /);
    const short = await makeReport(acme.id, { asOf }, { changes: 2 });
    expect(short).toContain('5 earlier changes of the period are in events.ndjson.');
    expect(short).not.toContain('changed the description');
    expect(short).toContain('changed the priority from High to Low');
  });

  test('shows a vendor with its evidence and changes', async () => {
    const acme = await createCompany();
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud Ltd' });
    const from = await now();
    await addEvidence(acme, { vendor }, { name: 'Certificate' });
    await acme.vendor.update({ vendor, status: 'archived' });
    const report = await makeReport(acme.id, { from, asOf: await now() });
    const texts = textsOf(between(report, '<h4 id="v1">', '</article>'));
    expect(texts.slice(0, 5)).toEqual([
      '1. Cloud Ltd',
      'Status at the start',
      'Active',
      'Status at the end',
      'Archived',
    ]);
    expect(texts).toContain('attached “Certificate”');
    expect(texts).toContain('changed the status from Active to Archived');
  });
});
