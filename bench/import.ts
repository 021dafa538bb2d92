import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';

// Rows per second and memory of an import: npm run bench:import -- [rows] [postgresql://…]. Each run takes at most two minutes;
// a longer import is canceled, and its speed until then is shown. Without a URL it uses the embedded database.

const MAX_RUN_MS = 110_000;
const [rows = '100000', databaseUrl] = process.argv.slice(2);
const token = 'operator-token-of-the-benchmark-0123456789';
const dataDir = await mkdtemp(join(tmpdir(), 'bench-import-'));
const settings = [
  'PORT=0',
  'RATE_LIMIT_PER_MINUTE=0',
  'LOG_LEVEL=error',
  `DATA_DIR=${dataDir}`,
  `OPERATOR_TOKEN=${token}`,
];
if (databaseUrl !== undefined) settings.push(`DATABASE_URL=${databaseUrl}`);
const nodeOptions = ['--min-semi-space-size=16', '--max-semi-space-size=16'];
const command = ['MALLOC_ARENA_MAX=2', ...settings, process.execPath, ...nodeOptions, 'server/main.js'];
const service = spawn('env', command, { stdio: ['ignore', 'inherit', 'pipe'] });
const url = await new Promise<string>((resolve, reject) => {
  let text = '';
  service.stderr.on('data', (chunk) => {
    text += String(chunk);
    const found = /http:\/\/[\d.]+:\d+/.exec(text)?.[0];
    if (found !== undefined) resolve(found);
  });
  service.once('exit', () => reject(new Error(text)));
});

/** Calls a management procedure as the operator. */
async function manage<Schema extends z.ZodType>(name: string, input: object, output: Schema, company?: number) {
  const response = await fetch(`${url}/trpc/management.${name}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      ...(company !== undefined && { 'X-Company-Id': String(company) }),
    },
    body: JSON.stringify(input),
  });
  const { result } = z.object({ result: z.object({ data: z.unknown() }) }).parse(await response.json());
  return output.parse(result.data);
}

/** Resident memory of the service in MiB. */
async function residentMiB(): Promise<number> {
  const status = await readFile(`/proc/${service.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

const ImportProgress = z.object({
  state: z.string(),
  rows: z.number(),
  created: z.number(),
  updated: z.number(),
  unchanged: z.number(),
  failed: z.number(),
});

async function importRows(key: string, query: string, body: string): Promise<void> {
  const headers = { 'X-API-Key': key };
  const before = await residentMiB();
  const startedAt = performance.now();
  const accepted = await fetch(`${url}/external/smart-inventory/vendor/import${query}`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'text/csv' },
    body,
  });
  const uploadMs = performance.now() - startedAt;
  const path = url + String(accepted.headers.get('location'));
  let peak = await residentMiB();
  for (;;) {
    await wait(100);
    peak = Math.max(peak, await residentMiB());
    const progress = ImportProgress.parse(await (await fetch(path, { headers })).json());
    const { state, created, updated, unchanged, failed } = progress;
    const done = created + updated + unchanged + failed;
    const ms = performance.now() - startedAt;
    const isRunning = state === 'queued' || state === 'running';
    if (isRunning && ms < MAX_RUN_MS) continue;
    if (isRunning) await fetch(path.replace(/item$/, 'delete'), { method: 'DELETE', headers });
    const figures = {
      query,
      ...progress,
      uploadMs: Math.round(uploadMs),
      seconds: Math.round(ms / 100) / 10,
      rowsPerSecond: Math.round((done / ms) * 1000),
      memoryMiB: { before: Math.round(before), peak: Math.round(peak), growth: Math.round(peak - before) },
    };
    process.stdout.write(`${JSON.stringify(figures)}\n`);
    return;
  }
}

try {
  const { id } = await manage('company.create', { name: 'Bench' }, z.object({ id: z.number() }));
  const { key } = await manage('apiKey.create', { name: 'Bench' }, z.object({ key: z.string() }), id);
  const description = 'x'.repeat(200);
  const lines = Array.from(
    { length: Number(rows) },
    (_, index) => `E${index},Vendor ${index},"${description}, ""quoted"""\r\n`,
  );
  const body = `externalId,name,description\r\n${lines.join('')}`;
  for (const query of ['', '?source=bench', '?source=bench']) await importRows(key, query, body);
} finally {
  service.kill();
  await rm(dataDir, { recursive: true, force: true });
}
