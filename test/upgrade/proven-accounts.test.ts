import { expect, onTestFinished, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { listCompanies } from '../../entities/company/statements.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { memberPrincipal } from '../../entities/principal.ts';
import { readStatement } from '../../entities/statements/define-statement.ts';
import { join } from '../../procedures/member/identity.ts';
import { ownerUrl } from '../support/database/database.ts';
import { loadFixture } from './scenario/load.ts';
import { readRecord } from './scenario/packed.ts';

const listPersons = readStatement<object, { person: string; linked: boolean; companies: number; proven: boolean }>(
  'test.persons',
  `select p.unique_id as person, p.proven_at is not null as proven,
    exists (select from member m where m.person_id = p.unique_id and m.single_sign_on is not null) as linked,
    (select count(*)::int from member m where m.person_id = p.unique_id and m.ended_at is null) as companies from person p`,
  'all companies',
);

const findMember = readStatement<object, { company: number; person: string; email: string }>(
  'test.member',
  `select m.company_id as company, p.unique_id as person, p.email from member m join person p on p.unique_id = m.person_id
  where m.ended_at is null and m.single_sign_on is null order by m.unique_id limit 1`,
  'all companies',
);

test('an upgrade proves the accounts that were linked, or active in several companies, and no others', async () => {
  const { database, close } = await loadFixture(await readRecord('0.12.0'), ownerUrl);
  onTestFinished(close);
  const session = new Session(database, null, 'test');
  // The scenario of the fixture has nobody in two companies.
  const { company, ...member } = await session.one(findMember, {});
  const other = (await session.run(listCompanies, {})).find(({ id }) => id !== company);
  const access = { name: 'Ann', role: 'editor' as const, frameworks: null };
  const principal = memberPrincipal({ ...access, company: other?.id ?? 0, uniqueId: newUniqueId() });
  await session.actingAs(principal).transaction((inside) => join(inside, { ...member, ...access }));

  await database.migrate();
  const persons = await session.run(listPersons, {});
  const expected = persons.map(({ person, linked, companies }) => [person, linked || companies > 1]);
  expect(persons.map(({ person, proven }) => [person, proven])).toEqual(expected);
  expect(persons).toContainEqual(expect.objectContaining({ linked: true, companies: 1 }));
  expect(persons).toContainEqual(expect.objectContaining({ linked: false, companies: 2 }));
  expect(persons).toContainEqual(expect.objectContaining({ proven: false }));
});
