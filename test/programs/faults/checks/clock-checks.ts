import { setTimeout as wait } from 'node:timers/promises';
import { sendRequest, callManagement } from '../../../support/http/client.ts';
import { until } from '../../../support/servers/until.ts';
import { createTargetCompany } from '../workload/load.ts';
import type { Company } from '../workload/requests.ts';

type ReportFinding = (text: string) => void;

const getExternal = (url: string, path: string, key: string) =>
  sendRequest(`${url}/external${path}`, { method: 'GET', headers: { 'X-API-Key': key } });

/** Maximum time until a process reads its new clock. */
const CLOCK_JUMP_TIMEOUT_MS = 15_000;

/** Resolves when the `Date` header of the service has the offset from the real time. */
export async function waitForClock(url: string, offsetSeconds: number): Promise<void> {
  const hasOffset = async () => {
    const { headers } = await sendRequest(`${url}/healthz`, { method: 'GET' });
    return Math.abs(Date.parse(headers.date ?? '') - Date.now() - offsetSeconds * 1000) < 3000;
  };
  await until(hasOffset, `a clock ${offsetSeconds} s ahead of the real time`, CLOCK_JUMP_TIMEOUT_MS);
}

/** Lifetime of a key: long enough to create and use it on a slow machine. */
const KEY_LIFETIME_MS = 5000;

/** Checks that a key works until it expires by the service's clock, and not afterwards. */
export async function checkKeyExpiry(
  url: string,
  { id, framework }: Company,
  offsetSeconds: number,
  report: ReportFinding,
): Promise<void> {
  const now = Date.now() + offsetSeconds * 1000;
  const expiresAt = new Date(now + KEY_LIFETIME_MS).toISOString();
  const { key } = await callManagement<{ key: string }>(url, 'apiKey.create', { name: 'Brief', expiresAt }, id);
  const path = `/task/framework/${framework}/list`;
  const before = await getExternal(url, path, key);
  if (before.status !== 200) report(`a key that has not expired gets ${before.status}, ${offsetSeconds} s ahead`);
  await wait(KEY_LIFETIME_MS + 200);
  const after = await getExternal(url, path, key);
  if (after.headers['x-error-code'] !== 'key_expired')
    report(`an expired key gets ${after.status}, ${offsetSeconds} s ahead`);
}

const TASK_COUNT = 40;
const PAGE_SIZE = 10;

/** Reads a list page by page while the clock jumps. Each task must be listed once. */
export async function startPaging(url: string) {
  const { key, framework } = await createTargetCompany(url);
  for (let count = 0; count < TASK_COUNT; count++)
    await sendRequest(`${url}/external/task/framework/${framework}/new`, {
      method: 'POST',
      headers: { 'X-API-Key': key },
      body: { title: `Task ${count}` },
    });
  const seen = new Set<string>();
  let cursor: string | null = null;
  const next = async (report: ReportFinding) => {
    const cursorParameter = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const response = await getExternal(
      url,
      `/task/framework/${framework}/list?limit=${PAGE_SIZE}${cursorParameter}`,
      key,
    );
    if (response.status !== 200) {
      report(`a page with a cursor gets ${response.status} after a jump`);
      return;
    }
    const page = JSON.parse(response.text) as { items: { uniqueId: string }[]; nextCursor: string | null };
    for (const { uniqueId } of page.items) {
      if (seen.has(uniqueId)) report(`task ${uniqueId} is listed twice`);
      seen.add(uniqueId);
    }
    cursor = page.nextCursor;
  };
  const end = async (report: ReportFinding) => {
    // oxlint-disable-next-line eslint/no-unmodified-loop-condition -- next() changes it
    while (cursor !== null && seen.size < TASK_COUNT) await next(report);
    if (seen.size !== TASK_COUNT) report(`${seen.size} of ${TASK_COUNT} tasks are listed`);
  };
  return { next, end };
}

/** Updates a task while the clock jumps. Its history must list all changes, newest first. */
export async function startUpdating(url: string) {
  const { key, framework } = await createTargetCompany(url);
  const send = (method: string, path: string, body: object) =>
    sendRequest(`${url}/external/task/${path}`, { method, headers: { 'X-API-Key': key }, body });
  const created = await send('POST', `framework/${framework}/new`, { title: 'Change 0' });
  const { uniqueId } = JSON.parse(created.text) as { uniqueId: string };
  let changes = 0;
  const next = async (report: ReportFinding) => {
    const { status } = await send('PATCH', `${uniqueId}/edit`, { title: `Change ${(changes += 1)}` });
    if (status !== 200) report(`an update gets ${status} after a jump`);
  };
  const end = async (report: ReportFinding) => {
    const { text } = await getExternal(url, `/task/${uniqueId}/history`, key);
    const { items } = JSON.parse(text) as { items: { changes: { title?: { to?: string } } }[] };
    const order = items.map(({ changes: { title } }) => title?.to ?? 'Change 0');
    const expected = Array.from({ length: changes + 1 }, (_, index) => `Change ${changes - index}`);
    if (order.join() !== expected.join()) report(`the history of a task is ${order.join(', ')}`);
  };
  return { next, end };
}
