// Keeps the vendors of a company equal to a CSV file with the columns name, description and active:
//   SERVER=http://127.0.0.1:3000 API_KEY=svc_sk_live_… npm exec -- node docs/examples/vendor-sync.ts vendors.csv
// The name identifies a vendor. Vendors that the file does not contain are deleted. The program can be killed at any point;
// the next run completes the work without duplicates.
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';

const { SERVER = 'http://127.0.0.1:3000', API_KEY = '' } = process.env;
const VENDORS = '/external/smart-inventory/vendor';
const MAX_ATTEMPTS = 30; // for each request, at most ten seconds apart unless the server sends Retry-After

const Row = z.object({
  name: z.string().trim().min(1).max(255),
  description: z.string().max(20_000),
  active: z.enum(['true', 'false']).transform((text) => text === 'true'),
});
type Row = z.infer<typeof Row>;
const Vendor = z.object({ uniqueId: z.string(), name: z.string(), description: z.string(), active: z.boolean() });
const VendorList = z.array(z.object({ uniqueId: z.string(), name: z.string() }));

/** Sends a request and retries temporary errors. Every request of this program is safe to retry. */
async function sendRequest(method: string, path: string, headers: Record<string, string> = {}, body?: object) {
  for (let attempt = 1; ; attempt++) {
    let delayMs = Math.min(50 * 2 ** attempt, 10_000) * Math.random();
    try {
      const response = await fetch(SERVER + path, {
        method,
        headers: { 'X-API-Key': API_KEY, ...(body && { 'Content-Type': 'application/json' }), ...headers },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(20_000),
      });
      const isRetryable =
        [429, 502, 503, 504].includes(response.status) ||
        (response.status === 409 && response.headers.get('X-Error-Code') === 'idempotency_conflict');
      const text = await response.text(); // the connection may break here, too
      if (!isRetryable) return { status: response.status, headers: response.headers, text };
      delayMs += 1000 * Number(response.headers.get('Retry-After') ?? 0);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error; // no response
    }
    if (attempt === MAX_ATTEMPTS) throw new Error(`${method} ${path}: no success after ${MAX_ATTEMPTS} attempts`);
    await wait(delayMs);
  }
}
type HttpResponse = Awaited<ReturnType<typeof sendRequest>>;

function expectStatus({ status, text }: HttpResponse, ...expected: number[]): void {
  if (!expected.includes(status)) throw new Error(`unexpected status ${status}: ${text}`);
}

async function listVendors() {
  const vendors = new Map<string, string>(); // by id, because a vendor that is renamed meanwhile may appear twice
  for (let path: string | undefined = `${VENDORS}/list?limit=50`; path !== undefined;) {
    const response: HttpResponse = await sendRequest('GET', path);
    expectStatus(response, 200);
    for (const { uniqueId, name } of VendorList.parse(JSON.parse(response.text))) vendors.set(uniqueId, name);
    path = /<([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1];
  }
  return vendors;
}

/**
 * Creates the vendor of a row once. The idempotency key is a hash of the row, so the next run after a kill uses the same key.
 * If the vendor that was created with a key has been deleted since, the next key is used.
 */
async function createVendor(row: Row): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const key = hash('sha256', JSON.stringify(['vendor-sync', row, attempt]));
    const created = await sendRequest('POST', `${VENDORS}/new`, { 'Idempotency-Key': key }, row);
    expectStatus(created, 201);
    if (created.headers.get('Idempotency-Replayed') === null) return;
    const found = await sendRequest('GET', created.headers.get('Location') ?? '');
    expectStatus(found, 200, 404);
    if (found.status === 200 && Vendor.parse(JSON.parse(found.text)).name === row.name) return;
  }
}

/** Updates a vendor to its row without overwriting unseen changes. @returns true if the vendor changed */
async function updateVendor(uniqueId: string, row: Row): Promise<boolean> {
  for (;;) {
    const found = await sendRequest('GET', `${VENDORS}/${uniqueId}/item`);
    expectStatus(found, 200);
    const { description, active } = Vendor.parse(JSON.parse(found.text));
    if (description === row.description && active === row.active) return false;
    const changed = await sendRequest(
      'PATCH',
      `${VENDORS}/${uniqueId}/edit`,
      { 'If-Match': found.headers.get('ETag') ?? '' },
      row,
    );
    expectStatus(changed, 204, 412);
    if (changed.status === 204) return true; // 412: another client changed the vendor, or the response to our own change was lost
  }
}

const [file = 'vendors.csv'] = process.argv.slice(2);
const rows = z
  .array(Row)
  .min(1)
  .parse(parse(await readFile(file), { columns: true, bom: true, skip_empty_lines: true }));
const rowsByName = new Map(rows.map((row) => [row.name, row]));
if (rowsByName.size < rows.length) throw new Error(`${file}: a name occurs more than once`);

const counts = { created: 0, updated: 0, deleted: 0 };
for (const [uniqueId, name] of await listVendors()) {
  const row = rowsByName.get(name);
  if (row === undefined) {
    expectStatus(await sendRequest('DELETE', `${VENDORS}/${uniqueId}/delete`), 204, 404);
    counts.deleted += 1;
  } else if (await updateVendor(uniqueId, row)) counts.updated += 1;
  rowsByName.delete(name); // of several vendors with one name, the first is kept
}
for (const row of rowsByName.values()) {
  await createVendor(row);
  counts.created += 1;
}
process.stdout.write(`created ${counts.created}, changed ${counts.updated}, deleted ${counts.deleted}\n`);
