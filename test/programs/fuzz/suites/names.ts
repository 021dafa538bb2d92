import type { HttpRequest } from '../service/http-client.ts';
import { errorMessage } from './coercion.ts';
import { OPERATIONS, createFixture } from './document.ts';
import type { ExistingIds } from './document.ts';
import { Finding } from '../runner/finding.ts';
import { PROCEDURES, trpcCall } from '../service/procedures.ts';
import { checkAll } from '../runner/suite.ts';
import type { Suite } from '../runner/suite.ts';

/** Names that every JavaScript object inherits, or that have a special meaning in the language. */
const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'toJSON',
  'valueOf',
  'hasOwnProperty',
  'isPrototypeOf',
  '__defineGetter__',
  '__lookupSetter__',
  'constructor.prototype',
  '__proto__.polluted',
  '__proto__[polluted]',
  'constructor[prototype][polluted]',
  'then',
  'length',
];
const VALUES = [
  '1',
  'null',
  '{"polluted":true}',
  '{"__proto__":{"polluted":true}}',
  '{"prototype":{"polluted":true}}',
  '[]',
];

/** Less than the maximum body size of the service. */
const MAX_BODY_BYTES = 262_000;
const DEPTHS = [33, 34, 64, 255, 1000, 5000, 20_000, 40_000];
const NESTINGS = [
  ['{"a":', '}'],
  ['[', ']'],
  ['{"a":[', ']}'],
  ['[{"__proto__":', '}]'],
] as const;

/** A request and the expected response. */
interface NameCase {
  description: string;
  request: (existing: ExistingIds) => HttpRequest;
  statuses: readonly number[];
  /** Pattern of the expected error message. */
  message?: RegExp;
}

const fillTemplate = (template: string, existing: ExistingIds) =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(Reflect.get(existing, name)));

const inQueries = OPERATIONS.flatMap(({ method, template, body, id }): NameCase[] =>
  NAMES.map((name) => ({
    description: `?${name} of ${id}`,
    request: (existing) => {
      const path = `${fillTemplate(template, existing)}?${encodeURIComponent(name)}=1`;
      return { method, path, body: body && Object.fromEntries((body.required ?? []).map((field) => [field, 'x'])) };
    },
    // An operation without parameters rejects unknown ones too.
    statuses: [400],
    message: /: unknown (field|parameter)/,
  })),
);

const inBodies = OPERATIONS.filter(({ body }) => body !== undefined).flatMap(({ method, template, body, id }) => {
  const fields = (body?.required ?? []).map((field) => `"${field}":"x",`).join('');
  const nested = Object.keys(body?.properties ?? {}).slice(0, 4);
  const bodyCase = (description: string, json: string, message: RegExp): NameCase => ({
    description,
    request: (existing) => ({ method, path: fillTemplate(template, existing), body: json }),
    statuses: [400],
    message,
  });
  return NAMES.flatMap((name) => [
    ...VALUES.map((value) =>
      bodyCase(`${name} in ${id}`, `{${fields}${JSON.stringify(name)}:${value}}`, /: unknown field/),
    ),
    ...nested.map((field) =>
      bodyCase(
        `${name} in ${field} of ${id}`,
        `{"${field}":{${JSON.stringify(name)}:{"polluted":true}}}`,
        new RegExp(`\\b${field}\\b`),
      ),
    ),
  ]);
});

const overTrpc = PROCEDURES.filter(({ callers }) => callers?.includes('apiKey')).flatMap((procedure) =>
  NAMES.flatMap((name): NameCase[] => [
    {
      description: `${name} into ${procedure.name}`,
      request: () => trpcCall(procedure, `{${JSON.stringify(name)}:{"polluted":true}}`),
      statuses: [400],
    },
    {
      description: `${procedure.name} of a batch of ${name}`,
      request: () => {
        const { method, path, body } = trpcCall(procedure, `{${JSON.stringify(name)}:{"polluted":true}}`);
        return { method, path: `${path}${path.includes('?') ? '&' : '?'}batch=1`, body };
      },
      // A batch input has numeric keys, so the call has no input. Some queries need none.
      statuses: procedure.type === 'query' && procedure.isOptional ? [200] : [400, 207],
    },
  ]),
);

const inPaths = NAMES.flatMap((name) => {
  const encoded = encodeURIComponent(name);
  const paths = [
    `/external/${encoded}`,
    `/external/task/${encoded}/item`,
    `/external/task/framework/${encoded}/list`,
    `/external/smart-inventory/vendor/${encoded}/history`,
    `/${encoded}`,
    `/docs/${encoded}`,
    `/trpc/${encoded}`,
    `/trpc/vendor.${encoded}`,
    `/trpc/${encoded}.${encoded}`,
    `/trpc/vendor.list,${encoded}?batch=1&input=${encodeURIComponent('{"0":{},"__proto__":{}}')}`,
    `/trpc/vendor.list?batch=${encoded}&input=${encodeURIComponent(`{${JSON.stringify(name)}:{}}`)}`,
  ];
  return paths.flatMap((path): NameCase[] =>
    ['GET', 'POST'].map((method) => ({
      description: `${method} ${path}`,
      request: () => ({ method, path, body: method === 'POST' ? '{}' : undefined }),
      statuses: [400, 404, 405, 207],
    })),
  );
});

const inHeaders = NAMES.filter((name) => /^[\w.]+$/.test(name)).map((name): NameCase => {
  const headers = { [name]: 'polluted', 'X-Request-Id': name, Prefer: `${name}=1` };
  return {
    description: `the header ${name}`,
    request: () => ({ method: 'GET', path: '/external/api-key/whoami', headers }),
    statuses: [200],
  };
});

const deeplyNested = DEPTHS.flatMap((levels) =>
  NESTINGS.flatMap(([open, close]): NameCase[] => {
    const levelsPerNesting = open.split(/[[{]/).length - 1;
    const repetitions = Math.ceil(levels / levelsPerNesting);
    const json = `${open.repeat(repetitions)}1${close.repeat(repetitions)}`;
    const isObject = open.startsWith('{');
    if (json.length > MAX_BODY_BYTES) return [];
    const message = isObject ? /nested deeper than 32/ : /^The body is not a JSON object/;
    const inside = `{"name":"x","title":"x","description":${json}}`;
    const bodyCase = (method: string, path: string, body: string, expectedMessage: RegExp): NameCase => ({
      description: `${levels} levels of ${open} to ${method} ${path}`,
      request: (existing) => ({ method, path: fillTemplate(path, existing), body }),
      statuses: [400],
      message: expectedMessage,
    });
    const cases = [
      bodyCase('POST', '/external/smart-inventory/vendor/new', json, message),
      bodyCase('PATCH', '/external/task/{taskUniqueId}/edit', inside, /nested deeper than 32/),
      bodyCase('POST', '/trpc/vendor.create', json, message),
      bodyCase('POST', '/trpc/task.update', inside, /nested deeper than 32/),
    ];
    const batch = `{"0":${json},"1":${json}}`;
    if (batch.length < MAX_BODY_BYTES)
      cases.push(bodyCase('POST', '/trpc/vendor.create,vendor.create?batch=1', batch, /nested deeper than 32/));
    const path = `/trpc/vendor.list?input=${encodeURIComponent(json)}`;
    cases.push({
      description: `${levels} levels of ${open} into a query`,
      request: () => ({ method: 'GET', path }),
      statuses: [400, 431],
    });
    return cases;
  }),
);

const CASES = [...inQueries, ...inBodies, ...overTrpc, ...inPaths, ...inHeaders, ...deeplyNested];

/** Sends special names in every position of a name, and deeply nested JSON. */
export const namesSuite: Suite = {
  name: 'names',
  timeShare: 1,
  async run(service, budget) {
    const { company, oracle, existing } = await createFixture(service);
    const caller = { company, key: company.keys.full };
    const caseCount = await checkAll(
      CASES,
      async ({ description, request, statuses, message }) => {
        const response = await oracle.sendAndCheck(request(existing), caller);
        const { status, text } = response;
        if (!statuses.includes(status) || message?.test(errorMessage(response)) === false)
          throw new Finding('unexpected response', `${status} ${text.slice(0, 500)} to ${description}`);
      },
      budget,
    );
    // This response would change if a case had polluted Object.prototype.
    const emptyBody = await oracle.sendAndCheck(
      { method: 'POST', path: '/external/smart-inventory/vendor/new', body: '{}' },
      caller,
    );
    if (errorMessage(emptyBody) !== 'name: required' || emptyBody.text.includes('polluted'))
      throw new Finding('unexpected response', `an empty body gets ${emptyBody.text}`);
    oracle.release();
    return caseCount;
  },
};
