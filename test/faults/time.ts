import { setTimeout as wait } from 'node:timers/promises';
import { ask, manage } from './stage/ask.ts';
import { foundCompany } from './stage/load.ts';
import type { Company } from './stage/load.ts';
import { OPERATOR_TOKEN } from './stage/service.ts';

type Found = (text: string) => void;

const get = (url: string, path: string, key: string) =>
  ask(`${url}/external${path}`, { method: 'GET', headers: { 'X-API-Key': key } });

/** Milliseconds in which a process sees that its clock has jumped. */
const SEEN = 15_000;

/** Resolves when the clock of the service, as its answers tell it, is so many seconds ahead. */
export async function clockSeen(url: string, ahead: number): Promise<void> {
  const end = performance.now() + SEEN;
  while (performance.now() < end) {
    const { headers } = await ask(`${url}/healthz`, { method: 'GET' });
    if (Math.abs(Date.parse(headers.date ?? '') - Date.now() - ahead * 1000) < 3000) return;
    await wait(50);
  }
  throw new Error(`the clock of the service is not ${ahead} s ahead`);
}

/** Milliseconds that a key lives: longer than it takes to make and use one where everything is slow. */
const LIFE = 5000;

/** A key that ends in a moment of the service's clock works until then, and not after. */
export async function checkExpiry(url: string, { id, framework }: Company, ahead: number, found: Found): Promise<void> {
  const now = Date.now() + ahead * 1000;
  const expiresAt = new Date(now + LIFE).toISOString();
  const { key } = await manage<{ key: string }>(url, OPERATOR_TOKEN, 'apiKey.create', { name: 'Brief', expiresAt }, id);
  const path = `/task/framework/${framework}/list`;
  const before = await get(url, path, key);
  if (before.status !== 200) found(`a key that has not ended is answered ${before.status}, ${ahead} s ahead`);
  await wait(LIFE + 200);
  const after = await get(url, path, key);
  if (after.headers['x-error-code'] !== 'key_expired')
    found(`a key that has ended is answered ${after.status}, ${ahead} s ahead`);
}

const TASKS = 40;
const PAGE = 10;

/** Begins to read a list page by page: whatever the clock does meanwhile, each task comes once. */
export async function startReading(url: string) {
  const { key, framework } = await foundCompany(url, OPERATOR_TOKEN);
  for (let made = 0; made < TASKS; made++)
    await ask(`${url}/external/task/framework/${framework}/new`, {
      method: 'POST',
      headers: { 'X-API-Key': key },
      body: { title: `Task ${made}` },
    });
  const seen = new Set<string>();
  let cursor: string | null = null;
  const next = async (found: Found) => {
    const place = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await get(url, `/task/framework/${framework}/list?limit=${PAGE}${place}`, key);
    if (answer.status !== 200) {
      found(`a cursor is answered ${answer.status} after a jump`);
      return;
    }
    const page = JSON.parse(answer.text) as { items: { uniqueId: string }[]; nextCursor: string | null };
    for (const { uniqueId } of page.items) {
      if (seen.has(uniqueId)) found(`task ${uniqueId} is listed twice`);
      seen.add(uniqueId);
    }
    cursor = page.nextCursor;
  };
  const end = async (found: Found) => {
    // oxlint-disable-next-line eslint/no-unmodified-loop-condition -- each page moves it
    while (cursor !== null && seen.size < TASKS) await next(found);
    if (seen.size !== TASKS) found(`${seen.size} of ${TASKS} tasks are listed`);
  };
  return { next, end };
}

/** Changes a task at each call; at the end its history has all changes, the last one first. */
export async function startChanging(url: string) {
  const { key, framework } = await foundCompany(url, OPERATOR_TOKEN);
  const send = (method: string, path: string, body: object) =>
    ask(`${url}/external/task/${path}`, { method, headers: { 'X-API-Key': key }, body });
  const made = await send('POST', `framework/${framework}/new`, { title: 'Change 0' });
  const { uniqueId } = JSON.parse(made.text) as { uniqueId: string };
  let changes = 0;
  const next = async (found: Found) => {
    const { status } = await send('PATCH', `${uniqueId}/edit`, { title: `Change ${(changes += 1)}` });
    if (status !== 200) found(`a change is answered ${status} after a jump`);
  };
  const end = async (found: Found) => {
    const { text } = await get(url, `/task/${uniqueId}/history`, key);
    const { items } = JSON.parse(text) as { items: { changes: { title?: { to?: string } } }[] };
    const order = items.map(({ changes: { title } }) => title?.to ?? 'Change 0');
    const expected = Array.from({ length: changes + 1 }, (_, no) => `Change ${changes - no}`);
    if (order.join() !== expected.join()) found(`the history of a task reads ${order.join(', ')}`);
  };
  return { next, end };
}
