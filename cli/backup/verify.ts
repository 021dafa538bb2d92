import { openPglite } from '../../database/pglite/open.ts';
import { IncompatibleDataError } from '../../database/upgrade/inspect.ts';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { createCaller } from '../../procedures/index.ts';
import { ConfigError } from '../../server/config/settings.ts';
import { databaseDir } from '../../server/config/data-dir.ts';
import { extractArchive } from '../../server/backup/archive.ts';
import type { Manifest } from '../../server/backup/archive.ts';

const REQUEST_ID = 'backup';

type AuditVerification = Awaited<ReturnType<ReturnType<typeof managementCaller>['audit']['verify']>>;

/** Result of the verification of a backup. */
export interface BackupVerification {
  madeAt: string;
  /** Rows of each table. */
  rows: Manifest['rows'];
  /** Verification of the audit log of each company. */
  trails: ({ company: number; name: string } & Pick<AuditVerification, 'intact' | 'reason' | 'sealed' | 'head'>)[];
}

/**
 * Verifies a backup. Extracts it to an empty directory, opens the database and compares it with the manifest. Then applies
 * pending migrations, as a start would, and verifies the audit logs.
 * @throws ConfigError if the backup is incomplete or not compatible with this version
 */
export async function verifyBackup(file: string, folder: string): Promise<BackupVerification> {
  const manifest = await extractArchive(file, folder);
  const database = await openPglite(databaseDir(folder)).catch((cause: unknown) => {
    throw new ConfigError(
      `${file}: the database cannot be opened; it was created by PostgreSQL ${manifest.postgresql}`,
      { cause },
    );
  });
  try {
    const { migrations, rows } = manifest;
    const contents = await database.files?.contents();
    if (JSON.stringify([contents?.migrations, contents?.rows]) !== JSON.stringify([migrations, rows])) {
      throw new ConfigError(`${file}: the rows do not match the manifest`);
    }
    await database.migrate().catch((error: unknown) => {
      throw error instanceof IncompatibleDataError
        ? new ConfigError(`${file}: ${error.message}`, { cause: error })
        : error;
    });
    const trails: BackupVerification['trails'] = [];
    for (const { id, name } of (await managementCaller(database, null).company.list()).filter((one) => 'name' in one)) {
      const { intact, reason, sealed, head } = await managementCaller(database, operatorPrincipal(id)).audit.verify({});
      trails.push({ company: id, name, intact, reason, sealed, head });
    }
    return { madeAt: manifest.madeAt, rows, trails };
  } finally {
    await database.close();
  }
}

const managementCaller = (...[database, principal]: Parameters<typeof createSession>) =>
  createCaller({
    requestId: REQUEST_ID,
    address: null,
    caller: 'operator',
    session: createSession(database, principal),
  }).management;

const createSession = (
  database: ConstructorParameters<typeof Session>[0],
  principal: ConstructorParameters<typeof Session>[1],
) => new Session(database, principal, REQUEST_ID);
