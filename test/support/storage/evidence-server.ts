import { expect } from 'vitest';
import { SCOPES } from '../../../entities/api-key/scope.ts';
import { startApp } from '../http/app.ts';
import { http } from '../http/server.ts';
import { createCompany } from '../tenants/company.ts';
import type { TestCompany } from '../tenants/company.ts';
import { services } from '../tenants/member.ts';
import { fileRows, openTestStorage, receivedFiles } from './evidence-files.ts';
import { storedIds } from './files.ts';

/** Creates a key with these permissions, by default all. */
export async function createFileKey(
  { manage }: Pick<TestCompany, 'manage'>,
  { frameworks, scopes = SCOPES }: { scopes?: readonly (typeof SCOPES)[number][]; frameworks?: number[] } = {},
): Promise<string> {
  const permissions = { scopes: [...scopes], ...(frameworks !== undefined && { frameworks }) };
  return (await manage.apiKey.create({ name: 'Files', ...permissions })).key;
}

/** A company with a key for everything, and a task. */
export async function createFileCompany() {
  const company = await createCompany();
  const { uniqueId: taskId } = await company.newTask();
  return { ...company, taskId, path: `/external/task/${taskId}/evidence`, key: await createFileKey(company) };
}

/** Starts a server that keeps files. @param folder of received files, and of stored ones */
export async function startEvidenceServer(folder: string, maxBytes: number) {
  const storage = await openTestStorage(folder, { maxBytes });
  const { url, stop } = await startApp({ services: { ...services, storage } });
  return {
    url,
    stop,
    ask: (key: string, method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
      http(method, path, { baseUrl: url, key, headers, ...(body !== undefined && { body }) }),
    /** Attaches a file to the task of a company. */
    upload: (
      { path, key }: { path: string; key: string },
      content: string | Buffer,
      { name = 'File', ...headers }: Record<string, string> = {},
    ) =>
      http('POST', `${path}/new?name=${encodeURIComponent(name)}`, {
        baseUrl: url,
        key,
        headers: { 'Content-Type': 'text/plain', ...headers },
        body: content,
      }),
    /** Expects that a company has no file, in no form. */
    expectNothing: async ({ id }: { id: number }): Promise<void> => {
      await expect.poll(() => fileRows(id)).toEqual([]);
      expect(await storedIds(storage.store(storage.current), id)).toEqual([]);
      await expect.poll(() => receivedFiles(folder)).toEqual([]);
    },
  };
}

export const idOf = ({ body }: { body: unknown }) => (body as { uniqueId: string }).uniqueId;
