import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Migration } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { expect, onTestFinished, test } from 'vitest';
import { MIGRATIONS_DIR, knownMigrations } from '../../../database/orm/migrations.ts';
import { ormOptions } from '../../../database/orm/options.ts';
import { findingsOf } from '../../../database/orm/squawk.ts';

/** The last migration of version 0.1.0, which was released before this check. */
const LAST_OF_FIRST_VERSION = 'Migration20261123223834_add_links';

/** Loads the statements that a migration adds with addSql. Others could not be checked. */
async function loadMigration(name: string): Promise<{ statements: string[]; transactional: boolean }> {
  // It never connects.
  const orm = await MikroORM.init({ ...ormOptions, clientUrl: 'postgresql://localhost/none' });
  onTestFinished(() => orm.close());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a migration file exports its class
  const exported = (await import(pathToFileURL(join(MIGRATIONS_DIR, `${name}.ts`)).href)) as Record<
    string,
    new (...options: ConstructorParameters<typeof Migration>) => Migration
  >;
  const Class = exported[name];
  if (Class === undefined) throw new Error(`${name}.ts: expected a class with this name`);
  const migration = new Class(orm.em.getDriver(), orm.config);
  await migration.up();
  const statements = migration.getQueries().map((query) => {
    if (typeof query !== 'string') throw new Error(`${name}: addSql expects text`);
    return query;
  });
  return { statements, transactional: migration.isTransactional() };
}

const rulesOf = (statements: readonly string[], transactional = true) =>
  findingsOf(statements, transactional).map(({ rule }) => rule);

test('a new migration blocks no table with rows', async () => {
  const migrations = await knownMigrations();
  expect(migrations).toContain(LAST_OF_FIRST_VERSION);
  for (const name of migrations.filter((known) => known > LAST_OF_FIRST_VERSION)) {
    const { statements, transactional } = await loadMigration(name);
    expect(statements).not.toEqual([]);
    expect({ name, findings: findingsOf(statements, transactional) }).toEqual({ name, findings: [] });
  }
});

test('the statements of a migration are those that its class adds', async () => {
  const { statements, transactional } = await loadMigration(LAST_OF_FIRST_VERSION);
  expect(findingsOf(statements, transactional)).toContainEqual({
    rule: 'ban-drop-table',
    message: 'Dropping a table may break existing clients.',
    statement: 'drop table "identity" cascade;',
  });
});

test.for([
  ['create index task_by_title on task (title)', 'require-concurrent-index-creation'],
  ['create index concurrently task_by_title on task (title)', 'ban-concurrent-index-creation-in-transaction'],
  ['drop index task_by_title', 'require-concurrent-index-deletion'],
  [`alter table task add constraint task_title check (title <> '')`, 'constraint-missing-not-valid'],
  [
    'alter table task add constraint task_person foreign key (a) references person (id)',
    'adding-foreign-key-constraint',
  ],
  ['alter table task add constraint task_title unique (title)', 'disallowed-unique-constraint'],
  ['alter table task alter column title set not null', 'adding-not-nullable-field'],
  ['alter table task alter column title type text', 'changing-column-type'],
  ['alter table task add note text not null', 'adding-required-field'],
  ['alter table task add note uuid default uuid_v7()', 'adding-field-with-default'],
  ['alter table task drop column title', 'ban-drop-column'],
  ['alter table task rename column title to name', 'renaming-column'],
  ['drop table task', 'ban-drop-table'],
] as const)('%s is found', ([statement, rule]) => {
  expect(rulesOf([statement])).toContain(rule);
});

test('statements that block no table with rows pass', () => {
  const transactional = [
    'create table note (id bigint primary key, text varchar(20) not null);',
    'create index note_by_text on note (text)',
    'alter table note add constraint note_text check (length(text) > 1)',
    `alter table task add note text null, add state text not null default 'open';`,
    `alter table task add constraint task_state check (state <> '') not valid`,
    `select set_config('app.company', '0', true)`,
  ];
  expect(rulesOf(transactional)).toEqual([]);
  expect(rulesOf(['create index concurrently task_by_title on task (title)'], false)).toEqual([]);
});

test('an exception is a comment before its statement, with a reason', () => {
  const statement = 'alter table task drop column title';
  const ignore = '-- squawk-ignore ban-drop-column';
  expect(rulesOf([`-- Version 0.3.0 does not read it.\n${ignore}\n${statement}`])).toEqual([]);
  expect(rulesOf([`${ignore}\n${statement}`])).toEqual(['exception-without-reason']);
});
