import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TSMigrationGenerator } from '@mikro-orm/migrations';
import type { MigrationDiff } from '@mikro-orm/core';
import { PGlite } from '@electric-sql/pglite';
import { MikroORM } from '@mikro-orm/postgresql';
import { PGliteDialect } from 'kysely';
import { addMissingChecksums } from './migration-checksums.ts';
import { MIGRATIONS_DIR } from './migrations.ts';
import { Migrator } from './migrator.ts';
import { findingsOf } from './squawk.ts';
import { compareFunctions } from './functions.ts';
import type { FunctionChanges } from './functions.ts';
import { ormOptions } from './options.ts';

let migrated: Promise<PGlite> | undefined;

/** An embedded database in memory with all migrations applied, so that the command line compares the sources with them. */
export const migratedPglite = (): Promise<PGlite> => (migrated ??= migrate());

async function migrate(): Promise<PGlite> {
  const pglite = new PGlite();
  // The URL names the database; the driver uses the one in memory.
  const clientUrl = 'postgresql://localhost/postgres';
  const orm = await MikroORM.init({ ...ormOptions, clientUrl, driverOptions: new PGliteDialect({ pglite }) });
  await orm.migrator.up();
  return pglite;
}

/** Compares the files of SQL functions with what all migrations make. */
async function functionChanges(): Promise<FunctionChanges> {
  const pglite = await migratedPglite();
  return pglite.transaction((transaction) =>
    compareFunctions(async (sql) => (await transaction.exec(sql)).at(-1)?.rows ?? []),
  );
}

/** Last part of the name of a migration that commits after each statement. */
const ONLINE = 'online';
/** Rules without exceptions: the columns of a row that exists have one value for all rows, or none. */
const NEW_COLUMN_RULES = new Set(['adding-required-field', 'adding-field-with-default']);
/** A function may use a table that the migration creates after it. */
const WITHOUT_CHECKS = 'set local check_function_bodies = off;';

/** Closes the database of `migratedPglite`, if it was opened. A timer of PostgreSQL would keep the command line running for ten seconds. */
const closePglite = async (): Promise<void> => (await migrated)?.close();

/** The migrator of the command line. It creates a migration also if only files of functions have changed, and works once. */
export class MigrationCreator extends Migrator {
  /** Beside a migrator with another name, the ORM registers its own, which then runs. */
  static override readonly name = 'Migrator';

  override async create(path?: string, blank = false, initial = false, name?: string) {
    try {
      const created = await super.create(path, blank, initial, name);
      if (created.fileName !== '') return created;
      const [code, fileName] = await this.generator.generate(created.diff, path, name);
      // The command reports that nothing has changed if there is no statement.
      return { fileName, code, diff: { up: code === '' ? [] : [code], down: [] } };
    } finally {
      await closePglite();
    }
  }

  override async checkSchema(): Promise<boolean> {
    try {
      const { replaceFunctions, dropFunctions } = await functionChanges();
      return replaceFunctions.length + dropFunctions.length > 0 || (await super.checkSchema());
    } finally {
      await closePglite();
    }
  }
}

/**
 * Writes the migration files for a change of the entities and of the files of SQL functions, formats them with oxfmt, and adds their
 * checksums. Statements that read whole tables are in a second file, which runs while requests are served.
 */
export class OnlineMigrationGenerator extends TSMigrationGenerator {
  override async generate(diff: MigrationDiff, path?: string, name = 'changes'): Promise<[string, string]> {
    const { transactional, online } = onlineStatements(diff.up);
    const findings = [...findingsOf(transactional, true), ...findingsOf(online, false)];
    const column = findings.find(({ rule }) => NEW_COLUMN_RULES.has(rule));
    if (column !== undefined)
      throw new Error(`${column.statement}: expected nullable() or a constant default(…), because the table has rows`);
    const { replaceFunctions, dropFunctions, restoreFunctions, dropNewFunctions } = await functionChanges();
    const withoutChecks = (statements: string[]) =>
      (statements.length > 0 && diff.up.length > 0 ? [WITHOUT_CHECKS] : []).concat(statements);
    const up = [...withoutChecks(replaceFunctions), ...transactional, ...dropFunctions];
    const down = [...withoutChecks(restoreFunctions), ...diff.down, ...dropNewFunctions];
    const parts = [
      { name, up },
      { name: `${name}_${ONLINE}`, up: online },
    ].filter((part) => part.up.length > 0);
    if (parts.length === 0) return ['', ''];
    const written: [string, string][] = [];
    for (const [index, part] of parts.entries())
      written.push(await super.generate({ up: part.up, down: index === 0 ? down : [] }, path, part.name));
    const files = written.map(([, file]) => file);
    await promisify(execFile)('npx', ['oxfmt', ...files.map((file) => join(path ?? MIGRATIONS_DIR, file))]);
    await addMissingChecksums();
    for (const { statement, rule, message } of findings)
      process.stderr.write(`${statement}\n  ${rule}: ${message} Change it, or add an exception with a reason.\n`);
    return [written.map(([code]) => code).join('\n'), files.join(' and ')];
  }

  override generateMigrationFile(className: string, diff: MigrationDiff): string {
    // MikroORM also escapes each `$` of a function, where only that of `${` needs it.
    const code = super.generateMigrationFile(className, diff).replaceAll(/\\\$(?!\{)/g, '$');
    if (!className.endsWith(`_${ONLINE}`)) return code;
    return code
      .replace(
        `{ Migration } from '@mikro-orm/migrations'`,
        `{ OnlineMigration } from '../database/orm/online-migration.ts'`,
      )
      .replace('extends Migration', 'extends OnlineMigration');
  }
}

/** A constraint or index on a table. */
const ADD_UNIQUE = /^alter table "(\w+)" add constraint "(\w+)" unique (\([^()]*\));$/;
const ADD_CHECK_OR_FOREIGN_KEY = /^alter table "(\w+)" add constraint "(\w+)" (?:check|foreign key) [^]*(?=;$)/;
const SET_NOT_NULL = /^alter table "(\w+)" alter column "(\w+)" set not null;$/;
const CREATE_INDEX = /^(create (?:unique )?index) "?(\w+)"? on "?(\w+)"?([^]*)$/;
const DROP_INDEX = /^drop index "(\w+)";$/;
const DROP_CONSTRAINT = /^alter table "\w+" drop constraint "(\w+)";$/;

/** The statements of a migration. */
interface MigrationStatements {
  /** Statements of one transaction: they need each lock for milliseconds. */
  transactional: string[];
  /** Statements that read whole tables, without a transaction around them. */
  online: string[];
}

/** Matches a pattern in the statements, and returns the values of one of its groups. */
const groupOf = (statements: readonly string[], pattern: RegExp, group: number): Set<string> =>
  new Set(statements.flatMap((statement) => pattern.exec(statement)?.[group] ?? []));

/**
 * Rewrites the statements that would block a table while PostgreSQL reads all its rows. Tables that the migration itself creates
 * are empty. Each online statement can be repeated, and none depends on a name that a kill may have left.
 * https://www.postgresql.org/docs/current/sql-createindex.html#SQL-CREATEINDEX-CONCURRENTLY
 */
function onlineStatements(statements: readonly string[]): MigrationStatements {
  const newTables = groupOf(statements, /^create table "(\w+)"/, 1);
  const droppedIndexes = groupOf(statements, DROP_INDEX, 1);
  const createdIndexes = groupOf(statements, CREATE_INDEX, 2);
  const addedUniques = groupOf(statements, ADD_UNIQUE, 2);
  const transactional: string[] = [];
  const online: string[] = [];
  for (const statement of statements) {
    const rewritten = rewrite(statement);
    transactional.push(...rewritten.transactional);
    if (rewritten.online.length > 0) online.push(...rewritten.online, '');
  }
  return { transactional: withoutOuterGaps(transactional), online: withoutOuterGaps(online) };

  function rewrite(statement: string): MigrationStatements {
    const match = [SET_NOT_NULL, ADD_UNIQUE, ADD_CHECK_OR_FOREIGN_KEY].map((pattern) => pattern.exec(statement));
    const [notNull, unique, checked] = match.map((found) => (newTables.has(found?.[1] ?? '') ? null : found));
    if (notNull) return { transactional: [], online: setNotNull(notNull[1] ?? '', notNull[2] ?? '') };
    if (unique) return { transactional: [], online: addUnique(unique[1] ?? '', unique[2] ?? '', unique[3] ?? '') };
    if (checked) {
      const [definition, table = '', name = ''] = checked;
      return { transactional: [`${definition} not valid;`], online: [validate(table, name)] };
    }
    const [, create = '', created = '', table = '', rest = ''] = CREATE_INDEX.exec(statement) ?? [];
    if (created !== '' && !newTables.has(table)) {
      const build = (name: string) => `${create} concurrently "${name}" on "${table}"${rest}`;
      return { transactional: [], online: createIndex(created, build, droppedIndexes.has(created)) };
    }
    const dropped = DROP_INDEX.exec(statement)?.[1];
    if (dropped !== undefined)
      return { transactional: [], online: createdIndexes.has(dropped) ? [] : [dropIndex(dropped)] };
    // A unique constraint with a new definition replaces the old one in one statement.
    if (addedUniques.has(DROP_CONSTRAINT.exec(statement)?.[1] ?? '')) return { transactional: [], online: [] };
    return { transactional: [statement], online: [] };
  }
}

const dropIndex = (name: string) => `drop index concurrently if exists "${name}";`;
const validate = (table: string, constraint: string) => `alter table "${table}" validate constraint "${constraint}";`;

/** A changed index keeps serving requests until the new one is complete. A kill leaves an invalid index, so it is dropped first. */
function createIndex(name: string, build: (name: string) => string, replaces: boolean): string[] {
  if (!replaces) return [dropIndex(name), build(name)];
  const newName = `new_${name}`;
  return [dropIndex(newName), build(newName), dropIndex(name), `alter index "${newName}" rename to "${name}";`];
}

function addUnique(table: string, name: string, columns: string): string[] {
  const index = `new_${name}`;
  return [
    dropIndex(index),
    `create unique index concurrently "${index}" on "${table}" ${columns};`,
    `alter table "${table}" drop constraint if exists "${name}", add constraint "${name}" unique using index "${index}";`,
  ];
}

/** `set not null` reads no row if a valid check constraint already excludes null. */
function setNotNull(table: string, column: string): string[] {
  const check = `${table}_${column}_not_null`;
  return [
    `alter table "${table}" drop constraint if exists "${check}", add constraint "${check}" check ("${column}" is not null) not valid;`,
    validate(table, check),
    `alter table "${table}" alter column "${column}" set not null, drop constraint "${check}";`,
  ];
}

/** Leaves out empty lines at the beginning, at the end, and after another one. */
const withoutOuterGaps = (lines: string[]): string[] =>
  lines.filter(
    (line, index) => line !== '' || (lines.slice(0, index).some(Boolean) && (lines[index + 1] ?? '') !== ''),
  );
