import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { createScratchDatabase } from '../../support/database/scratch-database.ts';
import { startService, stopServiceProcess } from '../../support/servers/service-process.ts';
import type { ServiceProcess } from '../../support/servers/service-process.ts';
import { readSchema } from './catalog.ts';
import { sqlOn, withClient } from '../../support/database/client.ts';
import type { RunSql } from '../../support/database/client.ts';
import { checkChains, checkEvents, verifyChains } from './checks.ts';
import type { Check } from './checks.ts';
import { MixedLoad } from './load.ts';
import type { PhaseCounts } from './load.ts';
import type { Company } from './requests.ts';
import type { InstalledVersion } from './version-before.ts';

const COMPANIES = 4;
const CLIENTS = 20;
const VENDORS_OF_COMPANY = 1000;
const SEEDED_EVENTS = 100_000;
/** Duration of a phase in which no process restarts. */
const STEADY_MS = 20_000;

/** Result of the run. */
export interface UpgradeResult {
  phases: PhaseCounts[];
  checks: Check[];
}

/**
 * Upgrades two processes on one PostgreSQL one by one under load, and goes back one by one.
 * @param serverUrl server on which scratch databases are created
 */
export async function upgradeSideBySide(
  serverUrl: string,
  before: InstalledVersion,
  after: InstalledVersion,
  tasks: number,
): Promise<UpgradeResult> {
  const folder = mkdtempSync(join(tmpdir(), 'upgrade-'));
  const scratch = await createScratchDatabase(serverUrl);
  const client = new Client({ connectionString: scratch.url });
  await client.connect();
  const run = sqlOn(client);
  const settings = {
    DATABASE_URL: scratch.serviceUrl,
    MIGRATION_DATABASE_URL: scratch.url,
    DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'error',
  };
  const start = ({ folder: code }: InstalledVersion, port: string) =>
    startService({ ...settings, PORT: port }, undefined, code);
  const processes: ServiceProcess[] = [];
  try {
    const companies = seed(before, settings, folder, tasks);
    processes.push(await start(before, '0'), await start(before, '0'));
    const urls = processes.map(({ url }) => url);
    const loadedAt = (await run<{ at: string }>('select now()::text as at'))[0]?.at ?? '';
    const load = new MixedLoad(urls, companies, CLIENTS);
    const running = [before.version, before.version];
    const steady = () => load.during(running.join(' and '), false, () => wait(STEADY_MS));
    const replace = (index: number, code: InstalledVersion) =>
      load.during(`${index + 1}. process: ${running[index]} → ${code.version}`, true, async () => {
        const [old] = processes.splice(index, 1);
        if (old !== undefined) await stopServiceProcess(old);
        processes.splice(index, 0, await start(code, new URL(urls[index] ?? '').port));
        running[index] = code.version;
      });
    await steady();
    for (const code of [after, before]) {
      for (const index of [0, 1]) {
        await replace(index, code);
        await steady();
      }
    }
    await load.stop();
    const ids = (await run<{ id: number }>('select id from company order by id')).map(({ id }) => id);
    const checks = [
      ...(await checkEvents(run, loadedAt, load.acknowledged)),
      { name: 'events that followers of the feed received', result: String(load.events), isMet: load.events > 0 },
      checkChains(before.version, await verifyChains(urls[0] ?? '', ids)),
    ];
    await replace(1, after);
    load.phases.pop(); // without load
    checks.push(checkChains(after.version, await verifyChains(urls[1] ?? '', ids)));
    checks.push(await checkSchema(run, serverUrl, after, scratch.serviceUrl));
    return { phases: load.phases, checks };
  } finally {
    await Promise.all(processes.map((one) => stopServiceProcess(one)));
    await client.end();
    await scratch.drop();
    rmSync(folder, { recursive: true });
  }
}

/** Seeds the database with the code of a version. */
function seed(
  { folder: code }: InstalledVersion,
  settings: Record<string, string>,
  folder: string,
  tasks: number,
): Company[] {
  const spec = join(folder, 'spec.json');
  const manifest = join(folder, 'manifest.json');
  const companies = Array.from({ length: COMPANIES }, (_, index) => ({
    id: `company-${index + 1}`,
    vendors: VENDORS_OF_COMPANY,
    tasks: Math.ceil(tasks / COMPANIES),
  }));
  writeFileSync(spec, JSON.stringify({ companies, auditRows: Math.min(SEEDED_EVENTS, tasks) }));
  execFileSync(process.execPath, ['bench/seed.ts'], {
    cwd: code,
    env: { ...settings, BENCH_SPEC: spec, BENCH_MANIFEST: manifest },
  });
  const seeded = JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, Company>;
  return companies.flatMap(({ id }) => seeded[id] ?? []);
}

/** Compares the schema with that of an empty start of a version. */
async function checkSchema(
  run: RunSql,
  serverUrl: string,
  { folder, version }: InstalledVersion,
  serviceUrl: string,
): Promise<Check> {
  const scratch = await createScratchDatabase(serverUrl);
  try {
    const settings = { DATABASE_URL: scratch.serviceUrl, MIGRATION_DATABASE_URL: scratch.url };
    await stopServiceProcess(await startService(settings, undefined, folder));
    const withoutRole = (schema: string[], url: string) =>
      schema.map((object) => object.replaceAll(new URL(url).username, 'service_role')).toSorted();
    const upgraded = withoutRole(await readSchema(run), serviceUrl);
    const empty = withoutRole(await withClient(scratch.url, (client) => readSchema(sqlOn(client))), scratch.serviceUrl);
    const differences = [
      ...upgraded.filter((object) => !empty.includes(object)),
      ...empty.filter((object) => !upgraded.includes(object)),
    ];
    return {
      name: `objects of the schema that differ from an empty start of ${version}`,
      result: [`${differences.length} of ${empty.length}`, ...differences.slice(0, 5)].join('; '),
      isMet: differences.length === 0,
    };
  } finally {
    await scratch.drop();
  }
}
