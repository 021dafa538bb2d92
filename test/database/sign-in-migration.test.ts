import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { newUniqueId } from '../../entities/ids.ts';
import { OPERATOR } from '../../entities/company/user.ts';
import { ALL_COMPANIES } from '../../entities/statements/define-statement.ts';
import { openEmptyDatabase } from '../support/database/empty-database.ts';

/** Opens a database of an earlier version with a company. @param migration the last one of that version */
async function openEarlierDatabase(migration: string) {
  const { orm } = await openEmptyDatabase();
  const connection = orm.em.getConnection();
  const run = (text: string, values: unknown[] = []) => connection.execute<Record<string, unknown>[]>(text, values);
  await orm.migrator.up({ to: migration });
  const actFor = (company: string) =>
    run(`select set_config('app.company', ?, false), set_config('app.user', '${OPERATOR.uniqueId}', false)`, [company]);
  await actFor('1');
  await run(
    `with operator as (
       insert into company_user (company_id, unique_id, kind, name) values (1, '${OPERATOR.uniqueId}', 'human', 'Operator'))
     insert into company (id, name) overriding system value values (1, 'Acme')`,
  );
  return { orm, run, actFor };
}

test('a session from before the list keeps its person, and its method is that of its sign-in', async () => {
  const { orm, run, actFor } = await openEarlierDatabase('Migration20261123013132_add_webhooks');
  await actFor(ALL_COMPANIES);
  const addSession = async (session: { sso?: boolean; secondFactor?: boolean; totp?: boolean }) => {
    const person = newUniqueId();
    await run(
      `insert into person (unique_id, email, name, totp_secret, totp_confirmed_at)
       values (?, ?, 'Ann', 'encrypted', case when ?::boolean then now() - interval '1 day' end)`,
      [person, `${person}@example.com`, session.totp ?? false],
    );
    await run(
      `insert into web_session (unique_id, token_hash, person_id, company_id, single_sign_on, second_factor_at, user_agent, expires_at)
       values (?, ?, ?, 1, ?, case when ?::boolean then now() end, 'test', now() + interval '1 day')`,
      [newUniqueId(), randomBytes(32), person, session.sso ?? false, session.secondFactor ?? false],
    );
  };
  await addSession({});
  await addSession({ secondFactor: true, totp: true });
  await addSession({ secondFactor: true });
  await addSession({ sso: true });
  await orm.migrator.up();
  await actFor(ALL_COMPANIES);
  const rows = await run(
    `select case when single_sign_on then 'sso' when passkey then 'passkey' else 'password' end as method
     from web_session order by created_at`,
  );
  expect(rows.map(({ method }) => method)).toEqual(['password', 'password', 'passkey', 'sso']);
});

test('the first account of a member at the provider of the company becomes the link, with an audit event', async () => {
  const { orm, run, actFor } = await openEarlierDatabase('Migration20261123184451_add_sign_ins');
  const [ann, bob] = [newUniqueId(), newUniqueId()];
  for (const person of [ann, bob]) {
    await actFor(ALL_COMPANIES);
    await run(`insert into person (unique_id, email, name) values (?, ?, 'Ann')`, [person, `${person}@acme.example`]);
    await actFor('1');
    await run(
      `with joined as (insert into company_user (company_id, unique_id, kind, name) values (1, ?, 'human', 'Ann'))
       insert into member (company_id, unique_id, person_id, role) values (1, ?, ?, 'editor')`,
      [person, person, person],
    );
  }
  await run(
    `insert into sso (company_id, issuer, client_id, client_secret, domains, role)
     values (1, 'https://idp.example/', 'id', 'encrypted', array['acme.example'], 'editor')`,
  );
  await actFor(ALL_COMPANIES);
  await run(
    `insert into identity (issuer, subject, person_id, created_at) values
      ('https://idp.example', 'later', ?, now()), ('https://idp.example', 'first', ?, now() - interval '1 day'),
      ('https://other.example', 'other', ?, now())`,
    [ann, ann, bob],
  );
  await run(
    `insert into web_session (unique_id, token_hash, person_id, company_id, single_sign_on, user_agent, expires_at)
     values (?, ?, ?, 1, true, 'test', now() + interval '1 day')`,
    [newUniqueId(), randomBytes(32), ann],
  );
  await run(
    `insert into sign_in_challenge (hash, kind, company_id, expires_at) values (?, 'sso', 1, now() + interval '1 hour')`,
    [randomBytes(32)],
  );
  await orm.migrator.up();
  await actFor('1');
  expect(
    await run('select unique_id, single_sign_on, single_sign_on_subject from member order by single_sign_on'),
  ).toEqual([
    { unique_id: ann, single_sign_on: 'https://idp.example', single_sign_on_subject: 'first' },
    { unique_id: bob, single_sign_on: null, single_sign_on_subject: null },
  ]);
  expect(await run(`select user_id, resource_id, changes from audit_event where action = 'member.update'`)).toEqual([
    {
      user_id: OPERATOR.uniqueId,
      resource_id: ann,
      changes: { single_sign_on: { from: null, to: 'https://idp.example' } },
    },
  ]);
  await actFor(ALL_COMPANIES);
  expect(await run('select single_sign_on_domain from web_session')).toEqual([
    { single_sign_on_domain: 'acme.example' },
  ]);
  expect(await run('select kind from sign_in_challenge')).toEqual([]);
});
