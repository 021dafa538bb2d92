import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TSMigrationGenerator } from '@mikro-orm/migrations';
import type { MigrationDiff } from '@mikro-orm/core';
import { addMissingChecksums } from './migration-checksums.ts';
import { MIGRATIONS_DIR } from './migrations.ts';

/** Writes a migration file, formats it with oxfmt, and adds its checksum. */
export class FormattedMigrationGenerator extends TSMigrationGenerator {
  override async generate(diff: MigrationDiff, path?: string, name?: string): Promise<[string, string]> {
    const [code, fileName] = await super.generate(diff, path, name);
    await promisify(execFile)('npx', ['oxfmt', join(path ?? MIGRATIONS_DIR, fileName)]);
    await addMissingChecksums();
    return [code, fileName];
  }
}
