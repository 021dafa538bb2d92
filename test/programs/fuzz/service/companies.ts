import { DEFAULT_SCOPES, SCOPES } from '../../../../entities/api-key/scope.ts';
import { callManagement } from '../../../support/http/client.ts';
import { companyMarker } from '../../../support/http/markers.ts';
import type { HttpResponse } from './http-client.ts';
import { Finding } from '../runner/finding.ts';
import type { Service } from './service.ts';

/** An API key of a company and its permissions. */
export interface TestKey {
  rawKey: string;
  uniqueId: string;
  user: string;
  scopes: readonly string[];
  frameworks: readonly number[] | null;
}

/** A company. All its texts have its marker, which no response to another company may show. */
export interface Company {
  id: number;
  marker: string;
  frameworks: [number, number];
  departments: [number, number];
  /** One gap of each framework. */
  gaps: [number, number];
  keys: { full: TestKey; narrow: TestKey; reader: TestKey };
}

interface CreatedKey {
  key: string;
  uniqueId: string;
  user: { uniqueId: string };
}

/** Returns the data of a tRPC response. */
export function trpcData({ status, text, body }: HttpResponse): Record<string, unknown> {
  const { result } = Object(body) as { result?: { data?: Record<string, unknown> } };
  if (result?.data === undefined) throw new Finding('unexpected response', `${status} ${text}`);
  return result.data;
}

/** Makes the markers unique. */
let companyCount = 0;

/**
 * Creates a company with two frameworks, departments and gaps, and three keys: full access, one framework only, read-only.
 */
export async function createMarkedCompany({ url }: Pick<Service, 'url'>): Promise<Company> {
  const marker = companyMarker((companyCount += 1));
  const idOf = async (procedure: string, input: object, company?: number) =>
    (await callManagement<{ id: number }>(url, procedure, input, company)).id;
  const id = await idOf('company.create', { name: `Company ${marker}` });
  const create = (kind: string, input: object) => idOf(`${kind}.create`, input, id);
  const createTwo = async (kind: string, name: (n: number) => object): Promise<[number, number]> => [
    await create(kind, name(1)),
    await create(kind, name(2)),
  ];
  const frameworks = await createTwo('framework', (n) => ({ name: `Framework ${n} ${marker}` }));
  const departments = await createTwo('department', (n) => ({ name: `Department ${n} ${marker}` }));
  const gaps = await createTwo('gap', (n) => ({ framework: frameworks[n - 1], title: `Gap ${n} ${marker}` }));
  const key = async (name: string, permissions: Partial<Pick<TestKey, 'scopes' | 'frameworks'>>): Promise<TestKey> => {
    const input = { name: `${name} ${marker}`, ...permissions };
    const created = await callManagement<CreatedKey>(url, 'apiKey.create', input, id);
    const keyPermissions = { scopes: DEFAULT_SCOPES, frameworks: null, ...permissions };
    return { rawKey: created.key, uniqueId: created.uniqueId, user: created.user.uniqueId, ...keyPermissions };
  };
  const keys = {
    full: await key('All', { scopes: SCOPES }),
    narrow: await key('Narrow', { frameworks: [frameworks[0]] }),
    reader: await key('Reader', { scopes: ['task:read', 'vendor:read'] }),
  };
  return { id, marker, frameworks, departments, gaps, keys };
}
