import { randomBytes } from 'node:crypto';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { OnlineMigrationGenerator } from '../../../database/orm/migration-generator.ts';
import { ormOptions } from '../../../database/orm/options.ts';
import type { entities } from '../../../entities/index.ts';
import { newUniqueId } from '../../../entities/ids.ts';
import { openEmptyDatabase } from '../../support/database/empty-database.ts';
import { copyProject } from '../../support/setup/project-copy.ts';

const ENTITY = 'entities/sign-in/web-session.ts';
/** One change for each kind of statement that reads a whole table. */
const CHANGES: [string, string][] = [
  ['import { personReference }', 'import { Person, personReference }'],
  [
    'address: p.string().length(MAX_ADDRESS_LENGTH).nullable(),',
    `address: p.string().length(MAX_ADDRESS_LENGTH),
     device: p.string().length(100).default('none'),
     approver: () => p.manyToOne(Person).joinColumn('approver_id').nullable().updateRule('no action').deleteRule('no action'),`,
  ],
  ['checks: [', `checks: [{ name: 'web_session_device', expression: "device::text <> ''::text" },`],
  ['single_sign_on_domain IS NULL', 'single_sign_on_domain IS NULL OR passkey'],
  [`properties: ['tokenHash'] }]`, `properties: ['tokenHash', 'device'] }]`],
  [
    `properties: ['person'] },`,
    `properties: ['person', 'createdAt'] }, { name: 'web_session_by_device', properties: ['device'] },`,
  ],
];

/** Edits an entity of a copy of the project. */
async function editEntity(folder: string, changes: readonly [string, string][]): Promise<void> {
  let code = await readFile(join(folder, ENTITY), 'utf8');
  for (const [from, to] of changes) {
    expect(code).toContain(from);
    code = code.replace(from, to);
  }
  await writeFile(join(folder, ENTITY), code);
}

/** SQL of the statements in a migration file. */
const statementsIn = (code: string) => [...code.matchAll(/addSql\(\s*`([^`]+)`,?\s*\)/g)].map(([, sql = '']) => sql);

test('a migration of a table with rows keeps its locks short, and what reads the table is repeatable', async () => {
  const { folder, run } = await copyProject();
  await editEntity(folder, CHANGES);
  await run('npm run migration:create -- --name change_sessions');
  const migrations = join(folder, 'migrations');
  const files = (await readdir(migrations)).filter((file) => file.includes('change_sessions')).toSorted();
  expect(files.map((file) => file.replace(/\d+/, ''))).toEqual([
    'Migration_change_sessions.ts',
    'Migration_change_sessions_online.ts',
  ]);
  const [code = '', onlineCode = ''] = await Promise.all(files.map((file) => readFile(join(migrations, file), 'utf8')));
  const online = statementsIn(onlineCode);
  expect(statementsIn(code.split('down()')[0] ?? '')).toEqual([
    'alter table "web_session" drop constraint "web_session_domain";',
    `alter table "web_session" add "device" varchar(100) not null default 'none', add "approver_id" uuid null;`,
    expect.stringMatching(/^alter table "web_session" add constraint "web_session_approver_id_foreign" .* not valid;$/),
    expect.stringMatching(/^alter table "web_session" add constraint "web_session_device" check .* not valid;$/),
    expect.stringMatching(/^alter table "web_session" add constraint "web_session_domain" check .* not valid;$/),
  ]);
  expect(online).toHaveLength(15);
  expect(online.filter((sql) => !/concurrently|validate constraint|not valid/.test(sql))).toEqual([
    'alter table "web_session" alter column "address" set not null, drop constraint "web_session_address_not_null";',
    'alter index "new_web_session_by_person" rename to "web_session_by_person";',
    expect.stringContaining('add constraint "web_session_token_unique" unique using index'),
  ]);
  const checksums: unknown = JSON.parse(await readFile(join(migrations, 'checksums.json'), 'utf8'));
  for (const file of files) expect(checksums).toHaveProperty(file.replace('.ts', ''));

  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the entities of the copy
  const changed = (await import(pathToFileURL(join(folder, 'entities/index.ts')).href)) as {
    entities: typeof entities;
  };
  const { orm } = await openEmptyDatabase({ entities: [...changed.entities], migrations: { path: migrations } });
  const connection = orm.em.getConnection();
  await orm.migrator.up({ to: files[0]?.replace('.ts', '') ?? '' });
  await connection.execute(`select set_config('app.company', '0', false)`);
  const person = newUniqueId();
  await connection.execute(`insert into person (unique_id, email, name) values (?, 'a@acme.example', 'Ann')`, [person]);
  // Sessions without a company: its foreign key is not what the test is about.
  await connection.execute('alter table web_session drop constraint web_session_company_id_foreign');
  await connection.execute(
    `insert into web_session (unique_id, token_hash, person_id, company_id, address, user_agent, expires_at)
     values (?, ?, ?, 1, '127.0.0.1', 'test', now() + interval '1 day')`,
    [newUniqueId(), randomBytes(32), person],
  );
  const last = files[1]?.replace('.ts', '') ?? '';
  for (const length of online.keys()) {
    // A kill after some statements. The first one meets the schema before, the others meet one that is complete.
    for (const sql of online.slice(0, length === 0 ? online.length / 2 : length)) await connection.execute(sql);
    await orm.migrator.up();
    await connection.execute('delete from mikro_orm_migrations where name = ?', [last]);
  }
  const fixed = await orm.schema.getUpdateSchemaSQL({ wrap: false, dropTables: false });
  expect(fixed.trim()).toMatch(/^alter table "web_session" add constraint "web_session_company_id_foreign" [^;]+;$/);
  expect(await connection.execute('select device, approver_id, address from web_session')).toEqual([
    { device: 'none', approver_id: null, address: '127.0.0.1' },
  ]);
  expect(await connection.execute('select indexrelid::regclass::text from pg_index where not indisvalid')).toEqual([]);
});

test.for(['"device" varchar(100) not null', '"device" uuid not null default uuid_v7()'])(
  'a new column needs one value for all rows: %s',
  async (column) => {
    const { orm } = await openEmptyDatabase();
    const generator = new OnlineMigrationGenerator(
      orm.em.getDriver(),
      orm.config.getNamingStrategy(),
      ormOptions.migrations,
    );
    const statement = `alter table "web_session" add ${column};`;
    await expect(generator.generate({ up: [statement], down: [] }, '/nowhere', 'device')).rejects.toThrow(
      `${statement}: expected nullable() or a constant default(…), because the table has rows`,
    );
  },
);
