import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TSMigrationGenerator } from '@mikro-orm/migrations';
import type { MigrationDiff } from '@mikro-orm/core';
import { addMissingChecksums } from './migration-checksums.ts';
import { MIGRATIONS_DIR } from './migrations.ts';
import { onlineStatements } from './online-statements.ts';
import { findingsOf } from './squawk.ts';

/** Last part of the name of a migration that commits after each statement. */
const ONLINE = 'online';
/** Rules without exceptions: the columns of a row that exists have one value for all rows, or none. */
const NEW_COLUMN_RULES = new Set(['adding-required-field', 'adding-field-with-default']);

/**
 * Writes the migration files for a change of the entities, formats them with oxfmt, and adds their checksums. Statements that read
 * whole tables are in a second file, which runs while requests are served.
 */
export class OnlineMigrationGenerator extends TSMigrationGenerator {
  override async generate(diff: MigrationDiff, path?: string, name = 'changes'): Promise<[string, string]> {
    const { transactional, online } = onlineStatements(diff.up);
    const findings = [...findingsOf(transactional, true), ...findingsOf(online, false)];
    const column = findings.find(({ rule }) => NEW_COLUMN_RULES.has(rule));
    if (column !== undefined)
      throw new Error(`${column.statement}: expected nullable() or a constant default(…), because the table has rows`);
    const parts = [
      { name, up: transactional },
      { name: `${name}_${ONLINE}`, up: online },
    ].filter(({ up }) => up.length > 0);
    const written: [string, string][] = [];
    for (const [index, part] of parts.entries()) {
      const down = index === 0 ? diff.down : [];
      written.push(await super.generate({ up: part.up, down }, path, part.name));
    }
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
