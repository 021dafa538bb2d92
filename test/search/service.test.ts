import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ownerUrl } from '../support/database/database.ts';
import { createMigratedDatabase } from '../support/database/migrated-database.ts';
import { callManagement } from '../support/http/client.ts';
import { http } from '../support/http/server.ts';
import { startService, stopServiceProcess } from '../support/servers/service-process.ts';

async function createSettings(): Promise<Record<string, string>> {
  if (ownerUrl === undefined) {
    const folder = await mkdtemp(join(tmpdir(), 'search-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    return { DATA_DIR: join(folder, 'data') };
  }
  const scratch = await createMigratedDatabase(ownerUrl);
  onTestFinished(scratch.drop);
  return { DATABASE_URL: scratch.serviceUrl, MIGRATION_DATABASE_URL: scratch.url };
}

async function start(settings: Record<string, string>) {
  const service = await startService(settings);
  onTestFinished(async () => void (await stopServiceProcess(service, 'SIGKILL')));
  return service;
}

test('a service finds what was written, also after kill -9, and nothing that was deleted', async () => {
  const settings = await createSettings();
  let service = await start(settings);
  const { id: company } = await callManagement<{ id: number }>(service.url, 'company.create', { name: 'Acme' });
  const { id } = await callManagement<{ id: number }>(service.url, 'framework.create', { name: 'ISO' }, company);
  const { key } = await callManagement<{ key: string }>(service.url, 'apiKey.create', { name: 'Load' }, company);
  const search = async (q: string) => {
    const { body } = await http('GET', `/external/search?q=${encodeURIComponent(q)}`, { baseUrl: service.url, key });
    return (body as { items: { title: string }[] }).items.map(({ title }) => title);
  };
  expect(await search('before')).toEqual([]);
  const create = (title: string) =>
    http('POST', `/external/task/framework/${id}/new`, { baseUrl: service.url, key, body: { title } });
  const waiting = { timeout: 90_000, interval: 100 };
  for (const round of ['first', 'second', 'third']) {
    const { body } = await create(`Okapi of the ${round} round`);
    await expect.poll(() => search(`okapi ${round}`), waiting).toEqual([`Okapi of the ${round} round`]);
    await create(`Bongo of the ${round} round`);
    await stopServiceProcess(service, 'SIGKILL');
    service = await start(settings);
    await expect.poll(() => search(`bongo ${round}`), waiting).toEqual([`Bongo of the ${round} round`]);
    const { uniqueId } = body as { uniqueId: string };
    await http('DELETE', `/external/task/${uniqueId}/delete`, { baseUrl: service.url, key });
    expect(await search(`okapi ${round}`)).toEqual([]);
  }
}, 300_000);
