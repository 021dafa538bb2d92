import * as fc from 'fast-check';
import { schemaError, openApi } from '../../support/openapi/conformance.ts';
import type { Operation } from '../../support/openapi/conformance.ts';
import { trpcData, createMarkedCompany } from '../service/companies.ts';
import type { Company } from '../service/companies.ts';
import type { HttpRequest } from '../service/http-client.ts';
import { Finding } from '../runner/finding.ts';
import { nearlyValidValue, validValue } from '../generators/json-schema.ts';
import type { Schema } from '../generators/json-schema.ts';
import { Oracle } from '../runner/oracle.ts';
import type { Service } from '../service/service.ts';
import { checkProperty } from '../runner/suite.ts';
import type { Suite } from '../runner/suite.ts';

interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  schema: Schema;
}

/** An operation as the document describes it. */
export interface OperationSpec {
  method: string;
  template: string;
  id: string;
  parameters: Parameter[];
  body: (Schema & { properties: Record<string, Schema> }) | undefined;
}

const isInlineParameter = (one: NonNullable<Operation['parameters']>[number]): one is Parameter => 'name' in one;

/** All of them. */
export const OPERATIONS: OperationSpec[] = Object.entries(openApi.paths).flatMap(([template, verbs]) =>
  Object.entries(verbs)
    .filter(([, operation]) => operation.operationId !== undefined)
    .map(([method, operation]) => {
      const schema = operation.requestBody?.content['application/json']?.schema as OperationSpec['body'];
      return {
        method: method.toUpperCase(),
        template,
        id: operation.operationId,
        parameters: (operation.parameters ?? []).filter(isInlineParameter),
        body: schema && resolveSchema(schema),
      };
    }),
);

function resolveSchema(
  schema: NonNullable<OperationSpec['body']> & { $ref?: string },
): NonNullable<OperationSpec['body']> {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (openApi.components.schemas[name] as NonNullable<OperationSpec['body']>);
}

/** What a path names that is there: half of the cases; the rest is whatever the document allows. */
export interface ExistingIds {
  framework: number;
  taskUniqueId: string;
  vendor: string;
}

/** The input of one operation, part by part. */
interface GeneratedInput {
  operation: string;
  /** Of parameters that are left out there is none. */
  parameters: Record<string, unknown>;
  body: Record<string, unknown> | undefined;
  /** The one thing that is wrong: a parameter, a field of the body, or nothing. */
  invalidField: string | undefined;
}

const findOperation = (id: string): OperationSpec => {
  const found = OPERATIONS.find((one) => one.id === id);
  if (found === undefined) throw new Error(`the document has no operation ${id}`);
  return found;
};

const toRequest = ({ operation: id, parameters, body }: GeneratedInput, known: ExistingIds): HttpRequest => {
  const { method, template } = findOperation(id);
  const text = (name: string) => encodeURIComponent(urlText(parameters[name] ?? Reflect.get(known, name)));
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => text(name));
  const query = Object.keys(parameters)
    .filter((name) => !isPathParameter(id, name))
    .map((name) => `${name}=${text(name)}`);
  return { method, path: [path, query.join('&')].filter(Boolean).join('?'), body };
};

/** As it stands in a URL: what has no text of its own, such as `{toString: null}`, as JSON. */
const urlText = (value: unknown): string => {
  if (typeof value === 'string') return value.toWellFormed();
  return value === undefined ? 'undefined' : JSON.stringify(value).toWellFormed();
};

const record = (fields: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[]) =>
  fc.record(fields, { requiredKeys });

/** Inputs that the document takes. A cursor is never one that the service gave, so none is given. */
function validInputArbitrary(operation: OperationSpec): fc.Arbitrary<GeneratedInput> {
  const named = operation.parameters.filter(({ name }) => name !== 'cursor');
  const fields = Object.fromEntries(
    named.map(({ name, in: place, schema }) => [
      name,
      place === 'path' ? validValue(schema).filter((value) => value !== '') : validValue(schema),
    ]),
  );
  const parameters = record(fields, []);
  const body = operation.body === undefined ? fc.constant(undefined) : validValue(operation.body);
  return fc
    .tuple(parameters, body as fc.Arbitrary<GeneratedInput['body']>)
    .map(([given, object]) => ({ operation: operation.id, parameters: given, body: object, invalidField: undefined }));
}

/** The same with one thing wrong. */
function nearlyValidArbitrary(operation: OperationSpec): fc.Arbitrary<GeneratedInput> {
  const { body } = operation;
  const inputFields = [
    ...operation.parameters.map(({ name, schema }) => ({ name, schema, isField: false })),
    ...Object.entries(body?.properties ?? {}).map(([name, schema]) => ({ name, schema, isField: true })),
    { name: 'unknown', schema: {}, isField: body !== undefined },
  ];
  return fc.constantFrom(...inputFields).chain(({ name, schema, isField }) =>
    fc
      .tuple(validInputArbitrary(operation), nearlyValidValue(schema), fc.boolean())
      .map(([given, value, isLeftOut]) => {
        const isRequired = isField && body?.required?.includes(name) === true;
        const put = (into: Record<string, unknown>) => {
          const { [name]: _, ...rest } = into;
          return isRequired && isLeftOut ? rest : { ...rest, [name]: value };
        };
        const isOther = value === '' && operation.parameters.some((one) => one.name === name && one.in === 'path');
        if (isOther) return given; // it would name another path
        const { body: fields = {}, parameters } = given;
        return isField
          ? { operation: operation.id, parameters, body: put(fields), invalidField: name }
          : { operation: operation.id, parameters: put(parameters), body: given.body, invalidField: name };
      }),
  );
}

/** Whether a body that the schema takes is still refused as such, for what JSON Schema cannot say. */
const UNDOCUMENTED_RULES = /UTF-16|well-formed|contradicts|of 1 to|of at most|a calendar date|a moment/;

const isPathParameter = (id: string, name: string) => findOperation(id).template.includes(`{${name}}`);

function checkStatus(given: GeneratedInput, status: number, text: string, requestText: string): void {
  if (status === 431) return;
  const violation = schemaViolation(given);
  // So many gaps are a rule of the contract's, which the document tells as a bound; rules come after what the path names.
  const namesOther = Object.keys(given.parameters).some((name) => isPathParameter(given.operation, name));
  const isRule =
    violation === 'data/gaps must NOT have more than 100 items' && (status === 422 || (status === 404 && namesOther));
  if (violation !== undefined && status !== 400 && !isRule)
    throw new Finding('unexpected response', `${status} and not 400, though ${violation}: ${requestText}`);
  if (violation === undefined && status === 400 && given.invalidField === undefined && !UNDOCUMENTED_RULES.test(text))
    throw new Finding('unexpected response', `400 ${text} of what the document takes: ${requestText}`);
}

/** What is wrong with a query or a body, by the document; whatever is wrong with an id in a path may be 404. */
function schemaViolation({ operation: id, parameters, body }: GeneratedInput): string | undefined {
  const operation = findOperation(id);
  for (const [name, value] of Object.entries(parameters)) {
    const known = operation.parameters.find((one) => one.name === name);
    if (known === undefined) return `${name} is unknown`;
    if (known.in === 'path') continue;
    const text = urlText(value);
    const isNumber = known.schema.type === 'integer' && /^(0|[1-9]\d*)$/.test(text);
    const complaint = schemaError(known.schema, isNumber ? Number(text) : text);
    if (complaint !== undefined) return `${name}: ${complaint}`;
  }
  return operation.body && schemaError(operation.body, JSON.parse(JSON.stringify(body)));
}

/** Cases for which companies serve before new ones take their place: what they own stays little. */
const CASES_PER_COMPANY = 40;

/** Every operation of the document, with inputs made from its own schemas, right and with one thing wrong. */
export const documentSuite: Suite = {
  name: 'document',
  timeShare: 2,
  async run(service, budget) {
    const arbitrary = fc
      .constantFrom(...OPERATIONS)
      .chain((operation) => fc.oneof(validInputArbitrary(operation), nearlyValidArbitrary(operation)));
    let setting: TestFixture | undefined;
    let cases = 0;
    const tried = await checkProperty(
      arbitrary,
      async (given) => {
        if (setting === undefined || (cases += 1) % CASES_PER_COMPANY === 0) {
          setting?.oracle.release();
          setting = await createFixture(service);
        }
        const { company, oracle, existing: known } = setting;
        const asked = toRequest(given, known);
        const answer = await oracle.sendAndCheck(asked, { company, key: company.keys.full });
        checkStatus(given, answer.status, answer.text, `${asked.method} ${asked.path} ${JSON.stringify(asked.body)}`);
        if (asked.method === 'DELETE' && answer.status === 204)
          Object.assign(known, await createResources(service, company, oracle));
      },
      budget,
    );
    setting?.oracle.release();
    return tried;
  },
};

export interface TestFixture {
  company: Company;
  oracle: Oracle;
  existing: ExistingIds;
}

/** Two companies, of which the first is asked for, and what its paths name. */
export async function createFixture(service: Service): Promise<TestFixture> {
  const company = await createMarkedCompany(service);
  const other = await createMarkedCompany(service);
  const oracle = await Oracle.create(service, [company, other]);
  await createResources(service, other, oracle);
  return { company, oracle, existing: await createResources(service, company, oracle) };
}

/** A task and a vendor. */
async function createResources(service: Service, company: Company, oracle: Oracle): Promise<ExistingIds> {
  const by = { company, key: company.keys.full };
  const create = async (procedure: string, body: object) =>
    String(trpcData(await oracle.sendAndCheck({ method: 'POST', path: `/trpc/${procedure}`, body }, by))['uniqueId']);
  const [framework] = company.frameworks;
  return {
    framework,
    taskUniqueId: await create('task.create', { framework, title: `Task ${company.marker}` }),
    vendor: await create('vendor.create', { name: `Vendor ${company.marker}` }),
  };
}
