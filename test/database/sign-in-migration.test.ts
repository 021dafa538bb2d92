import { randomBytes } from 'node:crypto';
import { PGlite } from '@electric-sql/pglite';
import { MikroORM as PgliteOrm } from '@mikro-orm/pglite';
import { MikroORM } from '@mikro-orm/postgresql';
import { PGliteDialect } from 'kysely';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { ormOptions } from '../../database/orm/options.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { OPERATOR } from '../../entities/user.ts';
import { ALL_COMPANIES } from '../../entities/statements/define-statement.ts';
import { ownerUrl } from '../support/database/database.ts';
import { createScratchDatabase } from '../support/database/scratch-database.ts';

/** The last migration before the list of sign-ins. */
const BEFORE = 'Migration20261123013132_add_webhooks';

/** Opens an empty database of the kind of this run. On PostgreSQL, row-level security applies to its owner. */
async function openEmptyDatabase() {
  if (ownerUrl === undefined) {
    const driverOptions = new PGliteDialect({ pglite: new PGlite() });
    const orm = await PgliteOrm.init({ ...ormOptions, driverOptions });
    onTestFinished(() => orm.close());
    return orm;
  }
  const { url, serviceUrl, drop } = await createScratchDatabase(ownerUrl);
  const admin = new Client({ connectionString: url });
  await admin.connect();
  await admin.query(`alter database ${new URL(url).pathname.slice(1)} owner to ${new URL(serviceUrl).username}`);
  await admin.end();
  const orm = await MikroORM.init({ ...ormOptions, clientUrl: serviceUrl, pool: { max: 1 } });
  onTestFinished(async () => {
    await orm.close();
    await drop();
  });
  return orm;
}

test('a session from before the list keeps its person, and its method is that of its sign-in', async () => {
  const orm = await openEmptyDatabase();
  const connection = orm.em.getConnection();
  const run = (text: string, values: unknown[] = []) => connection.execute<{ method: string }[]>(text, values);
  await orm.migrator.up({ to: BEFORE });
  await run(`select set_config('app.company', '1', false), set_config('app.user', '${OPERATOR.uniqueId}', false)`);
  await run(
    `with operator as (
       insert into company_user (company_id, unique_id, kind, name) values (1, '${OPERATOR.uniqueId}', 'human', 'Operator'))
     insert into company (id, name) overriding system value values (1, 'Acme')`,
  );
  await run(`select set_config('app.company', '${ALL_COMPANIES}', false)`);
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
  await run(`select set_config('app.company', '${ALL_COMPANIES}', false)`);
  const rows = await run(
    `select case when single_sign_on then 'sso' when passkey then 'passkey' else 'password' end as method
     from web_session order by created_at`,
  );
  expect(rows.map(({ method }) => method)).toEqual(['password', 'password', 'passkey', 'sso']);
});
