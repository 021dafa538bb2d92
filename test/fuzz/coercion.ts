import { complaintAbout } from '../support/conformity.ts';
import type { Answer, Asked } from './ask.ts';
import { ODD_OBJECTS } from './corpus.ts';
import { OPERATIONS, settingOf } from './document.ts';
import type { Described, Known, Setting } from './document.ts';
import { Finding } from './finding.ts';
import type { Schema } from './from-schema.ts';
import { PROCEDURES, call, procedureOf } from './procedures.ts';
import type { Procedure } from './procedures.ts';
import { OPERATOR_TOKEN } from './service.ts';
import { each } from './suite.ts';
import type { Suite } from './suite.ts';

/** Values as JSON writes them; a field takes few of them, and those are left out for it. */
const LITERALS = [
  '"3"',
  '"1"',
  '"0"',
  '"-1"',
  '"1.0"',
  '" 1"',
  '"1 "',
  '"1e0"',
  '"0x1"',
  '"٣"',
  '"NaN"',
  '"Infinity"',
  '"-Infinity"',

  '"true"',
  '"false"',
  '"TRUE"',
  '"yes"',
  '"on"',
  '"null"',
  '"undefined"',
  '"[]"',
  '"{}"',
  '"2026-1-1"',
  '"1.1.2026"',

  'true',
  'false',
  'null',
  '[]',
  '{}',
  '""',
  '" "',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udc00x"',
  '"\\t"',

  '1.5',
  '0.1',
  '1e400',
  '-1e400',
  '-0',
  '0',
  '-1',
  '1e-400',
  '1e21',
  '2147483648',
  '9007199254740993',
  '-2147483649',

  '99999999999999999999999',
  '3.0000000000000004',
  '[3]',
  '["3"]',
  '[null]',
  '[[]]',
  '[true]',
  '[{}]',
  '["a",1]',

  '{"valueOf":3}',
  '{"toString":"3"}',
  '{"$gt":0}',
  '{"length":1}',
  '{"0":"a"}',
  '{"__proto__":null}',
  '"[object Object]"',

  '"2026-02-29"',
  '"0000-00-00"',
  '"2026-02-27T00:00:00Z"',
  '"9999-99-99T99:99:99Z"',
  '1796688000',
  '"1796688000"',
  '"epoch"',

  ...ODD_OBJECTS.map((odd) => JSON.stringify(odd)),
];

/** The same in a path or a query, where all is text. */
const TEXTS = [
  '',
  ' ',
  '+',
  '-0',
  '+1',
  '-1',
  '01',
  '1.0',
  '1.5',
  '1e0',
  '0x1',
  '1_0',
  '1,0',
  '٣',
  '１',
  'NaN',
  'Infinity',
  'null',
  'true',
  'undefined',
  '[1]',
  '{}',
  '1\0',
  '%00',
  '"1"',
  "1' or '1'='1",
  '2147483648',
  '99999999999999999999',
  '1'.repeat(300),
];

interface Cell {
  /** How it is asked, with the value in its place. */
  road: 'REST' | 'tRPC' | 'query' | 'management';
  name: string;
  field: string;
  /** In JSON, or on the road `query` as text. */
  value: string;
}

/** Whether a field takes a value; an element of it where it is one of an array's. */
const takes = (schema: Schema, literal: string) => complaintAbout(schema, JSON.parse(literal)) === undefined;

/** Text that is taken by the schema and refused for what JSON Schema cannot say. */
const UNSAID = /^"(\\u0000|a\\u0000b|\\ud800|\\udc00x)"$/;
const BLANK = /^"(\s|\\t)*"$/;

function wrongFor(schema: Schema): string[] {
  const isText = schema.type === 'string' && schema.enum === undefined && schema.format === undefined;
  const wrong = LITERALS.filter((literal) =>
    isText
      ? UNSAID.test(literal) || (schema.minLength === 1 && BLANK.test(literal)) || !takes(schema, literal)
      : !takes(schema, literal),
  );
  const elements = schema.items === undefined ? [] : wrongFor(schema.items).map((literal) => `[${literal}]`);
  return [...wrong, ...elements];
}

/** An id in a path, or a search, is any text. What JSON Schema does not know of, this does not. */
const isAnyText = (field: string) =>
  ['taskUniqueId', 'vendor', 'uniqueId', 'cursor', 'q', 'resourceId', 'head'].includes(field);
const textual = (field: string, schema: Schema) =>
  isAnyText(field) ? LITERALS.filter((literal) => typeof JSON.parse(literal) !== 'string') : wrongFor(schema);

const cellsOf = (operation: Described): Cell[] => {
  const name = operation.id;
  const procedure = procedureOf(operation);
  const bodied = Object.entries(operation.body?.properties ?? {}).flatMap(([field, schema]) =>
    wrongFor(schema).map((value): Cell => ({ road: 'REST', name, field, value })),
  );
  const called = Object.entries(procedure.fields).flatMap(([field, schema]) =>
    textual(field, schema).map((value): Cell => ({ road: 'tRPC', name, field, value })),
  );
  const queried = operation.parameters
    .filter(({ schema }) => schema.type === 'integer')
    .flatMap(({ name: field, in: place }) =>
      TEXTS.filter((text) => place === 'query' || (text !== '' && !/^[1-9]\d+$/.test(text))).map((value): Cell => ({
        road: 'query',
        name,
        field,
        value,
      })),
    );
  return [...bodied, ...called, ...queried];
};

const managed = PROCEDURES.filter(({ name }) => name.startsWith('management.')).flatMap(({ name, fields }) =>
  Object.entries(fields).flatMap(([field, schema]) =>
    textual(field, schema).map((value): Cell => ({ road: 'management', name, field, value })),
  ),
);

const CELLS = [...OPERATIONS.flatMap(cellsOf), ...managed];

/** The least that an operation takes besides. */
const requiredOf = (fields: readonly string[], known: Known) =>
  Object.fromEntries(fields.map((name) => [name, Reflect.get(known, name) ?? 'x']));

/** JSON of an object with one field given as text. */
function withLiteral(object: Record<string, unknown>, field: string, literal: string): string {
  const { [field]: _, ...others } = object;
  return [JSON.stringify(others).slice(0, -1), `${JSON.stringify(field)}:${literal}}`].join(
    Object.keys(others).length > 0 ? ',' : '',
  );
}

function requestOf({ road, name, field, value }: Cell, { known, company }: Setting): Asked {
  if (road === 'management') {
    const procedure = find(PROCEDURES, (one) => one.name === name);
    const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}`, 'X-Company-Id': String(company.id) };
    return { ...called(procedure, field, value, known), headers };
  }
  const operation = find(OPERATIONS, ({ id }) => id === name);
  const { method, template, body } = operation;
  const path = template.replaceAll(/\{(\w+)\}/g, (_, parameter: string) =>
    road === 'query' && parameter === field ? encodeURIComponent(value) : String(Reflect.get(known, parameter)),
  );
  switch (road) {
    case 'tRPC':
      return called(procedureOf(operation), field, value, known);
    case 'query': {
      const isInPath = template.includes(`{${field}}`);
      const needed = field === 'limit' ? '' : '&limit=1';
      const asked = isInPath
        ? path
        : `${path}?${field}=${encodeURIComponent(value)}${method === 'GET' && name === 'listTasks' ? needed : ''}`;
      return { method, path: asked, ...(body && { body: requiredOf(body.required ?? [], known) }) };
    }
    case 'REST':
    default:
      return { method, path, body: withLiteral(requiredOf(body?.required ?? [], known), field, value) };
  }
}

const called = (procedure: Procedure, field: string, value: string, known: Known): Asked =>
  call(procedure, withLiteral(requiredOf(procedure.required, known), field, value));

function find<T>(all: readonly T[], is: (one: T) => boolean): T {
  const found = all.find(is);
  if (found === undefined) throw new Error('nothing of that name');
  return found;
}

/** The message of a refusal, on either road; of a batch, that of its first call. */
export function messageOf({ body }: Answer): string {
  const { error } = Object(Array.isArray(body) ? body[0] : body) as { error?: string | { message?: string } };
  return typeof error === 'string' ? error : (error?.message ?? '');
}

/** Every field of every operation with every wrong value, over REST and over tRPC: 400 that names the field, and nothing else. */
export const coercion: Suite = {
  name: 'coercion',
  share: 2,
  async run(service, budget) {
    const setting = await settingOf(service);
    const { company, oracle } = setting;
    const tried = await each(
      CELLS,
      async (cell) => {
        const asked = requestOf(cell, setting);
        const by = { company, key: cell.road === 'management' ? undefined : company.keys.full };
        const answer = await oracle.ask(asked, by);
        const isNamed = messageOf(answer)
          .split('; ')
          .some((line) => new RegExp(`^${cell.field}\\b`).test(line));
        if (answer.status !== 400 || !isNamed)
          throw new Finding(
            'not as predicted',
            `${answer.status} ${answer.text} to ${asked.method} ${asked.path} ${String(asked.body)}`,
          );
      },
      budget,
    );
    oracle.leave();
    return tried;
  },
};
