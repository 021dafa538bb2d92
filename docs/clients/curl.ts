// Writes curl.md, a command for every operation, from the document: npm run docs:curl
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApiDocument } from '../../server/openapi.ts';

/** Where the page is kept. */
export const PAGE = join(import.meta.dirname, 'curl.md');

const INTRODUCTION = `# With curl

A command for every operation, made from the OpenAPI document by \`npm run docs:curl\`. Give the variables your values
first: your key, the framework, and below the \`uniqueId\` that a creation answered. How lists are filtered and paged is in
[paging.md](../paging.md).`;

type Paths = NonNullable<ReturnType<typeof openApiDocument>['paths']>;
type Operation = NonNullable<Paths[string]['get']>;

interface Shown {
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
}

/** The page: the variables, then each operation with its command and its answer, in the order of the document. */
export function curlPage(): string {
  const { paths = {} } = openApiDocument();
  const parts = Object.entries(paths).flatMap(([path, { get, post, patch, delete: remove }]) =>
    Object.entries({ GET: get, POST: post, PATCH: patch, DELETE: remove }).flatMap(([verb, operation]) =>
      operation === undefined ? [] : [partOf(verb, path, operation)],
    ),
  );
  const names = new Set(Object.keys(paths).flatMap((path) => [...path.matchAll(PARAMETER)].map(([, name]) => name)));
  const variables = ['API=http://127.0.0.1:3000', 'KEY=svc_sk_live_…', ...[...names].map((name) => `${shell(name)}=…`)];
  return `${[INTRODUCTION, block('sh', variables.join('\n')), ...parts].join('\n\n')}\n`;
}

const PARAMETER = /\{(\w+)\}/g;

/** The variable that stands for a parameter: `TASK_UNIQUE_ID`. */
const shell = (name = '') => name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

function partOf(verb: string, path: string, { summary = '', description, requestBody, responses = {} }: Operation) {
  const body = requestBody === undefined || '$ref' in requestBody ? undefined : requestBody.content;
  const sent: unknown = body?.['application/json']?.example;
  // Where it may answer nothing, it does unless it is asked to.
  const [status = '', answer] =
    Object.entries(responses).find(([code]) => code === '204') ?? Object.entries(responses)[0] ?? [];
  const content: Record<string, Shown> = answer.content ?? {};
  const [first] = Object.keys(content);
  const shown = Object.entries(content).flatMap(([type, { example: only, examples }]) => {
    const example = only ?? Object.values(examples ?? {})[0]?.value;
    return [
      block('sh', commandOf(verb, path, sent, type === first ? undefined : type)),
      `Answers ${status}, \`${type}\`:`,
      block('json', typeof example === 'string' ? example.trim() : JSON.stringify(example, null, 2)),
    ];
  });
  if (first === undefined) shown.push(block('sh', commandOf(verb, path, sent, undefined)), `Answers ${status}.`);
  return [`## ${summary}`, ...(description === undefined ? [] : [description]), ...shown].join('\n\n');
}

function commandOf(verb: string, path: string, sent: unknown, accept: string | undefined): string {
  const target = path.replaceAll(PARAMETER, (_, name: string) => `$${shell(name)}`);
  return [
    `curl${verb === 'GET' ? '' : ` -X ${verb}`} "$API${target}"`,
    '-H "X-API-Key: $KEY"',
    ...(accept === undefined ? [] : [`-H 'Accept: ${accept}'`]),
    ...(sent === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${quoted(JSON.stringify(sent))}'`]),
  ].join(' \\\n  ');
}

const quoted = (text: string) => text.replaceAll("'", String.raw`'\''`);
const block = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;

if (import.meta.main) await writeFile(PAGE, curlPage());
