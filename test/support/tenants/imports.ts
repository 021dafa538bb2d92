import { ImportRunner } from '../../../procedures/import/job.ts';
import { database } from '../database/database.ts';
import { http } from '../http/server.ts';
import type { HttpResponse } from '../http/server.ts';
import type { TestCompany } from './company.ts';

/** An import as the API shows it. */
export interface ImportItem {
  uniqueId: string;
  state: string;
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  skipped: number;
  warnings: number;
  deleted: number;
  undoneBy: string | null;
  reason: string | null;
  errors: { row: number; line: number; field: string | null; value: string | null; error: string }[];
}

export const VENDORS = '/external/smart-inventory/vendor';
export const tasksOf = ({ framework }: Pick<TestCompany, 'framework'>) => `/external/task/framework/${framework}`;

const CSV_HEADERS = { 'Content-Type': 'text/csv' };
export const NDJSON_HEADERS = { 'Content-Type': 'application/x-ndjson' };

/** Uploads a file. A list of objects is sent as NDJSON. */
export const upload = (
  key: string,
  path: string,
  file: string | Buffer | object[],
  headers: Record<string, string> = {},
): Promise<HttpResponse> =>
  http('POST', path, {
    key,
    body: Array.isArray(file) ? file.map((row) => `${JSON.stringify(row)}\n`).join('') : file,
    headers: { ...(Array.isArray(file) ? NDJSON_HEADERS : CSV_HEADERS), ...headers },
  });

/** Runs all queued imports of a company until none is left. On a shared database the runner of another test may run a slice. */
export async function runImports({ id }: Pick<TestCompany, 'id'>): Promise<void> {
  const runner = new ImportRunner(database);
  while ((await runner.runSlice(id)) || (await runner.companies()).includes(id));
}

export async function readImport(key: string, accepted: HttpResponse): Promise<ImportItem> {
  const response = await http('GET', String(accepted.headers.location), { key });
  return response.body as ImportItem;
}

/** Uploads a file, runs the import and returns it. */
export async function importFile(
  company: Pick<TestCompany, 'id' | 'key'>,
  path: string,
  file: string | Buffer | object[],
): Promise<ImportItem> {
  const accepted = await upload(company.key, path, file);
  if (accepted.status !== 202) throw new Error(`${accepted.status} ${accepted.text}`);
  await runImports(company);
  return readImport(company.key, accepted);
}

/** Downloads a list as a file. */
export const download = (key: string, path: string, accept: string): Promise<HttpResponse> =>
  http('GET', path, { key, headers: { Accept: accept } });
