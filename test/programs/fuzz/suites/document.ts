import * as fc from 'fast-check';
import { schemaError, openApi } from '../../../support/openapi/conformance.ts';
import type { Operation } from '../../../support/openapi/conformance.ts';
import { trpcData, createMarkedCompany } from '../service/companies.ts';
import type { Company } from '../service/companies.ts';
import type { HttpRequest } from '../service/http-client.ts';
import { Finding } from '../runner/finding.ts';
import { nearlyValidValue, validValue, withoutReferences } from '../generators/json-schema.ts';
import type { Schema } from '../generators/json-schema.ts';
import { Oracle } from '../runner/oracle.ts';
import type { Service } from '../service/service.ts';
import { checkProperty } from '../runner/suite.ts';
import type { Budget, Suite } from '../runner/suite.ts';

interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  schema: Schema;
}

/** An operation of the OpenAPI document. */
export interface OperationSpec {
  method: string;
  template: string;
  id: string;
  parameters: Parameter[];
  body: (Schema & { properties: Record<string, Schema> }) | undefined;
}

const isInlineParameter = (parameter: NonNullable<Operation['parameters']>[number]): parameter is Parameter =>
  'name' in parameter;

const isJsonOnly = (content: object) => Object.keys(content).join() === 'application/json';

/** Requests of this suite accept JSON. */
const isOfExport = ({ description = '' }: Parameter & { description?: string }) =>
  description.startsWith('Only with `Accept:');

/** All operations of the document. */
export const OPERATIONS: OperationSpec[] = Object.entries(openApi.paths).flatMap(([template, verbs]) =>
  Object.entries(verbs)
    .filter(([, operation]) => operation.operationId !== undefined)
    // Files have tests of their own in test/import and test/rest/files.
    .filter(([, { requestBody }]) => requestBody === undefined || isJsonOnly(requestBody.content))
    .map(([method, operation]) => {
      const schema = operation.requestBody?.content['application/json']?.schema;
      return {
        method: method.toUpperCase(),
        template,
        id: operation.operationId,
        parameters: (operation.parameters ?? [])
          .filter(isInlineParameter)
          .filter((parameter) => !isOfExport(parameter)),
        body: withoutReferences(schema, openApi) as OperationSpec['body'],
      };
    }),
);

/** Existing resources for the paths. Half of the cases use them; the others use generated ids. */
export interface ExistingIds {
  framework: number;
  taskUniqueId: string;
  vendor: string;
  webhook: string;
  comment: string;
  evidence: string;
}

/** The generated input of an operation. */
interface GeneratedInput {
  operation: string;
  /** Without the omitted parameters. */
  parameters: Record<string, unknown>;
  body: Record<string, unknown> | undefined;
  /** Name of the invalid parameter or body field; undefined for a valid input. */
  invalidField: string | undefined;
}

export const findOperation = (id: string): OperationSpec => {
  const operation = OPERATIONS.find((candidate) => candidate.id === id);
  if (operation === undefined) throw new Error(`the document has no operation ${id}`);
  return operation;
};

const toRequest = ({ operation: id, parameters, body }: GeneratedInput, existing: ExistingIds): HttpRequest => {
  const { method, template } = findOperation(id);
  const text = (name: string) => encodeURIComponent(urlText(parameters[name] ?? Reflect.get(existing, name)));
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => text(name));
  const query = Object.keys(parameters)
    .filter((name) => !isPathParameter(id, name))
    // A filter may have the name of a resource, and null is a value of it.
    .map((name) => `${name}=${encodeURIComponent(queryText(findParameter(id, name)?.schema, parameters[name]))}`);
  return { method, path: [path, query.join('&')].filter(Boolean).join('?'), body };
};

/** Returns the text of a value in a URL: a string unchanged, any other value as JSON. */
const urlText = (value: unknown): string => {
  if (typeof value === 'string') return value.toWellFormed();
  return value === undefined ? 'undefined' : JSON.stringify(value).toWellFormed();
};

/** Text of a value in a query: the values of a list are separated by commas. */
const queryText = (schema: Schema | undefined, value: unknown): string =>
  schema?.type === 'array' && Array.isArray(value) ? value.map(urlText).join(',') : urlText(value);

const findParameter = (id: string, name: string) =>
  findOperation(id).parameters.find((parameter) => parameter.name === name);

const record = (fields: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[]) =>
  fc.record(fields, { requiredKeys });

/** Generates valid inputs. They have no cursor, as a generated cursor is never valid. */
function validInputArbitrary(operation: OperationSpec): fc.Arbitrary<GeneratedInput> {
  const supported = operation.parameters.filter(({ name }) => name !== 'cursor');
  const fields = Object.fromEntries(
    supported.map(({ name, in: location, schema }) => [
      name,
      location === 'path' ? validValue(schema).filter((value) => value !== '') : validValue(schema),
    ]),
  );
  // Without an id in the path, the request names one that exists.
  const requiredKeys = supported.filter(({ in: location, required }) => location === 'query' && required);
  const parameters = record(
    fields,
    requiredKeys.map(({ name }) => name),
  );
  const body = operation.body === undefined ? fc.constant(undefined) : validValue(operation.body);
  return fc.tuple(parameters, body as fc.Arbitrary<GeneratedInput['body']>).map(([values, object]) => ({
    operation: operation.id,
    parameters: values,
    body: object,
    invalidField: undefined,
  }));
}

/** Generates inputs with one invalid, missing or unknown field. */
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
      .map(([input, value, isOmitted]) => {
        const isRequired = isField && body?.required?.includes(name) === true;
        const withInvalid = (fields: Record<string, unknown>) => {
          const { [name]: _, ...rest } = fields;
          return isRequired && isOmitted ? rest : { ...rest, [name]: value };
        };
        // An empty path parameter would lead to a different path.
        const isEmptyInPath =
          value === '' && operation.parameters.some((parameter) => parameter.name === name && parameter.in === 'path');
        if (isEmptyInPath) return input;
        const { body: bodyFields = {}, parameters } = input;
        return isField
          ? { operation: operation.id, parameters, body: withInvalid(bodyFields), invalidField: name }
          : { operation: operation.id, parameters: withInvalid(parameters), body: input.body, invalidField: name };
      }),
  );
}

/** Messages of rules that JSON Schema cannot express. Their 400 is correct although the schema accepts the input. */
const UNDOCUMENTED_RULES =
  /UTF-16|well-formed|contradicts|either sequence or since|of 1 to|of at most|a calendar date|a moment|uniqueIds of members|a name without|with view=full|(?:seed|limit): (?:required|expected only) with sort=sample|items\.\d+|(?:name|title): required/;

const isPathParameter = (id: string, name: string) => findOperation(id).template.includes(`{${name}}`);

function checkStatus(input: GeneratedInput, status: number, text: string, requestText: string): void {
  if (status === 431) return;
  const violation = schemaViolation(input);
  // The maximum number of gaps is a rule: 422, after the 404 of an unknown id in the path. The document shows it as maxItems.
  const hasGeneratedId = Object.keys(input.parameters).some((name) => isPathParameter(input.operation, name));
  const isRule =
    (violation === 'data/gaps must NOT have more than 100 items' &&
      (status === 422 || (status === 404 && hasGeneratedId))) ||
    // A number that can be no id is the id of no framework.
    (violation?.startsWith('framework: ') === true && status === 404);
  if (violation !== undefined && status !== 400 && !isRule)
    throw new Finding('unexpected response', `${status} instead of 400, although ${violation}: ${requestText}`);
  if (violation === undefined && status === 400 && input.invalidField === undefined && !UNDOCUMENTED_RULES.test(text))
    throw new Finding('unexpected response', `400 ${text} for an input that the document accepts: ${requestText}`);
}

/** Value of a query parameter as the service reads it. */
function parsedQueryValue({ type, items }: Schema, text: string): unknown {
  if (type === 'array' && items !== undefined) return text.split(',').map((value) => parsedQueryValue(items, value));
  if (type === 'integer' && /^(0|[1-9]\d*)$/.test(text)) return Number(text);
  return type === 'boolean' && (text === 'true' || text === 'false') ? text === 'true' : text;
}

/** Returns the schema violation of a query or a body. Ignores path parameters: an invalid id may get 404. */
function schemaViolation({ operation: id, parameters, body }: GeneratedInput): string | undefined {
  const operation = findOperation(id);
  for (const [name, value] of Object.entries(parameters)) {
    const parameter = findParameter(id, name);
    if (parameter === undefined) return `${name} is unknown`;
    if (parameter.in === 'path') continue;
    const text = queryText(parameter.schema, value);
    const violation = schemaError(parameter.schema, parsedQueryValue(parameter.schema, text));
    if (violation !== undefined) return `${name}: ${violation}`;
  }
  return operation.body && schemaError(operation.body, JSON.parse(JSON.stringify(body)));
}

/** Cases per pair of companies. */
const CASES_PER_COMPANY = 40;

/** Calls every operation of the document with valid inputs from its schemas, and with one invalid field. */
export const documentSuite: Suite = {
  name: 'document',
  timeShare: 2,
  run(service, budget) {
    const arbitrary = fc
      .constantFrom(...OPERATIONS)
      .chain((operation) => fc.oneof(validInputArbitrary(operation), nearlyValidArbitrary(operation)));
    return checkWithFixtures(
      service,
      budget,
      CASES_PER_COMPANY,
      arbitrary,
      async (input, { company, oracle, existing }) => {
        const request = toRequest(input, existing);
        const { status, text } = await oracle.sendAndCheck(request, { company, key: company.keys.full });
        checkStatus(input, status, text, `${request.method} ${request.path} ${JSON.stringify(request.body)}`);
        if (request.method === 'DELETE' && status === 204)
          Object.assign(existing, await createResources(company, oracle));
      },
    );
  },
};

export interface TestFixture {
  company: Company;
  oracle: Oracle;
  existing: ExistingIds;
}

/** Creates two companies with resources. The requests use the first company. */
export async function createFixture(service: Service): Promise<TestFixture> {
  const company = await createMarkedCompany(service);
  const other = await createMarkedCompany(service);
  const oracle = await Oracle.create(service, [company, other]);
  await createResources(other, oracle);
  return { company, oracle, existing: await createResources(company, oracle) };
}

/**
 * Checks a property with a fixture: a new one after some cases, which keeps the tables small and the comparisons fast.
 * @returns the number of cases
 */
export async function checkWithFixtures<T>(
  service: Service,
  budget: Budget,
  casesPerCompany: number,
  arbitrary: fc.Arbitrary<T>,
  check: (testCase: T, fixture: TestFixture) => Promise<void>,
): Promise<number> {
  let fixture: TestFixture | undefined;
  let count = 0;
  const checkNext = async (testCase: T) => {
    if (fixture === undefined || (count += 1) % casesPerCompany === 0) {
      fixture?.oracle.release();
      fixture = await createFixture(service);
    }
    return check(testCase, fixture);
  };
  const caseCount = await checkProperty(arbitrary, checkNext, budget);
  fixture?.oracle.release();
  return caseCount;
}

/** Creates a task, a vendor, a webhook whose host does not exist, and another vendor with a comment and evidence. */
async function createResources(company: Company, oracle: Oracle): Promise<ExistingIds> {
  const caller = { company, key: company.keys.full };
  const create = async (procedure: string, body: object) =>
    String(
      trpcData(await oracle.sendAndCheck({ method: 'POST', path: `/trpc/${procedure}`, body }, caller))['uniqueId'],
    );
  const [framework] = company.frameworks;
  // A deletion of the first vendor has one event.
  const other = await create('vendor.create', { name: `Other ${company.marker}` });
  return {
    framework,
    taskUniqueId: await create('task.create', { framework, title: `Task ${company.marker}` }),
    vendor: await create('vendor.create', { name: `Vendor ${company.marker}` }),
    webhook: await create('webhook.create', { url: 'https://hooks.invalid/' }),
    comment: await create('comment.create', { vendor: other, text: `Comment ${company.marker}` }),
    evidence: await create('evidence.link', { vendor: other, name: 'Report', url: 'https://files.invalid/' }),
  };
}
