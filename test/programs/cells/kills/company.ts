import { takeCheckpoints } from '../../failover/checks/chains.ts';
import type { Checkpoint } from '../../failover/checks/chains.ts';
import { callManagement, sendRequest } from '../../../support/http/client.ts';

export const VENDORS = '/external/smart-inventory/vendor';
const SCOPES = ['vendor:read', 'vendor:write', 'evidence:read', 'evidence:write', 'audit:read'];
/** Bytes of the file at least, so that it has several chunks, and a kill may leave some of them. */
const FILE_BYTES = 2_000_000;
const PASSWORD = 'correct horse battery staple';

/** A company with one of each kind of what a move copies: rows, a file, a person. */
export interface SmallCompany {
  id: number;
  key: string;
  file: { path: string; text: string };
  checkpoint: Checkpoint;
}

/** Creates a company with a vendor, which has a file, and with a member who has a password. @param name unique */
export async function createSmallCompany(url: string, name: string): Promise<SmallCompany> {
  const { id } = await callManagement<{ id: number }>(url, 'company.create', { name });
  const { key } = await callManagement<{ key: string }>(url, 'apiKey.create', { name, scopes: SCOPES }, id);
  const vendor = idOf(await post(url, `${VENDORS}/new`, { key, body: { name } }));
  const text = `Report of ${name}. `.repeat(FILE_BYTES / 50);
  const upload = { key, body: Buffer.from(text), type: 'text/plain' };
  const evidence = idOf(await post(url, `${VENDORS}/${vendor}/evidence/new?name=Report`, upload));
  const email = `${id}@example.com`;
  const { link } = await callManagement<{ link: string }>(url, 'member.invite', { email, role: 'admin' }, id);
  await post(url, '/session/invitation', { body: { token: link.split('/').at(-1), name, password: PASSWORD } });
  const [checkpoint] = await takeCheckpoints(url, [{ key }]);
  if (checkpoint === undefined) throw new Error('expected a checkpoint');
  return { id, key, file: { path: `/external/evidence/${evidence}/content`, text }, checkpoint };
}

const idOf = (text: string): string => (JSON.parse(text) as { uniqueId: string }).uniqueId;

/** @returns the body of the response @throws Error unless it is 2xx */
async function post(
  url: string,
  path: string,
  { key, body, type = 'application/json' }: { key?: string; body: unknown; type?: string },
): Promise<string> {
  const headers = { 'Content-Type': type, ...(key === undefined ? { Origin: url } : { 'X-API-Key': key }) };
  const { status, text } = await sendRequest(`${url}${path}`, { method: 'POST', headers, body });
  if (status < 200 || status >= 300) throw new Error(`${path}: ${status} ${text}`);
  return text;
}

/** Reads the file of a company with its key. */
export async function readFile(url: string, { key, file }: SmallCompany): Promise<string> {
  const { text } = await sendRequest(`${url}${file.path}`, { method: 'GET', headers: { 'X-API-Key': key } });
  return text;
}
