import { TAGS, serviceRouter } from '../../procedures/index.ts';
import { openApiDocument } from '../openapi/document.ts';
import { compileRoutes } from '../rest/routes.ts';
import { fieldTable } from './field-tables.ts';
import type { Schemas } from './field-tables.ts';

const INTRODUCTION = `# REST reference

Every operation of the REST API with its parameters, a curl command and the response. The commands run in the order of this page on a new
installation. Set the variables first. \`KEY\` is an API key with every scope, which an admin creates in the application, \`FRAMEWORK\` the id of a framework, and \`SOURCE\` and
\`EXTERNAL_ID\` name an object by its id in your own system. Later commands need the \`uniqueId\` of earlier responses; the page says
which variable to set.`;

const DELETIONS = `## Deletions

What the commands above created is deleted last, because other commands use it.`;

/** Values of the variables of the page that no response gives. */
const GIVEN = { KEY: 'svc_sk_live_…', FRAMEWORK: '1', SOURCE: 'servicenow', EXTERNAL_ID: 'VEN-0042' };

/** What must have happened before an operation is called. */
const CONDITIONS: Readonly<Record<string, string>> = {
  undoImport: 'The import must have ended. Read its progress until `state` is `done`.',
  getProofContent: 'The proof must have been made. Read it until `state` is `done`.',
};

/** Other statuses that the commands of the page may return. */
const OTHER_STATUSES: Readonly<Record<string, string>> = {
  cancelImport: 'or 409 if the import has ended',
};

type Paths = NonNullable<ReturnType<typeof openApiDocument>['paths']>;
type Operation = NonNullable<Paths[string]['get']>;

/** The body of an operation that takes any file, with its type. */
const EXAMPLE_FILE = ['text/plain', 'Reviewed and signed.'] as const;

interface ExampleContent {
  schema?: unknown;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
}

/** The part of an operation. */
interface Section {
  tag: string;
  isDeletion: boolean;
  text: string;
}

/** Renders each operation with its command and response, in the order of the document. */
function commandSections(): Section[] {
  const { paths = {}, components: { schemas = {} } = {} } = openApiDocument();
  const variables = createdVariables();
  return Object.entries(paths).flatMap(([path, { get, post, put, patch, delete: remove }]) =>
    Object.entries({ PUT: put, GET: get, POST: post, PATCH: patch, DELETE: remove }).flatMap(([verb, operation]) => {
      if (operation === undefined) return [];
      const text = operationSection({ verb, path, variable: variables.get(`${verb} ${path}`), schemas }, operation);
      return [{ tag: operation.tags?.[0] ?? '', isDeletion: verb === 'DELETE', text }];
    }),
  );
}

/** Renders the page. @param api origin of the service in the commands */
export function commandsPage(api: string): string {
  const sections = commandSections();
  const variables = Object.entries({ API: api, ...GIVEN }).map(([name, value]) => `${name}=${value}`);
  const groups = TAGS.flatMap(({ name, description }) => {
    const own = sections.filter(({ tag, isDeletion }) => tag === name && !isDeletion).map(({ text }) => text);
    return [`## ${name}`, description, ...own];
  });
  // Backwards, because the deletion of an object also deletes what belongs to it.
  const deletions = TAGS.flatMap(({ name }) => sections.filter(({ tag, isDeletion }) => tag === name && isDeletion))
    .toReversed()
    .map(({ text }) => text);
  const parts = [INTRODUCTION, codeBlock('sh', variables.join('\n')), ...groups, DELETIONS, ...deletions];
  return `${parts.join('\n\n')}\n`;
}

const PATH_PARAMETER = /\{(\w+)\}/g;

/** Name of the shell variable of a path parameter: `TASK_UNIQUE_ID`. */
const shellVariable = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** Variables that hold the ids of objects that operations create, by verb and path. */
function createdVariables(): Map<string, string> {
  const routes = compileRoutes(serviceRouter);
  return new Map(
    routes.flatMap(({ method, template, response }) => {
      const location = response.kind === 'json' ? response.location : undefined;
      // The same path with the name of the parameter, which the operation that reads the object has.
      const [name] =
        routes.find((other) => other.template.replaceAll(PATH_PARAMETER, '{uniqueId}') === location)?.pathParameters ??
        [];
      return name === undefined ? [] : [[`${method} ${template}`, shellVariable(name)] as const];
    }),
  );
}

interface Place {
  verb: string;
  path: string;
  /** Variable that holds the id of what the operation creates. */
  variable: string | undefined;
  schemas: Schemas;
}

function operationSection(
  { verb, path, variable, schemas }: Place,
  { operationId = '', summary = '', description, requestBody, responses = {}, parameters = [] }: Operation,
): string {
  const body = requestBody === undefined || '$ref' in requestBody ? undefined : requestBody.content;
  const [given = '', { schema: bodySchema, example: givenExample } = {}] = Object.entries(body ?? {})[0] ?? [];
  const takesAnyFile = isBinary(bodySchema);
  const [bodyType, exampleBody] = takesAnyFile ? EXAMPLE_FILE : [given, givenExample];
  const query = queryOf(takesAnyFile ? parameters : parameters.filter(isRequired));
  const target = query === '' ? path : `${path}?${query}`;
  // An operation that may return 204 does so by default, and one that may create something creates it on this page.
  const [status = '', response] =
    ['204', '201', '202', '200'].flatMap((code) => (code in responses ? [[code, responses[code]] as const] : []))[0] ??
    [];
  // The same file as `application/octet-stream`.
  const { '*/*': _anyType, ...content }: Record<string, ExampleContent> = response.content ?? {};
  const [first] = Object.keys(content);
  const blocks = Object.entries(content).flatMap(([type, { schema, example: only, examples }]) => {
    const example = only ?? Object.values(examples ?? {})[0]?.value;
    const command = codeBlock(
      'sh',
      curlCommand(verb, target, bodyType, exampleBody, type === first ? undefined : type),
    );
    if (isBinary(schema)) return [command, `Returns ${status}: the file.`];
    return [
      command,
      `Returns ${status}, \`${type}\`:`,
      codeBlock(
        type === 'text/csv' ? 'csv' : 'json',
        typeof example === 'string' ? example.trim() : JSON.stringify(example, null, 2),
      ),
    ];
  });
  if (first === undefined)
    blocks.push(
      codeBlock('sh', curlCommand(verb, target, bodyType, exampleBody, undefined)),
      `Returns ${[status, OTHER_STATUSES[operationId]].filter((part) => part !== undefined).join(', ')}.`,
    );
  return [
    `### ${summary}`,
    ...(description === undefined ? [] : [description]),
    `\`${verb} ${path}\``,
    ...queryTable(parameters, schemas),
    ...(given === 'application/json' && bodySchema !== undefined
      ? ['Fields of the body:', fieldTable(bodySchema, schemas)]
      : []),
    ...(CONDITIONS[operationId] === undefined ? [] : [CONDITIONS[operationId]]),
    ...blocks,
    ...(variable === undefined ? [] : [`Set \`${variable}\` to the \`uniqueId\` of this response.`]),
  ].join('\n\n');
}

/** The table of the parameters of a query. */
function queryTable(parameters: NonNullable<Operation['parameters']>, schemas: Schemas): string[] {
  const own = parameters.flatMap((parameter) => ('$ref' in parameter || parameter.in !== 'query' ? [] : [parameter]));
  if (own.length === 0) return [];
  const properties = Object.fromEntries(
    own.map(({ name, schema = {}, description = '' }) => [name, { ...schema, description }]),
  );
  const required = own.filter(isRequired).map(({ name }) => name);
  return ['Parameters of the query:', fieldTable({ type: 'object', properties, required }, schemas)];
}

const isBinary = (schema: unknown) => Reflect.get(Object(schema), 'format') === 'binary';

const isRequired = (parameter: object) => Reflect.get(parameter, 'required') === true;

/** Parameters of a query, with their examples. */
const queryOf = (parameters: NonNullable<Operation['parameters']>): string =>
  parameters
    .flatMap((parameter) =>
      '$ref' in parameter || parameter.in !== 'query'
        ? []
        : [`${parameter.name}=${encodeURIComponent(String(parameter.example))}`],
    )
    .join('&');

function curlCommand(verb: string, path: string, bodyType: string, body: unknown, accept: string | undefined): string {
  const target = path.replaceAll(PATH_PARAMETER, (_, name: string) => `$${shellVariable(name)}`);
  return [
    `curl${verb === 'GET' ? '' : ` -X ${verb}`} "$API${target}"`,
    '-H "X-API-Key: $KEY"',
    ...(accept === undefined ? [] : [`-H 'Accept: ${accept}'`]),
    ...(body === undefined ? [] : [`-H 'Content-Type: ${bodyType}'`, bodyOption(body)]),
  ].join(' \\\n  ');
}

/** Sends JSON, or a file with its line breaks. */
const bodyOption = (body: unknown): string =>
  typeof body === 'string'
    ? `--data-binary '${escapeSingleQuotes(body.replaceAll('\r\n', '\n').trim())}'`
    : `-d '${escapeSingleQuotes(JSON.stringify(body))}'`;

const escapeSingleQuotes = (text: string) => text.replaceAll("'", String.raw`'\''`);
const codeBlock = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;
