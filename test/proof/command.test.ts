import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { recordCurrentKey } from '../../procedures/audit/signing-key.ts';
import { openMigratedPglite } from '../support/database/migrated-database.ts';
import { startApp } from '../support/http/app.ts';
import { sampleProof } from '../support/proof/sample.ts';
import { runProgram } from '../support/servers/service-process.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { OPERATOR_TOKEN } from '../support/tenants/company.ts';
import { services } from '../support/tenants/member.ts';

// `proof verify`, on an installation with a database of its own.
const database = await openMigratedPglite();
const folder = await temporaryFolder();
const app = await startApp({}, database);
const file = join(folder, 'proof.zip');
const verify = () =>
  runProgram('cli/manage.ts', ['proof', 'verify', file, '--server', app.url], { OPERATOR_TOKEN, DATA_DIR: folder });

beforeAll(async () => writeFile(file, await sampleProof()));
afterAll(async () => {
  await app.stop();
  await database.close();
});

test('an installation without a signing key verifies no proof, and one with a key none of another', async () => {
  expect(await verify()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^SIGNING_KEY: the installation has no signing key/),
  });
  await recordCurrentKey(new Session(database, null, 'test'), services.signing);
  // The service shows a key that another process recorded within a second.
  await expect.poll(async () => (await verify()).stdout, { timeout: 120_000 }).toContain('is none of the given keys');
  expect(await verify()).toMatchObject({ code: 1 });
});
