import * as fc from 'fast-check';
import { complaintAbout, openApi } from '../support/conformity.ts';
import type { Operation } from '../support/conformity.ts';
import { dataOf, newCompany } from './companies.ts';
import type { Company } from './companies.ts';
import type { Asked } from './ask.ts';
import { Finding } from './finding.ts';
import { nearly, valid } from './from-schema.ts';
import type { Schema } from './from-schema.ts';
import { Oracle } from './oracle.ts';
import type { Service } from './service.ts';
import { holds } from './suite.ts';
import type { Suite } from './suite.ts';

interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  schema: Schema;
}

/** An operation as the document describes it. */
export interface Described {
  method: string;
  template: string;
  id: string;
  parameters: Parameter[];
  body: (Schema & { properties: Record<string, Schema> }) | undefined;
}

const isOwn = (one: NonNullable<Operation['parameters']>[number]): one is Parameter => 'name' in one;

/** All of them. */
export const OPERATIONS: Described[] = Object.entries(openApi.paths).flatMap(([template, verbs]) =>
  Object.entries(verbs)
    .filter(([, operation]) => operation.operationId !== undefined)
    .map(([method, operation]) => {
      const schema = operation.requestBody?.content['application/json']?.schema as Described['body'];
      return {
        method: method.toUpperCase(),
        template,
        id: operation.operationId,
        parameters: (operation.parameters ?? []).filter(isOwn),
        body: schema && resolved(schema),
      };
    }),
);

function resolved(schema: NonNullable<Described['body']> & { $ref?: string }): NonNullable<Described['body']> {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (openApi.components.schemas[name] as NonNullable<Described['body']>);
}

/** What a path names that is there: half of the cases; the rest is whatever the document allows. */
export interface Known {
  framework: number;
  taskUniqueId: string;
  vendor: string;
}

/** The input of one operation, part by part. */
interface Given {
  operation: string;
  /** Of parameters that are left out there is none. */
  parameters: Record<string, unknown>;
  body: Record<string, unknown> | undefined;
  /** The one thing that is wrong: a parameter, a field of the body, or nothing. */
  wrong: string | undefined;
}

const described = (id: string): Described => {
  const found = OPERATIONS.find((one) => one.id === id);
  if (found === undefined) throw new Error(`the document has no operation ${id}`);
  return found;
};

const toRequest = ({ operation: id, parameters, body }: Given, known: Known): Asked => {
  const { method, template } = described(id);
  const text = (name: string) => encodeURIComponent(textOf(parameters[name] ?? Reflect.get(known, name)));
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => text(name));
  const query = Object.keys(parameters)
    .filter((name) => !isInPath(id, name))
    .map((name) => `${name}=${text(name)}`);
  return { method, path: [path, query.join('&')].filter(Boolean).join('?'), body };
};

/** As it stands in a URL: what has no text of its own, such as `{toString: null}`, as JSON. */
const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value.toWellFormed();
  return value === undefined ? 'undefined' : JSON.stringify(value).toWellFormed();
};

const record = (fields: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[]) =>
  fc.record(fields, { requiredKeys });

/** Inputs that the document takes. A cursor is never one that the service gave, so none is given. */
function validInput(operation: Described): fc.Arbitrary<Given> {
  const named = operation.parameters.filter(({ name }) => name !== 'cursor');
  const fields = Object.fromEntries(
    named.map(({ name, in: place, schema }) => [
      name,
      place === 'path' ? valid(schema).filter((value) => value !== '') : valid(schema),
    ]),
  );
  const parameters = record(fields, []);
  const body = operation.body === undefined ? fc.constant(undefined) : valid(operation.body);
  return fc
    .tuple(parameters, body as fc.Arbitrary<Given['body']>)
    .map(([given, object]) => ({ operation: operation.id, parameters: given, body: object, wrong: undefined }));
}

/** The same with one thing wrong. */
function nearlyValid(operation: Described): fc.Arbitrary<Given> {
  const { body } = operation;
  const places = [
    ...operation.parameters.map(({ name, schema }) => ({ name, schema, isField: false })),
    ...Object.entries(body?.properties ?? {}).map(([name, schema]) => ({ name, schema, isField: true })),
    { name: 'unknown', schema: {}, isField: body !== undefined },
  ];
  return fc.constantFrom(...places).chain(({ name, schema, isField }) =>
    fc.tuple(validInput(operation), nearly(schema), fc.boolean()).map(([given, value, isLeftOut]) => {
      const isRequired = isField && body?.required?.includes(name) === true;
      const put = (into: Record<string, unknown>) => {
        const { [name]: _, ...rest } = into;
        return isRequired && isLeftOut ? rest : { ...rest, [name]: value };
      };
      const isOther = value === '' && operation.parameters.some((one) => one.name === name && one.in === 'path');
      if (isOther) return given; // it would name another path
      const { body: fields = {}, parameters } = given;
      return isField
        ? { operation: operation.id, parameters, body: put(fields), wrong: name }
        : { operation: operation.id, parameters: put(parameters), body: given.body, wrong: name };
    }),
  );
}

/** Whether a body that the schema takes is still refused as such, for what JSON Schema cannot say. */
const UNSAID = /UTF-16|well-formed|contradicts|of 1 to|of at most|a calendar date|a moment/;

const isInPath = (id: string, name: string) => described(id).template.includes(`{${name}}`);

function judge(given: Given, status: number, text: string, asked: string): void {
  if (status === 431) return;
  const complaint = complaintOf(given);
  // So many gaps are a rule of the contract's, which the document tells as a bound; rules come after what the path names.
  const namesOther = Object.keys(given.parameters).some((name) => isInPath(given.operation, name));
  const isRule =
    complaint === 'data/gaps must NOT have more than 100 items' && (status === 422 || (status === 404 && namesOther));
  if (complaint !== undefined && status !== 400 && !isRule)
    throw new Finding('not as predicted', `${status} and not 400, though ${complaint}: ${asked}`);
  if (complaint === undefined && status === 400 && given.wrong === undefined && !UNSAID.test(text))
    throw new Finding('not as predicted', `400 ${text} of what the document takes: ${asked}`);
}

/** What is wrong with a query or a body, by the document; whatever is wrong with an id in a path may be 404. */
function complaintOf({ operation: id, parameters, body }: Given): string | undefined {
  const operation = described(id);
  for (const [name, value] of Object.entries(parameters)) {
    const known = operation.parameters.find((one) => one.name === name);
    if (known === undefined) return `${name} is unknown`;
    if (known.in === 'path') continue;
    const sent = textOf(value);
    const isNumber = known.schema.type === 'integer' && /^(0|[1-9]\d*)$/.test(sent);
    const complaint = complaintAbout(known.schema, isNumber ? Number(sent) : sent);
    if (complaint !== undefined) return `${name}: ${complaint}`;
  }
  return operation.body && complaintAbout(operation.body, JSON.parse(JSON.stringify(body)));
}

/** Cases for which companies serve before new ones take their place: what they own stays little. */
const CASES = 40;

/** Every operation of the document, with inputs made from its own schemas, right and with one thing wrong. */
export const document: Suite = {
  name: 'document',
  share: 2,
  async run(service, budget) {
    const arbitrary = fc
      .constantFrom(...OPERATIONS)
      .chain((operation) => fc.oneof(validInput(operation), nearlyValid(operation)));
    let setting: Setting | undefined;
    let cases = 0;
    const tried = await holds(
      arbitrary,
      async (given) => {
        if (setting === undefined || (cases += 1) % CASES === 0) {
          setting?.oracle.leave();
          setting = await settingOf(service);
        }
        const { company, oracle, known } = setting;
        const asked = toRequest(given, known);
        const answer = await oracle.ask(asked, { company, key: company.keys.full });
        judge(given, answer.status, answer.text, `${asked.method} ${asked.path} ${JSON.stringify(asked.body)}`);
        if (asked.method === 'DELETE' && answer.status === 204)
          Object.assign(known, await furnish(service, company, oracle));
      },
      budget,
    );
    setting?.oracle.leave();
    return tried;
  },
};

export interface Setting {
  company: Company;
  oracle: Oracle;
  known: Known;
}

/** Two companies, of which the first is asked for, and what its paths name. */
export async function settingOf(service: Service): Promise<Setting> {
  const company = await newCompany(service);
  const other = await newCompany(service);
  const oracle = await Oracle.over(service, [company, other]);
  await furnish(service, other, oracle);
  return { company, oracle, known: await furnish(service, company, oracle) };
}

/** A task and a vendor. */
async function furnish(service: Service, company: Company, oracle: Oracle): Promise<Known> {
  const by = { company, key: company.keys.full };
  const create = async (procedure: string, body: object) =>
    String(dataOf(await oracle.ask({ method: 'POST', path: `/trpc/${procedure}`, body }, by))['uniqueId']);
  const [framework] = company.frameworks;
  return {
    framework,
    taskUniqueId: await create('task.create', { framework, title: `Task ${company.marker}` }),
    vendor: await create('vendor.create', { name: `Vendor ${company.marker}` }),
  };
}
