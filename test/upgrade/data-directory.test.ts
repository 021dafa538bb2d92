import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { verifyFile } from '../../cli/backup.ts';
import { VERSION } from '../../database/version.ts';
import { startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import { FIXTURE_VERSIONS } from './fixture-versions.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { replay } from './replay.ts';
import { Client, OPERATOR_TOKEN, asOperator, rest } from './scenario/client.ts';
import { unpackDataDir } from './scenario/data.ts';
import { FIXTURES_DIR, readRecord } from './scenario/packed.ts';
import type { RecordedResponse } from './scenario/record.ts';

const packedFile = (version: string) => join(FIXTURES_DIR, version, 'data-dir.tar.zst');
const versions = FIXTURE_VERSIONS.filter((version) => existsSync(packedFile(version)));
const folder = await temporaryFolder();

/**
 * True for a response that depends neither on the time of the test, nor on work that continues, nor on the events of an upgrade.
 * The list of webhooks depends on the time: the service disables a webhook that has failed for five days, as one of the record does.
 */
const isLasting = ({ request: { path, headers } }: RecordedResponse) =>
  headers['Cookie'] === undefined &&
  headers['Idempotency-Key'] === undefined &&
  !/whoami|delivery|webhook\/list|\/import\/|invitation|signIn|apiKey|\/audit\/list|audit\.verify/.test(path);

describe.each(versions)('the packed DATA_DIR of version %s, whose service was killed,', (version) => {
  test('is backed up, migrated and served: objects, feed, chain, and the work that waited', async () => {
    const record = await readRecord(version);
    const { encryptionKey, scenario, responses } = record;
    const dataDir = join(folder, version);
    await mkdir(dataDir);
    await unpackDataDir(packedFile(version), dataDir);
    const settings = { DATA_DIR: dataDir, OPERATOR_TOKEN, ENCRYPTION_KEY: encryptionKey };
    const service = await startServiceProcess(settings);
    const client = new Client(service.url);
    const lasting = responses.filter(isLasting);
    expect(lasting.length).toBeGreaterThan(50);
    expect(await replay(client, record, lasting)).toEqual([]);

    const { key, company } = scenario.waiting;
    const vendors = async () => {
      const list = await client.send(rest(key, 'GET', '/external/smart-inventory/vendor/list'));
      return (list.body as { name: string }[]).map(({ name }) => name);
    };
    await vi.waitUntil(async () => (await vendors()).length === 51, { timeout: 60_000, interval: 200 });
    expect(await vendors()).toEqual(expect.arrayContaining(['Not sealed', 'Waiting 0', 'Waiting 49']));
    const verified = await client.mutate(asOperator(company), 'management.audit.verify', {});
    expect(verified).toMatchObject({ intact: true });
    // The upgrade has added events after the head, and changed none before it.
    const head = headOf(responses);
    expect(await client.mutate(asOperator(scenario.company), 'management.audit.verify', { head })).toMatchObject({
      intact: true,
    });
    expect(await client.query(asOperator(), 'management.version')).toMatchObject({ service: VERSION, data: VERSION });
    expect(await stopServiceProcess(service)).toBe(0);

    const backup = join(dataDir, 'backups', `before-${VERSION}.tar.gz`);
    const { rows } = await verifyFile(backup);
    expect(rows['vendor']).toBe(vendorRows(responses) + 1); // and the one of the killed service
  });
});

/** Recorded head of the audit log. */
function headOf(responses: readonly RecordedResponse[]): string {
  const verified = responses.find(({ request }) => request.path.includes('audit.verify'))?.response.body;
  const [, hash] = /"hash":"([0-9a-f]{64})"/.exec(JSON.stringify(verified)) ?? [];
  return hash ?? expect.fail('expected the recorded head');
}

/** Number of vendors in the recorded list. */
function vendorRows(responses: readonly RecordedResponse[]): number {
  const list = responses.find(({ request }) => request.path.endsWith('/vendor/list'))?.response.body;
  return Array.isArray(list) ? list.length : expect.fail('expected the recorded list of vendors');
}
