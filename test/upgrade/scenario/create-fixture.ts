import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fixture as scanner, startCountingServer } from '../../support/servers/secret-scanner.ts';
import { startServiceProcess, stopServiceProcess } from '../../support/servers/service-process.ts';
import { Client, OPERATOR_TOKEN } from './client.ts';
import { dumpDatabase, packDataDir } from './data.ts';
import { FIXTURES_DIR, writeFixture } from './packed.ts';
import { recordResponses } from './record.ts';
import type { FixtureRecord } from './record.ts';
import { beginWork, createScenario } from './scenario.ts';

/** Milliseconds for the audit log to be sealed, and for deliveries to be attempted. */
const SETTLE_MS = 6000;

/**
 * Runs the service of a version on an embedded database, fills it through its interfaces, and records responses. The service is killed
 * while work waits.
 * @param folder checkout with installed packages
 */
export async function recordScenario(folder: string, dataDir: string): Promise<FixtureRecord> {
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
  const encryptionKey = randomBytes(32).toString('base64');
  const keys = await startCountingServer((_, response) =>
    response.setHeader('Content-Type', 'application/json').end(scanner.publicKeysJson),
  );
  const settings = {
    DATA_DIR: dataDir,
    OPERATOR_TOKEN,
    ENCRYPTION_KEY: encryptionKey,
    SECRET_SCANNING_KEYS_URL: keys.url,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    LOG_LEVEL: 'warn',
  };
  const start = (further = {}) => startServiceProcess({ ...settings, ...further }, undefined, folder);
  try {
    const first = await start();
    const scenario = await createScenario(new Client(first.url));
    await stopServiceProcess(first); // stores the use of keys
    // Its mail server does not respond, so that mails wait.
    const service = await start({ SMTP_URL: 'smtp://127.0.0.1:1', SMTP_FROM: 'noreply@acme.example' });
    const client = new Client(service.url);
    await wait(SETTLE_MS);
    const recordedAt = new Date().toISOString();
    const responses = await recordResponses(client, scenario);
    await beginWork(client, scenario);
    service.child.kill('SIGKILL');
    await once(service.child, 'exit');
    return { version, recordedAt, encryptionKey, scenario, responses };
  } finally {
    keys.close();
  }
}

/**
 * Creates the fixture of the version in a folder.
 * @param withDataDir true packs DATA_DIR too
 */
export async function createFixture(folder: string, withDataDir: boolean): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fixture-'));
  try {
    const record = await recordScenario(folder, dataDir);
    const output = join(FIXTURES_DIR, record.version);
    await mkdir(output, { recursive: true });
    await writeFixture(await dumpDatabase(dataDir), record);
    if (withDataDir) await packDataDir(dataDir, join(output, 'data-dir.tar.zst'));
    return output;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
