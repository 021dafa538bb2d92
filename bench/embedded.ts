import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { openPglite } from '../database/pglite/open.ts';
import { EmbeddedServer } from '../database/pglite/server.ts';
import { generateRawKey } from '../entities/api-key/raw-key.ts';
import { SCOPES } from '../entities/api-key/scope.ts';
import { databaseDir, recordPreparation } from '../server/config/data-dir.ts';
import { insertEvents, insertTasksAndVendors, passesOf } from './growth/rows.ts';
import { FIRST_FRAMEWORK_ID, insertCompanies, insertKeys, insertMembers } from './seed-rows.ts';
import { startBenchService } from './service.ts';

// What the embedded database takes with many tasks: npm run bench:embedded -- --tasks 10000,100000 [postgresql://…]. Fills a database with
// one company, two events for each task. With the URL of an empty database, which the last size fills, it also measures `database copy`.

const { values, positionals } = parseArgs({
  options: { tasks: { type: 'string', default: '10000,100000,500000' } },
  allowPositionals: true,
});
const READS = 15;
const SEAL_BATCH = 1000;
const MIB = 1024 * 1024;

/** Fills a new DATA_DIR. @returns the key of the company */
async function fill(dataDir: string, tasks: number): Promise<string> {
  const folder = databaseDir(dataDir);
  const database = await openPglite(folder);
  await database.migrate();
  await database.close();
  await recordPreparation(dataDir);
  const server = new EmbeddedServer(folder);
  const client = new Client({ stream: server.stream, user: 'postgres', database: 'postgres' });
  await client.connect();
  await client.query('reset role');
  await client.query('set session_replication_role = replica');
  const key = generateRawKey();
  await insertCompanies(client, ['Company']);
  await insertKeys(client, [{ no: 1, name: 'key', key, enabled: true, expiresAt: null }]);
  await client.query('update api_key set scopes = $1', [SCOPES]);
  await insertMembers(client, 1);
  const size = { companies: 1, tasks, events: 2 * tasks, largest: 1 };
  for (const pass of passesOf(size, tasks)) await insertTasksAndVendors(client, pass);
  for (const pass of passesOf(size, size.events)) await insertEvents(client, pass);
  await client.query(
    `insert into task_count (company_id, framework_id, slot, tasks, todo)
     select company_id, framework_id, 0, count(*), count(*) from task group by 1, 2`,
  );
  await client.query('analyze');
  for (let sealed = SEAL_BATCH; sealed === SEAL_BATCH;) {
    const { rows } = await client.query<{ sealed: number }>('select seal_audit_log(1, $1)::int as sealed', [
      SEAL_BATCH,
    ]);
    sealed = rows[0]?.sealed ?? 0;
  }
  await client.query(`update audit_watermark set watermark = (select max(id) from audit_event),
    candidate = (select max(id) from audit_event)`);
  await client.query(
    'insert into inbox_reader (company_id, position) select company_id, max(seq) from audit_seal group by 1',
  );
  await client.query(
    `select setval(s, 1000000) from unnest(array['company_id_seq', 'framework_id_seq', 'department_id_seq']) s`,
  );
  await client.query('vacuum (analyze, freeze)');
  await client.query('checkpoint');
  await client.end();
  await server.close();
  return key;
}

async function sizeMiB(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0) / MIB;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return Math.round(performance.now() - startedAt);
}

/** Milliseconds of some requests one after the other: the median and the longest. A request that takes too long is 503. */
async function read(url: string, key: string): Promise<{ median: number; longest: number; failed: number }> {
  const waits: number[] = [];
  let failed = 0;
  for (let count = 0; count < READS; count += 1)
    waits.push(
      await timed(async () => {
        const response = await fetch(url, { headers: { 'X-API-Key': key } });
        await response.arrayBuffer();
        if (response.status !== 200) failed += 1;
      }),
    );
  const sorted = waits.toSorted((one, other) => one - other);
  return { median: sorted[Math.floor(READS / 2)] ?? 0, longest: sorted.at(-1) ?? 0, failed };
}

async function copyTo(url: string, dataDir: string): Promise<void> {
  const command = ['-u', 'DATABASE_URL', `DATA_DIR=${dataDir}`, process.execPath, 'cli/manage.ts'];
  const copy = spawn('env', [...command, 'database', 'copy', '--to', url], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code]: unknown[] = await once(copy, 'exit');
  if (code !== 0) throw new Error(`database copy: exit status ${String(code)}`);
}

const sizes = values.tasks.split(',').map(Number);
for (const tasks of sizes) {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-embedded-'));
  const result: Record<string, unknown> = { tasks, events: 2 * tasks };
  const note = (name: string, value: unknown) => (result[name] = value);
  let key = '';
  note('fillMs', await timed(async () => (key = await fill(dataDir, tasks))));
  note('diskMiB', Math.round(await sizeMiB(dataDir)));
  const startedAt = performance.now();
  const service = await startBenchService(undefined, { DATA_DIR: dataDir });
  note('startMs', Math.round(performance.now() - startedAt));
  const list = `${service.url}/external/task/framework/${FIRST_FRAMEWORK_ID + 1}/list?limit=50`;
  note('list', await read(list, key));
  note('listWithQ', await read(`${list}&q=${encodeURIComponent(`rights ${tasks - 7}`)}`, key));
  note('residentMiB', Math.round(await service.residentMiB()));
  note('backupMs', await timed(() => service.backUp()));
  note('residentAfterBackupMiB', Math.round(await service.residentMiB()));
  await service.stop();
  const [target] = positionals;
  if (target !== undefined && tasks === sizes.at(-1)) note('copyMs', await timed(() => copyTo(target, dataDir)));
  process.stdout.write(`${JSON.stringify(result)}\n`);
  await rm(dataDir, { recursive: true, force: true });
}
