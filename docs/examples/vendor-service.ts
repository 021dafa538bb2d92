// Requests of two-way-sync.ts: vendors by external id, and the change feed.
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';

const { SERVER = 'http://127.0.0.1:3000', API_KEY = '', SOURCE = 'csv' } = process.env;
const VENDORS = '/external/smart-inventory/vendor';
const MAX_ATTEMPTS = 30; // for each request, at most ten seconds apart unless the server sends Retry-After

export const Fields = z.object({ name: z.string(), description: z.string(), status: z.string() });
export type Fields = z.infer<typeof Fields>;
const Vendor = Fields.extend({
  uniqueId: z.string(),
  externalIds: z.array(z.object({ source: z.string(), externalId: z.string() })),
});
/** A vendor as both sides last had it. */
export const Base = Fields.extend({ uniqueId: z.string(), etag: z.string() });
export type Base = z.infer<typeof Base>;
const Change = z.object({ resource: z.object({ type: z.string(), uniqueId: z.string() }) });
const Feed = z.object({ items: z.array(Change), cursor: z.string(), more: z.boolean() });

/** Sends a request and retries temporary errors. Every request of this program is safe to repeat. */
async function send(method: string, path: string, headers: Record<string, string> = {}, body?: object) {
  for (let attempt = 1; ; attempt++) {
    let delayMs = Math.min(50 * 2 ** attempt, 10_000) * Math.random();
    try {
      const response = await fetch(SERVER + path, {
        method,
        headers: { 'X-API-Key': API_KEY, ...(body && { 'Content-Type': 'application/json' }), ...headers },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(40_000),
      });
      const text = await response.text(); // the connection may break here, too
      if (![429, 502, 503, 504].includes(response.status))
        return { status: response.status, headers: response.headers, text };
      delayMs += 1000 * Number(response.headers.get('Retry-After') ?? 0);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error; // no response
    }
    if (attempt === MAX_ATTEMPTS) throw new Error(`${method} ${path}: no success after ${MAX_ATTEMPTS} attempts`);
    await wait(delayMs);
  }
}
type HttpResponse = Awaited<ReturnType<typeof send>>;

function expectStatus({ status, text }: HttpResponse, ...expected: number[]): void {
  if (!expected.includes(status)) throw new Error(`unexpected status ${status}: ${text}`);
}

const byId = (id: string) => `${VENDORS}/by/${SOURCE}/${encodeURIComponent(id)}`;
export const fieldsOf = ({ name, description, status }: Fields): Fields => ({ name, description, status });
export const isEqual = (one: Fields | undefined, other: Fields | undefined) =>
  JSON.stringify(one && fieldsOf(one)) === JSON.stringify(other && fieldsOf(other));

function toBase({ headers, text }: HttpResponse): Base {
  const vendor = Vendor.parse(JSON.parse(text));
  return { ...fieldsOf(vendor), uniqueId: vendor.uniqueId, etag: headers.get('ETag') ?? '' };
}

export async function readVendor(id: string): Promise<Base | undefined> {
  const response = await send('GET', byId(id));
  expectStatus(response, 200, 404);
  return response.status === 404 ? undefined : toBase(response);
}

/** Reads the events after a cursor. @returns the vendors that changed; undefined if the server was restored to a time before the cursor */
export async function readChanges(start: string, waitSeconds: number) {
  const changed = new Set<string>();
  for (let cursor = start, more = true; ;) {
    const response = await send('GET', `/external/changes?limit=500&wait=${waitSeconds}&cursor=${cursor}`);
    if (response.status === 410) return undefined;
    expectStatus(response, 200);
    const page = Feed.parse(JSON.parse(response.text));
    for (const { resource } of page.items) if (resource.type === 'vendor') changed.add(resource.uniqueId);
    ({ cursor, more } = page);
    if (!more) return { cursor, changed };
  }
}

/** Reads everything. The cursor comes first, so that the feed has every change that the list misses. */
export async function readEverything() {
  const response = await send('GET', '/external/changes?from=now');
  expectStatus(response, 200);
  const { cursor } = Feed.parse(JSON.parse(response.text));
  const changed = new Set<string>();
  for (let path: string | undefined = `${VENDORS}/list?limit=500`; path !== undefined;) {
    const page: HttpResponse = await send('GET', path);
    expectStatus(page, 200);
    for (const { uniqueId } of z.array(z.object({ uniqueId: z.string() })).parse(JSON.parse(page.text)))
      changed.add(uniqueId);
    path = /<([^>]+)>; rel="next"/.exec(page.headers.get('Link') ?? '')?.[1];
  }
  return { cursor, changed };
}

/** Returns the external id of a vendor, and gives it one if it has none. @returns undefined if the vendor was deleted */
export async function findId(uniqueId: string): Promise<string | undefined> {
  const found = await send('GET', `${VENDORS}/${uniqueId}/item`);
  expectStatus(found, 200, 404);
  if (found.status === 404) return undefined;
  const { externalIds } = Vendor.parse(JSON.parse(found.text));
  const existing = externalIds.find(({ source }) => source === SOURCE);
  if (existing !== undefined) return existing.externalId;
  const linked = await send('POST', `${VENDORS}/${uniqueId}/link`, {}, { source: SOURCE, externalId: uniqueId });
  expectStatus(linked, 200, 404);
  return linked.status === 200 ? uniqueId : undefined;
}

/**
 * Writes a row to the service, or deletes its vendor. The condition protects a change that this program has not seen.
 * @returns the vendor, which the server may have cleaned; undefined after a deletion; 'changed' if the condition failed
 * @throws InvalidRow if the server rejects the fields
 */
export async function writeVendor(
  id: string,
  row: Fields | undefined,
  expected: Base | undefined,
): Promise<Base | undefined | 'changed'> {
  const condition: Record<string, string> = expected ? { 'If-Match': expected.etag } : { 'If-None-Match': '*' };
  const response =
    row === undefined
      ? await send('DELETE', byId(id), condition)
      : await send('PUT', `${byId(id)}?recreate=true`, condition, fieldsOf(row));
  if (response.status === 400) throw new InvalidRow(`${id}: ${response.text}`);
  expectStatus(response, 200, 201, 204, 404, 412);
  if (response.status === 412) return 'changed';
  return response.status === 200 || response.status === 201 ? toBase(response) : undefined;
}
export class InvalidRow extends Error {}
