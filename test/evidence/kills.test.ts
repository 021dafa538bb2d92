import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { ownerUrl } from '../support/database/database.ts';
import { createServiceDatabase, inServiceDatabase, startUntilEnd } from '../support/database/service-database.ts';
import { callManagement, sendRequest, untilServed } from '../support/http/client.ts';
import { startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import type { ServiceProcess } from '../support/servers/service-process.ts';
import { sha256Of } from '../support/storage/evidence-files.ts';
import { verify } from '../support/storage/verify.ts';

const preload = join(import.meta.dirname, '..', 'support', 'database', 'kill-point.ts');

/** Points of an upload, in their order. Between the last two it is committed. After all of them the client gets no response. */
const UPLOAD_POINTS = [
  'before file.start',
  'after file.start',
  // On PostgreSQL the bytes are in chunks, else in a file.
  ...(ownerUrl === undefined ? [] : ['after file-chunk.insert']),
  'before evidence.insert',
  'before file.abandon',
];
/** Points of the removal of bytes that nothing uses any more. */
const REMOVAL_POINTS = ['after file.take-unused', 'before file.delete', 'after file.delete'];

interface Evidence {
  uniqueId: string;
  sha256: string;
}

test('kill -9 at each step of an upload, a deletion and a removal: evidence has its content, and no bytes are left', async () => {
  const settings = await createServiceDatabase();
  let killed = await startUntilEnd(settings, preload);
  // On PostgreSQL a process is killed beside another one. The embedded database is opened again after each kill.
  const survivor = ownerUrl === undefined ? undefined : await startUntilEnd(settings);
  const url = () => (survivor ?? killed).url;
  const { id: company } = await callManagement<{ id: number }>(url(), 'company.create', { name: 'Acme' });
  const newKey = { name: 'Load', scopes: SCOPES };
  const { key } = await callManagement<{ key: string }>(url(), 'apiKey.create', newKey, company);

  const request = (to: string, method: string, path: string, body?: Buffer | object) => {
    const type = body instanceof Buffer ? 'text/plain' : 'application/json';
    return sendRequest(to + path, { method, headers: { 'X-API-Key': key, 'Content-Type': type }, body });
  };
  const send = async (method: string, path: string, body?: Buffer | object) => {
    const { status, text } = await untilServed(() => request(url(), method, path, body));
    expect({ path, status, text }).toMatchObject({ status: expect.toSatisfy((one) => one >= 200 && one < 300) });
    return text;
  };
  const vendor = JSON.parse(await send('POST', '/external/smart-inventory/vendor/new', { name: 'Cloud' })) as Evidence;
  let count = 0;
  const uploadPath = () => `/external/smart-inventory/vendor/${vendor.uniqueId}/evidence/new?name=File-${(count += 1)}`;
  /** SHA-256 of the evidence that must be there. */
  const acknowledged = new Map<string, string>();
  const upload = async (content: Buffer) => {
    const { uniqueId, sha256 } = JSON.parse(await send('POST', uploadPath(), content)) as Evidence;
    acknowledged.set(uniqueId, sha256);
    return uniqueId;
  };

  const exited = async ({ child }: ServiceProcess) => {
    if (child.signalCode === null) await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
  };
  /** Sends a request to the process, which is killed at this point of it. */
  const killAt = async (point: string, method: string, path: string, body?: Buffer) => {
    killed.child.send(point);
    await expect(request(killed.url, method, path, body)).rejects.toThrow(/ECONNRESET|hang up|incomplete/);
    await exited(killed);
  };

  /** Text of two chunks in the database of PostgreSQL. */
  const newContent = () => Buffer.from(randomBytes(600_000).toString('hex'));
  const sent = new Set<string>();
  for (const point of UPLOAD_POINTS) {
    const content = newContent();
    sent.add(sha256Of(content));
    await killAt(point, 'POST', uploadPath(), content);
    killed = await startUntilEnd(settings, preload);
    // The same bytes: those that the killed process left must neither stand in for them, nor take them along when they are removed.
    await upload(content);
  }
  const deletedContent = newContent();
  const deleted = await upload(deletedContent);
  acknowledged.delete(deleted);
  await killAt('after evidence.delete', 'DELETE', `/external/evidence/${deleted}/delete`);

  if (survivor !== undefined) await stopServiceProcess(survivor, 'SIGKILL');
  /** Lets half a minute pass without a sign of life of these files. No process runs. */
  const age = (which: string) =>
    inServiceDatabase(settings, (run) =>
      run(`update file set touched_at = now() - interval '1 minute' where uses = 0 and ${which} returning state`),
    );
  for (const point of REMOVAL_POINTS) {
    expect(await age(`sha256 = '${sha256Of(deletedContent)}'`)).toHaveLength(1);
    await exited(await startServiceProcess({ ...settings, KILL_POINT: point }, preload));
  }
  expect(await age('true')).not.toEqual([]);
  const last = await startUntilEnd(settings);

  const read = async (path: string) => untilServed(() => request(last.url, 'GET', path));
  const present = new Map<string, string>();
  const page = JSON.parse((await read('/external/evidence/list?limit=100')).text) as { items: Evidence[] };
  for (const { uniqueId, sha256 } of page.items) present.set(uniqueId, sha256);
  expect(Object.fromEntries(present)).toMatchObject(Object.fromEntries(acknowledged));
  expect(present.keys()).not.toContain(deleted);
  for (const [uniqueId, sha256] of present) {
    expect(sent).toContain(sha256);
    expect(sha256Of(Buffer.from((await read(`/external/evidence/${uniqueId}/content`)).text))).toBe(sha256);
  }
  // Equal bytes are there once.
  const files = new Set(present.values()).size;
  await expect.poll(() => verify(last.url)).toEqual({ files, problems: [] });
  await stopServiceProcess(last);
  expect(await inServiceDatabase(settings, (run) => run(`select from file where uses = 0`))).toEqual([]);
}, 600_000);
