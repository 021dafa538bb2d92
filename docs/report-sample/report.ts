import { generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { openPglite } from '../../database/pglite/open.ts';
import { Session } from '../../database/session.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { createCaller } from '../../procedures/index.ts';
import { makeProof } from '../../procedures/proof/making/make.ts';
import { createSigning } from '../../procedures/core/signing.ts';
import { openStorage } from '../../server/storage/open.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { readZip } from '../../test/support/proof/zip.ts';
import { SampleCompany } from './company.ts';
import { workThreeMonths } from './three-months.ts';

const PERIOD = { from: '2026-06-30 22:00:00+00', asOf: '2026-09-30 21:59:59.999+00' };

/** Makes the report of a proof of a company with three months of work. @param folder for its files */
export async function sampleReport(folder: string): Promise<string> {
  const database = await openPglite();
  try {
    await database.migrate();
    const session = new Session(database, null, 'now');
    const operator = createCaller({ requestId: 'now', caller: 'operator', address: null, session });
    const { id } = await operator.management.company.create({ name: 'Northwind Health' });
    const settings = { s3: undefined, databaseUrl: undefined, dataDir: folder };
    const limits = { evidenceMaxBytes: 1e7, evidenceQuotaBytes: 1e9 };
    const storage = await openStorage({ ...settings, ...limits }, database, createLog('silent'));
    storage.stop();
    const company = new SampleCompany(id, { database, storage, folder });
    await workThreeMonths(company);
    const { zip } = await makeProof(
      company.session(),
      { storage, signing: createSigning(generateKeyPairSync('ed25519').privateKey), timestamp: undefined },
      { uniqueId: newUniqueId(), attempt: 1, ...PERIOD, frameworks: null, evidence: true },
      { signal: new AbortController().signal, onProgress: () => {} },
    );
    return (
      readZip(await readFile(zip.path))
        .get('report.html')
        ?.toString() ?? ''
    );
  } finally {
    await database.close();
  }
}
