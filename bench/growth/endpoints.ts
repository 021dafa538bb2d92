import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { SeededCompany } from './seed.ts';

/** A request of one kind, with other values each time where it writes. */
export interface Endpoint {
  name: string;
  requestFor: (company: SeededCompany) => { method: string; path: string; body?: object };
}

const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });
const VENDORS = '/external/smart-inventory/vendor';

/** Requests that depend on the number of rows in more ways than the path of an endpoint shows. */
const QUERIES: Record<string, (company: SeededCompany) => string> = {
  'tasks, page of 100': ({ framework }) => `/external/task/framework/${framework}/list?limit=100`,
  'tasks by due date, descending': ({ framework }) =>
    `/external/task/framework/${framework}/list?sort=-dueDate&limit=50`,
  'tasks of a priority': ({ framework }) => `/external/task/framework/${framework}/list?priority=2&limit=50`,
  'tasks of a label': ({ framework }) => `/external/task/framework/${framework}/list?label=access&limit=50`,
  'tasks with a text': ({ framework }) => `/external/task/framework/${framework}/list?q=rights%201&limit=50`,
  'tasks with a text that none has': ({ framework }) => `/external/task/framework/${framework}/list?q=nowhere&limit=50`,
  'vendors, page of 50': () => `${VENDORS}/list?limit=50`,
  'vendors with a text': () => `${VENDORS}/list?q=Vendor%201&limit=50`,
  'events of a task': ({ task }) => `/external/audit/list?resourceType=task&resourceId=${task}`,
  'events of a time': () => `/external/audit/list?since=${new Date(Date.now() - 86_400_000).toISOString()}`,
  'overview: tasks': () => '/trpc/overview.tasks?input=%7B%7D',
  'overview: history of tasks': () => '/trpc/overview.taskHistory',
  'overview: vendors': () => '/trpc/overview.vendors',
};

const WRITES: Record<string, Endpoint['requestFor']> = {
  'create a task': ({ framework }) => ({
    method: 'POST',
    path: `/external/task/framework/${framework}/new`,
    body: { title: randomUUID() },
  }),
  'patch a task': ({ task }) => ({
    method: 'PATCH',
    path: `/external/task/${task}/edit`,
    body: { title: randomUUID() },
  }),
  'create a vendor': () => ({ method: 'POST', path: `${VENDORS}/new`, body: { name: randomUUID() } }),
  'patch a vendor': ({ vendor }) => ({
    method: 'PATCH',
    path: `${VENDORS}/${vendor}/edit`,
    body: { name: randomUUID() },
  }),
  'put a vendor by external id': () => ({
    method: 'PUT',
    path: `${VENDORS}/by/bench/${randomUUID()}`,
    body: { name: 'Put' },
  }),
  'comment on a vendor': ({ vendor }) => ({
    method: 'POST',
    path: `${VENDORS}/${vendor}/comment/new`,
    body: { text: 'Read.' },
  }),
};

/** Every GET of the OpenAPI document whose parameters are known, the queries, and the writes. */
export async function endpointsOf(url: string): Promise<{ endpoints: Endpoint[]; left: string[] }> {
  const { paths } = Document.parse(await (await fetch(`${url}/openapi.json`)).json());
  const gets = Object.entries(paths).flatMap(([path, operations]) => ('get' in operations ? [path] : []));
  const left = gets.filter((path) => pathFor(path, undefined) === undefined);
  return {
    endpoints: [
      ...gets
        .filter((path) => !left.includes(path))
        .map((path) => ({
          name: `GET ${path}`,
          requestFor: (company: SeededCompany) => ({ method: 'GET', path: pathFor(path, company) ?? path }),
        })),
      ...Object.entries(QUERIES).map(([name, path]) => ({
        name,
        requestFor: (company: SeededCompany) => ({ method: 'GET', path: path(company) }),
      })),
      ...Object.entries(WRITES).map(([name, requestFor]) => ({ name, requestFor })),
    ],
    left,
  };
}

/** @returns undefined if a parameter of the path is none of a seeded company */
function pathFor(path: string, company: SeededCompany | undefined): string | undefined {
  const values: Record<string, string> = {
    framework: String(company?.framework),
    vendor: String(company?.vendor),
    taskUniqueId: String(company?.task),
  };
  if (path.match(/\{(\w+)\}/g)?.some((name) => values[name.slice(1, -1)] === undefined) === true) return undefined;
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}
