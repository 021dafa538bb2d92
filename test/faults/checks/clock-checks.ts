import { setTimeout as wait } from 'node:timers/promises';
import { sendRequest, callManagement } from '../workload/http-client.ts';
import { createTargetCompany } from '../workload/load.ts';
import type { Company } from '../workload/load.ts';
import { OPERATOR_TOKEN } from '../environment/service.ts';

type ReportFinding = (text: string) => void;

const getExternal = (url: string, path: string, key: string) =>
  sendRequest(`${url}/external${path}`, { method: 'GET', headers: { 'X-API-Key': key } });

/** Milliseconds in which a process sees that its clock has jumped. */
const CLOCK_JUMP_TIMEOUT_MS = 15_000;

/** Resolves when the clock of the service, as its answers tell it, is so many seconds ahead. */
export async function waitForClock(url: string, offsetSeconds: number): Promise<void> {
  const end = performance.now() + CLOCK_JUMP_TIMEOUT_MS;
  while (performance.now() < end) {
    const { headers } = await sendRequest(`${url}/healthz`, { method: 'GET' });
    if (Math.abs(Date.parse(headers.date ?? '') - Date.now() - offsetSeconds * 1000) < 3000) return;
    await wait(50);
  }
  throw new Error(`the clock of the service is not ${offsetSeconds} s ahead`);
}

/** Milliseconds that a key lives: longer than it takes to make and use one where everything is slow. */
const KEY_LIFETIME_MS = 5000;

/** A key that ends in a moment of the service's clock works until then, and not after. */
export async function checkKeyExpiry(
  url: string,
  { id, framework }: Company,
  offsetSeconds: number,
  report: ReportFinding,
): Promise<void> {
  const now = Date.now() + offsetSeconds * 1000;
  const expiresAt = new Date(now + KEY_LIFETIME_MS).toISOString();
  const { key } = await callManagement<{ key: string }>(
    url,
    OPERATOR_TOKEN,
    'apiKey.create',
    { name: 'Brief', expiresAt },
    id,
  );
  const path = `/task/framework/${framework}/list`;
  const before = await getExternal(url, path, key);
  if (before.status !== 200) report(`a key that has not ended is answered ${before.status}, ${offsetSeconds} s ahead`);
  await wait(KEY_LIFETIME_MS + 200);
  const after = await getExternal(url, path, key);
  if (after.headers['x-error-code'] !== 'key_expired')
    report(`a key that has ended is answered ${after.status}, ${offsetSeconds} s ahead`);
}

const TASK_COUNT = 40;
const PAGE_SIZE = 10;

/** Begins to read a list page by page: whatever the clock does meanwhile, each task comes once. */
export async function startPaging(url: string) {
  const { key, framework } = await createTargetCompany(url, OPERATOR_TOKEN);
  for (let made = 0; made < TASK_COUNT; made++)
    await sendRequest(`${url}/external/task/framework/${framework}/new`, {
      method: 'POST',
      headers: { 'X-API-Key': key },
      body: { title: `Task ${made}` },
    });
  const seen = new Set<string>();
  let cursor: string | null = null;
  const next = async (found: ReportFinding) => {
    const cursorParameter = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const response = await getExternal(
      url,
      `/task/framework/${framework}/list?limit=${PAGE_SIZE}${cursorParameter}`,
      key,
    );
    if (response.status !== 200) {
      found(`a cursor is answered ${response.status} after a jump`);
      return;
    }
    const page = JSON.parse(response.text) as { items: { uniqueId: string }[]; nextCursor: string | null };
    for (const { uniqueId } of page.items) {
      if (seen.has(uniqueId)) found(`task ${uniqueId} is listed twice`);
      seen.add(uniqueId);
    }
    cursor = page.nextCursor;
  };
  const end = async (found: ReportFinding) => {
    // oxlint-disable-next-line eslint/no-unmodified-loop-condition -- each page moves it
    while (cursor !== null && seen.size < TASK_COUNT) await next(found);
    if (seen.size !== TASK_COUNT) found(`${seen.size} of ${TASK_COUNT} tasks are listed`);
  };
  return { next, end };
}

/** Changes a task at each call; at the end its history has all changes, the last one first. */
export async function startUpdating(url: string) {
  const { key, framework } = await createTargetCompany(url, OPERATOR_TOKEN);
  const send = (method: string, path: string, body: object) =>
    sendRequest(`${url}/external/task/${path}`, { method, headers: { 'X-API-Key': key }, body });
  const made = await send('POST', `framework/${framework}/new`, { title: 'Change 0' });
  const { uniqueId } = JSON.parse(made.text) as { uniqueId: string };
  let changes = 0;
  const next = async (found: ReportFinding) => {
    const { status } = await send('PATCH', `${uniqueId}/edit`, { title: `Change ${(changes += 1)}` });
    if (status !== 200) found(`a change is answered ${status} after a jump`);
  };
  const end = async (found: ReportFinding) => {
    const { text } = await getExternal(url, `/task/${uniqueId}/history`, key);
    const { items } = JSON.parse(text) as { items: { changes: { title?: { to?: string } } }[] };
    const order = items.map(({ changes: { title } }) => title?.to ?? 'Change 0');
    const expected = Array.from({ length: changes + 1 }, (_, no) => `Change ${changes - no}`);
    if (order.join() !== expected.join()) found(`the history of a task reads ${order.join(', ')}`);
  };
  return { next, end };
}
