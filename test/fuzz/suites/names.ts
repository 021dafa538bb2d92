import type { HttpRequest } from '../service/http-client.ts';
import { errorMessage } from './coercion.ts';
import { OPERATIONS, createFixture } from './document.ts';
import type { ExistingIds } from './document.ts';
import { Finding } from '../runner/finding.ts';
import { PROCEDURES, trpcCall } from '../service/procedures.ts';
import { checkAll } from '../runner/suite.ts';
import type { Suite } from '../runner/suite.ts';

/** Names that every object has, or that mean something to the language. */
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

/** Bytes of a body that is not too large. */
const MAX_BODY_BYTES = 262_000;
const DEPTHS = [33, 34, 64, 255, 1000, 5000, 20_000, 40_000];
const NESTINGS = [
  ['{"a":', '}'],
  ['[', ']'],
  ['{"a":[', ']}'],
  ['[{"__proto__":', '}]'],
] as const;

/** A request, and what its answer must be. */
interface NameCase {
  description: string;
  request: (known: ExistingIds) => HttpRequest;
  statuses: readonly number[];
  /** What the message must begin with, where one is to be told. */
  message?: RegExp;
}

const fillTemplate = (template: string, known: ExistingIds) =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(Reflect.get(known, name)));

const inQueries = OPERATIONS.flatMap(({ method, template, body, id }): NameCase[] =>
  NAMES.map((name) => ({
    description: `?${name} of ${id}`,
    request: (known) => {
      const path = `${fillTemplate(template, known)}?${encodeURIComponent(name)}=1`;
      return { method, path, body: body && Object.fromEntries((body.required ?? []).map((field) => [field, 'x'])) };
    },
    // What takes neither query nor body overlooks none either.
    statuses: [400],
    message: /: unknown (field|parameter)/,
  })),
);

const inBodies = OPERATIONS.filter(({ body }) => body !== undefined).flatMap(({ method, template, body, id }) => {
  const fields = (body?.required ?? []).map((field) => `"${field}":"x",`).join('');
  const nested = Object.keys(body?.properties ?? {}).slice(0, 4);
  const of = (what: string, json: string, message: RegExp): NameCase => ({
    description: what,
    request: (known) => ({ method, path: fillTemplate(template, known), body: json }),
    statuses: [400],
    message,
  });
  return NAMES.flatMap((name) => [
    ...VALUES.map((value) => of(`${name} in ${id}`, `{${fields}${JSON.stringify(name)}:${value}}`, /: unknown field/)),
    ...nested.map((field) =>
      of(
        `${name} in ${field} of ${id}`,
        `{"${field}":{${JSON.stringify(name)}:{"polluted":true}}}`,
        new RegExp(`\\b${field}\\b`),
      ),
    ),
  ]);
});

const overTrpc = PROCEDURES.filter(({ name }) => !name.startsWith('management.')).flatMap((procedure) =>
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
      // What is named by no number is no call of a batch, and some take nothing.
      statuses: procedure.type === 'query' && procedure.required.length === 0 ? [200] : [400, 207],
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
    const perShape = open.split(/[[{]/).length - 1;
    const many = Math.ceil(levels / perShape);
    const json = `${open.repeat(many)}1${close.repeat(many)}`;
    const isObject = open.startsWith('{');
    if (json.length > MAX_BODY_BYTES) return [];
    const message = isObject ? /nested deeper than 32/ : /^The body is not a JSON object/;
    const inside = `{"name":"x","title":"x","description":${json}}`;
    const bodied = (method: string, path: string, body: string, said: RegExp): NameCase => ({
      description: `${levels} levels of ${open} to ${method} ${path}`,
      request: (known) => ({ method, path: fillTemplate(path, known), body }),
      statuses: [400],
      message: said,
    });
    const all = [
      bodied('POST', '/external/smart-inventory/vendor/new', json, message),
      bodied('PATCH', '/external/task/{taskUniqueId}/edit', inside, /nested deeper than 32/),
      bodied('POST', '/trpc/vendor.create', json, message),
      bodied('POST', '/trpc/task.update', inside, /nested deeper than 32/),
    ];
    const batch = `{"0":${json},"1":${json}}`;
    if (batch.length < MAX_BODY_BYTES)
      all.push(bodied('POST', '/trpc/vendor.create,vendor.create?batch=1', batch, /nested deeper than 32/));
    const path = `/trpc/vendor.list?input=${encodeURIComponent(json)}`;
    all.push({
      description: `${levels} levels of ${open} into a query`,
      request: () => ({ method: 'GET', path }),
      statuses: [400, 431],
    });
    return all;
  }),
);

const CASES = [...inQueries, ...inBodies, ...overTrpc, ...inPaths, ...inHeaders, ...deeplyNested];

/** Names that every object has, wherever a name may stand; and JSON however deep. */
export const namesSuite: Suite = {
  name: 'names',
  timeShare: 1,
  async run(service, budget) {
    const { company, oracle, existing: known } = await createFixture(service);
    const by = { company, key: company.keys.full };
    const tried = await checkAll(
      CASES,
      async ({ description: what, request: asked, statuses, message }) => {
        const answer = await oracle.sendAndCheck(asked(known), by);
        const said = errorMessage(answer);
        if (!statuses.includes(answer.status) || (message !== undefined && !message.test(said)))
          throw new Finding('unexpected response', `${answer.status} ${answer.text.slice(0, 500)} to ${what}`);
      },
      budget,
    );
    // Had any of them reached the prototype of all objects, this would not be as it is.
    const clean = await oracle.sendAndCheck(
      { method: 'POST', path: '/external/smart-inventory/vendor/new', body: '{}' },
      by,
    );
    if (errorMessage(clean) !== 'name: required' || clean.text.includes('polluted'))
      throw new Finding('unexpected response', `an empty body is answered ${clean.text}`);
    oracle.release();
    return tried;
  },
};
