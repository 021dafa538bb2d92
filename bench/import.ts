import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { startBenchService } from './service.ts';

// Rows per second and memory of an import: npm run bench:import -- [rows] [postgresql://…]. Each run takes at most two minutes;
// a longer import is canceled, and its speed until then is shown. Without a URL it uses the embedded database.

const MAX_RUN_MS = 110_000;
const [rows = '100000', databaseUrl] = process.argv.slice(2);
const { url, manage, residentMiB, stop } = await startBenchService(databaseUrl);

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
  await stop();
}
