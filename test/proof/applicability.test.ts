import { expect, test } from 'vitest';
import { between, makeReport, now, textsOf, wordsOf } from '../support/proof/report.ts';
import { createCompany } from '../support/tenants/company.ts';
import { addEvidence } from '../support/tenants/evidence.ts';
import { createMember } from '../support/tenants/member.ts';

// The statement of applicability in the report of a proof.

const statementOf = (report: string) => between(report, '<h2 id="applicability">', '</section>');

test('a statement has each requirement in the order of lists, with its assessment, tasks and evidence', async () => {
  const acme = await createCompany();
  const ann = await createMember(acme, { name: 'Ann' });
  const { framework } = acme;
  const create = async (ref: string, title: string, further: object = {}) =>
    (await ann.caller.requirement.create({ framework, ref, title, ...further })).uniqueId;
  const tenth = await create('A.5.10', 'Use of assets', { applicable: false, justification: 'We own <none>.' });
  const heading = await create('A.5', 'Organisation', { assessable: false });
  const ninth = await create('a.5.9', 'Inventory', { parent: heading, ownerId: ann.uniqueId, justification: 'Law' });
  await create('A.6', 'People');
  await create('Z', 'First by position', { position: 0 });
  await ann.caller.requirement.update({ requirement: tenth, position: 1 });
  await ann.caller.requirement.assess({ requirement: ninth, result: 'not_met', note: 'Before' });
  await acme.manage.framework.update({ id: framework, ownerId: ann.uniqueId, auditDate: '2999-03-01' });
  const from = await now();
  await ann.caller.requirement.assess({ requirement: ninth, result: 'partly_met', note: 'Half & half' });
  await ann.caller.account.update({ name: 'Ann Lee' });
  const { id: other } = await acme.manage.framework.create({ name: 'SOC 2' });
  const { uniqueId: control } = await ann.caller.requirement.create({
    framework: other,
    ref: 'CC6.1',
    title: 'Access',
  });
  await ann.caller.requirement.assess({ requirement: control, result: 'met' });
  await ann.caller.requirement.assess({ requirement: control, result: null });
  await acme.newTask({ title: 'List assets', requirements: [ninth, control], dueDate: '2020-01-01' });
  const { uniqueId: done } = await acme.newTask({ title: 'Name owners', requirements: [ninth] });
  await acme.task.update({ taskUniqueId: done, status: 'done' });
  await addEvidence(acme, { requirement: ninth }, { name: 'Asset list', date: '2020-01-02', validUntil: '2020-02-03' });
  const gone = await create('A.7', 'Gone');
  await ann.caller.requirement.delete({ requirement: gone });
  const asOf = await now();
  await ann.caller.requirement.assess({ requirement: ninth, result: 'met', note: 'Too late' });

  const report = await makeReport(acme.id, { from, asOf });
  const statement = statementOf(report);
  expect(wordsOf(statement)).toBe(
    [
      '4. Statement of applicability | ISO 27001 | Owner | Ann Lee | Next audit | 1 Mar 2999',
      'Met | 0 | Partly met | 1 | Not met | 0 | Not assessed | 2 | Not applicable | 1',
      'Ref | Requirement | Applies, and why | Status | Owner | Tasks and evidence',
      'A.5 | Organisation',
      'a.5.9 | Inventory | Yes: Law | Partly met | Assessed TIME by Ann Lee: “Half &#38; half” | At the start: Not met',
      'Ann Lee | List assets | : Todo, due 1 Jan 2020, | overdue | Name owners | : Done | Asset list',
      'A.6 | People | Yes | Not assessed | Nobody',
      'Z | First by position | Yes | Not assessed | Nobody',
      'A.5.10 | Use of assets | No: We own &#60;none&#62;. | Not applicable | Nobody',
      'Evidence of requirements | Ref | Evidence | Date | Valid until | Size | Check | SHA-256 or address',
      'a.5.9 | Asset list | 2 Jan 2020 | 3 Feb 2020 | expired | link | https://example.com/review',
      'SOC 2 | Owner | Nobody | Next audit | no date',
      'Met | 0 | Partly met | 0 | Not met | 0 | Not assessed | 1 | Not applicable | 0',
      'Ref | Requirement | Applies, and why | Status | Owner | Tasks and evidence',
      'CC6.1 | Access | Yes | Not assessed | At the start: not there yet | Nobody | List assets | : Todo, due 1 Jan 2020, | overdue',
      'Assessments in the period | Time | Person | Requirement | Assessment',
      'TIME | Ann | a.5.9 Inventory | Partly met: “Half &#38; half”',
      'TIME | Ann Lee | CC6.1 Access | Met',
      'TIME | Ann Lee | CC6.1 Access | Assessment withdrawn',
    ].join(' | '),
  );
  const [, number = ''] = /<a href="#t(\d+)">List assets</.exec(statement) ?? [];
  const record = wordsOf(between(report, `<h4 id="t${number}">`, '</article>'));
  expect(record).toMatch(/^\d\. List assets \|.*\| Requirements \| (?:a\.5\.9; CC6\.1|CC6\.1; a\.5\.9) \|/);
  expect(textsOf(between(report, '<h2 id="deleted">', '</section>')).slice(5, 7)).toEqual(['requirement', 'A.7 Gone']);
  expect(wordsOf(between(report, '<h2 id="numbers">', '</section>'))).toContain(
    'Requirements, with headings | 6 | Requirements met | 0 |',
  );
  const order = await ann.caller.requirement.list({ framework });
  const refs = [...statement.matchAll(/<tr[^>]*><td>([^<]+)/g)].map(([, ref]) => ref?.trim());
  expect(refs.slice(0, order.items.length)).toEqual(order.items.map(({ ref }) => ref));
  expect(report).not.toContain('Too late');
});

test('a statement of some frameworks has only their requirements', async () => {
  const acme = await createCompany();
  const ann = await createMember(acme, { name: 'Ann' });
  const { id: other } = await acme.manage.framework.create({ name: 'SOC 2' });
  const requirements = [acme.framework, other].map(async (framework) =>
    ann.caller.requirement.create({ framework, ref: `R${framework}`, title: `Of ${framework}` }),
  );
  for (const { uniqueId: requirement } of await Promise.all(requirements))
    await ann.caller.requirement.assess({ requirement, result: 'met' });
  const report = await makeReport(acme.id, { asOf: await now(), frameworks: [other] });
  const statement = wordsOf(statementOf(report));
  expect(statement).toContain(`R${other} | Of ${other} | Yes | Met |`);
  expect(statement).toContain('The proof is limited: tasks and requirements of other frameworks');
  expect(report).not.toContain(`Of ${acme.framework}`);
});

test('a statement of many requirements has those that apply and are not met, and the numbers of all', async () => {
  const acme = await createCompany();
  const ann = await createMember(acme, { name: 'Ann' });
  const refs = ['R1', 'R2', 'R3', 'R4'];
  for (const ref of refs) {
    const given = { framework: acme.framework, ref, title: `Title ${ref}` };
    const { uniqueId: requirement } = await ann.caller.requirement.create(given);
    if (ref === 'R1') await ann.caller.requirement.assess({ requirement, result: 'met' });
  }
  const report = await makeReport(acme.id, { asOf: await now() }, { records: 2 });
  const statement = wordsOf(statementOf(report));
  expect(statement).toContain(
    'The proof has 4 requirements. Above 2 requirements this report has only those that apply and are not met: the first 2 of 3. All are in requirements.csv.',
  );
  expect(statement).toContain('Met | 1 | Partly met | 0 | Not met | 0 | Not assessed | 3 |');
  expect(statement).toMatch(/R2 \| Title R2 .* R3 \| Title R3/);
  expect(statement).not.toMatch(/R4/);
});

test('a company without requirements has no statement', async () => {
  const acme = await createCompany();
  await acme.newTask();
  expect(await makeReport(acme.id, { asOf: await now() })).not.toContain('id="applicability"');
});
