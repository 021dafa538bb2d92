import { expect, onTestFinished, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { readStatement } from '../../entities/statements/define-statement.ts';
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

/** Makes a person a member of a second company, as the scenario of the fixture has nobody in two. Statements of today need columns of today. */
const JOIN_SECOND_COMPANY = `set session_replication_role = replica;
  create temporary table joining as
    select m.company_id, m.unique_id, (select min(c.id) from company c where c.id <> m.company_id) as other
    from member m where m.ended_at is null and m.single_sign_on is null order by m.unique_id limit 1;
  insert into company_user
    select (jsonb_populate_record(u, jsonb_build_object('company_id', j.other, 'unique_id', '${newUniqueId()}'))).*
    from joining j join company_user u on u.company_id = j.company_id and u.unique_id = j.unique_id;
  insert into member
    select (jsonb_populate_record(m, jsonb_build_object('company_id', j.other, 'unique_id', u.unique_id))).*
    from joining j join member m on m.company_id = j.company_id and m.unique_id = j.unique_id
    cross join lateral (select unique_id from company_user where company_id = j.other order by unique_id desc limit 1) u;
  drop table joining;
  set session_replication_role = origin;`;

test('an upgrade proves the accounts that were linked, or active in several companies, and no others', async () => {
  const { database, close } = await loadFixture(await readRecord('0.12.0'), ownerUrl, [JOIN_SECOND_COMPANY]);
  onTestFinished(close);
  const session = new Session(database, null, 'test');
  await database.migrate();
  const persons = await session.run(listPersons, {});
  const expected = persons.map(({ person, linked, companies }) => [person, linked || companies > 1]);
  expect(persons.map(({ person, proven }) => [person, proven])).toEqual(expected);
  expect(persons).toContainEqual(expect.objectContaining({ linked: true, companies: 1 }));
  expect(persons).toContainEqual(expect.objectContaining({ linked: false, companies: 2 }));
  expect(persons).toContainEqual(expect.objectContaining({ proven: false }));
});
