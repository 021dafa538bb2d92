import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { MikroORM } from '@mikro-orm/postgresql';
import { expect, test } from 'vitest';
import { compareFunctions } from '../../../database/orm/functions.ts';
import { OnlineMigrationGenerator } from '../../../database/orm/migration-generator.ts';
import { ormOptions } from '../../../database/orm/options.ts';
import { openEmptyDatabase } from '../../support/database/empty-database.ts';
import { copyProject } from '../../support/setup/project-copy.ts';

const NO_CHANGES = { replaceFunctions: [], dropFunctions: [], restoreFunctions: [], dropNewFunctions: [] };

/** Compares the functions of a database with the files of this project, or of a copy. */
const compare = (orm: MikroORM, compareWithFiles = compareFunctions) =>
  orm.em
    .getConnection()
    .transactional((transaction) =>
      compareWithFiles((sql) => orm.em.getConnection().execute<object[]>(sql, [], 'all', transaction)),
    );

test('the functions of a migrated database are exactly those of the files', async () => {
  const { orm } = await openEmptyDatabase();
  await orm.migrator.up();
  expect(await compare(orm)).toEqual(NO_CHANGES);
});

test('a function that differs from its file, a lacking and an excess one are found', async () => {
  const { orm } = await openEmptyDatabase();
  await orm.migrator.up();
  const connection = orm.em.getConnection();
  for (const sql of [
    `create or replace function public.notify_company_closed() returns trigger language plpgsql
     set search_path = pg_catalog, public, pg_temp as $$ begin return null; end $$`,
    'alter function public.is_receiving(oid) volatile',
    'alter function public.end_arrival() security invoker',
    'alter function public.set_demo_time(timestamptz) reset enable_seqscan',
    'grant execute on function public.seal_audit_log(int, int) to public',
    'revoke execute on function public.receive_company(text) from public',
    `create or replace aggregate public.audit_chain(previous bytea, event text)
       (sfunc = public.audit_chain_sfunc, stype = bytea, initcond = '')`,
    'drop function public.discard_rows(text, int)',
    'create function public.spare(int) returns int language sql as $$ select $1 $$',
  ])
    await connection.execute(sql);
  const { replaceFunctions, dropFunctions, restoreFunctions, dropNewFunctions } = await compare(orm);
  expect(replaceFunctions.map((sql) => /(?:function|grant.*) public\.\w+/.exec(sql)?.[0])).toEqual([
    'function public.audit_seal_hash',
    'function public.seal_audit_log',
    'function public.discard_rows',
    'function public.end_arrival',
    'function public.is_receiving',
    'function public.notify_company_closed',
    'function public.receive_company',
    'function public.set_demo_time',
    'grant execute on routine public.receive_company',
  ]);
  expect(dropFunctions).toEqual(['drop routine public.spare(integer);']);
  expect(dropNewFunctions).toEqual(['drop routine public.discard_rows(text, integer);']);
  expect(restoreFunctions).toContain('revoke execute on routine public.receive_company(text) from public;');
});

test('no migration is written while the files are as the migrations make them', async () => {
  const { orm } = await openEmptyDatabase();
  const generator = new OnlineMigrationGenerator(
    orm.em.getDriver(),
    orm.config.getNamingStrategy(),
    ormOptions.migrations,
  );
  expect(await generator.generate({ up: [], down: [] }, '/nowhere')).toEqual(['', '']);
});

test('migrations make the functions those of the changed files, and take that back', async () => {
  const { folder, run } = await copyProject();
  const edit = async (file: string, from: string, to: string) => {
    const text = await readFile(join(folder, file), 'utf8');
    expect(text).toContain(from);
    await writeFile(
      join(folder, file),
      text.replace(from, () => to),
    );
  };
  await edit('entities/audit/functions/audit_row.sql', 'acting_kind text;', 'acting_kind text; -- \\ and `');
  await edit('entities/audit/functions/seal_audit_log.sql', 'revoke execute', '-- revoke execute');
  await rm(join(folder, 'entities/company/functions/discard_rows.sql'));
  await run('npm run migration:create -- --name change_functions');
  // A function that reads a column of the same migration.
  await edit(
    'entities/sign-in/web-session.ts',
    'address: p',
    'device: p.string().length(100).nullable(),\n address: p',
  );
  await run('mkdir entities/sign-in/functions');
  await writeFile(
    join(folder, 'entities/sign-in/functions/devices.sql'),
    `create or replace function public.devices() returns setof text language sql stable
     set search_path = pg_catalog, public, pg_temp as $$ select device from public.web_session $$;`,
  );
  await run('npm run migration:create -- --name add_devices');

  const { orm } = await openEmptyDatabase({ migrations: { path: join(folder, 'migrations') } });
  await orm.migrator.up();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the module of the copy, which reads the files of the copy
  const copy = (await import(pathToFileURL(join(folder, 'database/orm/functions.ts')).href)) as {
    compareFunctions: typeof compareFunctions;
  };
  expect(await compare(orm, copy.compareFunctions)).toEqual(NO_CHANGES);
  expect(await orm.em.getConnection().execute('select * from devices()')).toEqual([]);
  await orm.migrator.down();
  await orm.migrator.down();
  expect(await compare(orm)).toEqual(NO_CHANGES);
});
