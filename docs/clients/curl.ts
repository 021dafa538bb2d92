// Writes curl.md, a command for every operation, from the OpenAPI document: npm run docs:curl
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApiDocument } from '../../server/openapi/document.ts';

/** Path of the generated page. */
export const PAGE_PATH = join(import.meta.dirname, 'curl.md');

const INTRODUCTION = `# Client: curl

A command for every operation, generated from the OpenAPI document by \`npm run docs:curl\`. Set the variables first: your
key, a framework id, and the \`uniqueId\` that a creation returned. [Pagination](../pagination.md) shows how to read long lists.
[The contract](../contract.md) has the rules.`;

type Paths = NonNullable<ReturnType<typeof openApiDocument>['paths']>;
type Operation = NonNullable<Paths[string]['get']>;

/** The body of an operation that takes any file, with its type. */
const EXAMPLE_FILE = ['text/plain', 'Reviewed and signed.'] as const;

interface ExampleContent {
  schema?: unknown;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
}

/** Renders each operation with its command and response, in the order of the document. */
export function curlSections(): { template: string; text: string }[] {
  return Object.entries(openApiDocument().paths ?? {}).flatMap(
    ([template, { get, post, put, patch, delete: remove }]) =>
      Object.entries({ PUT: put, GET: get, POST: post, PATCH: patch, DELETE: remove }).flatMap(([verb, operation]) =>
        operation === undefined ? [] : [{ template, text: operationSection(verb, template, operation) }],
      ),
  );
}

/** Renders the variables, then the sections. */
export function curlPage(): string {
  const sections = curlSections();
  const names = new Set(
    sections.flatMap(({ template }) => [...template.matchAll(PATH_PARAMETER)].map(([, name]) => name)),
  );
  const variables = [
    'API=http://127.0.0.1:3000',
    'KEY=svc_sk_live_…',
    ...[...names].map((name) => `${shellVariable(name)}=…`),
  ];
  const texts = sections.map(({ text }) => text);
  return `${[INTRODUCTION, codeBlock('sh', variables.join('\n')), ...texts].join('\n\n')}\n`;
}

const PATH_PARAMETER = /\{(\w+)\}/g;

/** Name of the shell variable of a path parameter: `TASK_UNIQUE_ID`. */
export const shellVariable = (name = '') => name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

function operationSection(
  verb: string,
  path: string,
  { summary = '', description, requestBody, responses = {}, parameters = [] }: Operation,
) {
  const body = requestBody === undefined || '$ref' in requestBody ? undefined : requestBody.content;
  const [given = '', { schema: bodySchema, example: givenExample } = {}] = Object.entries(body ?? {})[0] ?? [];
  const takesAnyFile = isBinary(bodySchema);
  const [bodyType, exampleBody] = takesAnyFile ? EXAMPLE_FILE : [given, givenExample];
  const query = queryOf(takesAnyFile ? parameters : parameters.filter(isRequired));
  const target = query === '' ? path : `${path}?${query}`;
  // An operation that may return 204 does so by default.
  const [status = '', response] =
    Object.entries(responses).find(([code]) => code === '204') ?? Object.entries(responses)[0] ?? [];
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
      codeBlock('json', typeof example === 'string' ? example.trim() : JSON.stringify(example, null, 2)),
    ];
  });
  if (first === undefined)
    blocks.push(codeBlock('sh', curlCommand(verb, target, bodyType, exampleBody, undefined)), `Returns ${status}.`);
  return [`## ${summary}`, ...(description === undefined ? [] : [description]), ...blocks].join('\n\n');
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

if (import.meta.main) await writeFile(PAGE_PATH, curlPage());
