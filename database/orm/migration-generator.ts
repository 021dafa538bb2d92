import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TSMigrationGenerator } from '@mikro-orm/migrations';
import type { MigrationDiff } from '@mikro-orm/core';
import { functionChanges } from './migrated-pglite.ts';
import { addMissingChecksums } from './migration-checksums.ts';
import { MIGRATIONS_DIR } from './migrations.ts';
import { Migrator } from './migrator.ts';
import { onlineStatements } from './online-statements.ts';
import { findingsOf } from './squawk.ts';

/** Last part of the name of a migration that commits after each statement. */
const ONLINE = 'online';
/** Rules without exceptions: the columns of a row that exists have one value for all rows, or none. */
const NEW_COLUMN_RULES = new Set(['adding-required-field', 'adding-field-with-default']);
/** A function may use a table that the migration creates after it. */
const WITHOUT_CHECKS = 'set local check_function_bodies = off;';

/** Creates a migration also if only files of functions have changed. */
export class MigrationCreator extends Migrator {
  override async create(path?: string, blank = false, initial = false, name?: string) {
    const created = await super.create(path, blank, initial, name);
    if (created.fileName !== '') return created;
    const [code, fileName] = await this.generator.generate(created.diff, path, name);
    // The command reports that nothing has changed if there is no statement.
    return { fileName, code, diff: { up: code === '' ? [] : [code], down: [] } };
  }

  override async checkSchema(): Promise<boolean> {
    const { replaceFunctions, dropFunctions } = await functionChanges();
    return replaceFunctions.length + dropFunctions.length > 0 || super.checkSchema();
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
    const code = super.generateMigrationFile(className, diff);
    if (!className.endsWith(`_${ONLINE}`)) return code;
    return code
      .replace(
        `{ Migration } from '@mikro-orm/migrations'`,
        `{ OnlineMigration } from '../database/orm/online-migration.ts'`,
      )
      .replace('extends Migration', 'extends OnlineMigration');
  }
}
