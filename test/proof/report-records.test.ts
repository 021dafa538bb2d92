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
        `uniqueId | ${taskUniqueId} | Evidence | Date | Valid until | Size | Check | SHA-256 or address`,
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

  test('shows the vendors, the recurrence and the task before a task, also of vendors that were deleted', async () => {
    const acme = await createCompany();
    const { uniqueId: cloud } = await acme.vendor.create({ name: 'Cloud Ltd' });
    const { uniqueId: former } = await acme.vendor.create({ name: 'Former Ltd' });
    const first = await acme.newTask({ dueDate: '2026-01-31', recurrence: 'FREQ=MONTHLY;COUNT=3', vendors: [former] });
    await acme.task.update({ taskUniqueId: first.uniqueId, vendors: [former, cloud] });
    await acme.vendor.delete({ vendor: former });
    await acme.task.update({ taskUniqueId: first.uniqueId, status: 'done' });
    const report = await makeReport(acme.id, { asOf: await now() });
    const before = wordsOf(between(report, '<h4 id="t1">', '</article>'));
    expect(before).toContain('| Vendors | Cloud Ltd | Recurrence | FREQ=MONTHLY;COUNT=3 | uniqueId |');
    expect(before).toContain('changed the vendors from Former Ltd to Former Ltd, Cloud Ltd');
    expect(before).toContain('changed the vendors from Former Ltd, Cloud Ltd to Cloud Ltd');
    expect(wordsOf(between(report, '<h4 id="t2">', '</article>'))).toContain(
      `| Vendors | Cloud Ltd | Recurrence | FREQ=MONTHLY;COUNT=2 | Task before it | ${first.uniqueId} |`,
    );
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
    expect(whole).toContain(`13 bytes<td><td><code>${sha256}</code>\n`);
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

describe('the reviews of vendors', () => {
  test('have each vendor by criticality, with its last review and the next one, and those of the period', async () => {
    const acme = await createCompany();
    const ann = await createMember(acme, { name: 'Ann' });
    const { uniqueId: low } = await acme.vendor.create({ name: 'A low one', criticality: 4, reviewEveryMonths: 12 });
    await acme.vendor.create({ name: 'B new' });
    const { uniqueId: payroll } = await acme.vendor.create({
      name: 'Payroll',
      criticality: 1,
      ownerId: ann.uniqueId,
      contractStart: '2019-01-01',
      contractEnd: '2020-12-31',
      dataCategories: ['salaries', 'names'],
      contacts: [{ name: 'Ada Berg' }],
    });
    const { uniqueId: archived } = await acme.vendor.create({ name: 'Old', nextReview: '2020-01-01' });
    await acme.vendor.update({ vendor: archived, status: 'archived' });
    await ann.caller.vendor.review({ vendor: payroll, note: 'Before' });
    const from = await now();
    await ann.caller.vendor.review({ vendor: payroll, note: 'SOC 2 <report>', nextReview: '2020-01-31' });
    await ann.caller.account.update({ name: 'Ann Lee' });
    await ann.caller.vendor.review({ vendor: low, nextReview: '2999-02-28' });
    await acme.vendor.update({ vendor: low, reviewEveryMonths: 6, contacts: [{ name: 'Bo' }] });
    const asOf = await now();
    await acme.vendor.review({ vendor: payroll, note: 'Too late' });

    const report = await makeReport(acme.id, { from, asOf });
    const section = between(report, '<h2 id="reviews">', '</section>');
    expect(wordsOf(section).replaceAll(/[\d,]+ days overdue/g, 'DAYS overdue')).toBe(
      [
        '5. Vendor reviews | Vendor | Criticality | Owner | Last review | Next review',
        'Payroll | Critical | Ann Lee | TIME by Ann Lee: “SOC 2 &#60;report&#62;” | 31 Jan 2020 | DAYS overdue',
        'A low one | Low | Nobody | TIME by Ann Lee | 28 Feb 2999',
        'B new | none | Nobody | none | none',
        'Archived vendors are left out. A next review is overdue if it was due before the date of the end of the period.',
        'Reviews in the period | Time | Person | Vendor | Outcome | Risk | Note | TIME | Ann | Payroll | SOC 2 &#60;report&#62;',
        'TIME | Ann Lee | A low one',
      ].join(' | '),
    );
    const number = /<a href="#(v\d+)">Payroll</.exec(section)?.[1];
    const record = wordsOf(between(report, `<h4 id="${number}">`, '</article>'));
    expect(record).toContain(
      [
        'Criticality | Critical | Owner | Ann Lee | Data categories | salaries, names | Contract start | 1 Jan 2019',
        'Contract end | 31 Dec 2020 | ended | Last review | TIME by Ann Lee: “SOC 2 &#60;report&#62;” | Next review',
      ].join(' | '),
    );
    expect(record).toContain(
      'TIME | Ann | reviewed the vendor: “SOC 2 &#60;report&#62;”; set the next review to 31 Jan 2020',
    );
    expect(report).toContain('changed the months between reviews from 12 to 6; changed the contacts');
    const numbers = wordsOf(between(report, '<h2 id="numbers">', '</section>'));
    expect(numbers).toContain('Reviews of vendors in the period | 2 | Vendors with an overdue review | 1');
    expect(report).not.toMatch(/Too late|Ada Berg/);
  });

  test('of many vendors are at most as many as the report has records', async () => {
    const acme = await createCompany();
    for (const name of ['A', 'B', 'C']) {
      const { uniqueId: vendor } = await acme.vendor.create({ name });
      await acme.newTask({ vendors: [vendor] });
      await acme.vendor.review({ vendor, note: `Of ${name}` });
    }
    const report = await makeReport(acme.id, { asOf: await now() }, { records: 2 });
    const section = wordsOf(between(report, '<h2 id="reviews">', '</section>'));
    expect(section).toContain('| A | none | Nobody | TIME by Integration of Acme: “Of A” | none | B |');
    expect(section).toContain('| 1 more are only in events.ndjson. |');
    expect(section).not.toContain('Of C');
  });
});
