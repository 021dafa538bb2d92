import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Document, Ruleset, Spectral } from '@stoplight/spectral-core';
import type { RulesetDefinition } from '@stoplight/spectral-core';
import { Json } from '@stoplight/spectral-parsers';
import { expect, test } from 'vitest';
import { openApiText } from '../../server/openapi/document.ts';
import { openApi, schemaError } from '../support/openapi/conformance.ts';
import type { Operation } from '../support/openapi/conformance.ts';
import { EXCEPTIONS, everyRule, recommended } from '../support/openapi/spectral-ruleset.ts';

const root = join(import.meta.dirname, '../..');

// The rules require TLS, which the server of the tests has not.
const documentText = openApiText('https://compliance.test');

/** The rule about headers of CORS reads every property that is called `headers`, also that of a webhook endpoint. */
const CORS_RULE = 'owasp:api8:2023-define-cors-origin';
const IS_RESPONSE = /^(?:paths\/.*|webhooks\/.*|components)\/responses\/[^/]+\/headers$/;

/** Findings of a ruleset in the document. */
async function findings(rules: RulesetDefinition) {
  const linter = new Spectral();
  linter.setRuleset(new Ruleset(rules, { source: '/rules.json' }));
  const results = await linter.run(new Document(documentText, Json, '/openapi.json'));
  return results
    .map(({ code, message, path }) => ({ rule: String(code), path: path.join('/'), message }))
    .filter(({ rule, path }) => rule !== CORS_RULE || IS_RESPONSE.test(path));
}

const byRule = <Finding extends { rule: string }>(items: readonly Finding[]) =>
  items.toSorted((a, b) => a.rule.localeCompare(b.rule));

test('the document follows all OpenAPI rules of Spectral and all OWASP rules, except for exactly the listed findings', async () => {
  const listed = EXCEPTIONS.map(({ rule, path }) => ({ rule, path, message: expect.any(String) }));
  expect(byRule(await findings(everyRule))).toEqual(byRule(listed));
});

test('the document follows the unmodified rules spectral:oas without warnings', async () => {
  expect(await findings(recommended)).toEqual([]);
});

test('the document follows the recommended-strict rules of Redocly', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
  const file = join(folder, 'openapi.json');
  await writeFile(file, documentText);
  // Prevents the Redocly CLI from contacting the registry for a newer version.
  const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off' };
  const redocly = fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js'));
  const args = [redocly, 'lint', file, '--config=redocly.yaml', '--format=json'];
  const lint = promisify(execFile)(process.execPath, args, { cwd: root, env });
  const { stdout } = await lint.catch((error: { stdout: string }) => error);
  await rm(folder, { recursive: true });
  expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
});

interface Segment {
  text: string;
  /** Schema of a parameter. */
  schema: object | undefined;
}

const accepts = ({ schema }: Segment, { text }: Segment) =>
  schema !== undefined && schemaError(schema, /^\d+$/.test(text) ? Number(text) : text) === undefined;
const overlap = (a: Segment, b: Segment | undefined): boolean =>
  b !== undefined && (a.schema && b.schema ? true : a.text === b.text || accepts(a, b) || accepts(b, a));

/** Pairs of paths that a request with valid parameters can match. */
function ambiguousPaths(paths: Record<string, Record<string, Pick<Operation, 'parameters'>>>): [string, string][] {
  const all = Object.entries(paths).map(([path, operations]) => {
    const parameters = Object.values(operations).flatMap((operation) => operation.parameters ?? []);
    const schemas = new Map(parameters.flatMap((one) => ('name' in one ? [[`{${one.name}}`, one.schema]] : [])));
    return { path, segments: path.split('/').map((text): Segment => ({ text, schema: schemas.get(text) })) };
  });
  return all.flatMap(({ path, segments }, index) =>
    all
      .slice(index + 1)
      .filter((other) => other.segments.length === segments.length)
      .filter((other) => other.segments.every((segment, position) => overlap(segment, segments[position])))
      .map((other): [string, string] => [path, other.path]),
  );
}

test('no request with valid parameters matches two paths', () => {
  expect(ambiguousPaths(openApi.paths)).toEqual([]);
});

test('paths with parameters in different places are ambiguous if each parameter accepts the segment of the other path', () => {
  const path = (name: string, schema: object) => ({
    get: { parameters: [{ name, in: 'path', required: true, schema }] },
  });
  const tasks = (schema: object) => ({ '/task/framework/{framework}/list': path('framework', schema) });
  const comments = (schema: object) => ({ '/task/{task}/comment/list': path('task', schema) });
  const text = { type: 'string' };
  const uuid = { type: 'string', format: 'uuid' };
  expect(ambiguousPaths({ ...tasks({ type: 'integer' }), ...comments(uuid) })).toEqual([]);
  expect(ambiguousPaths({ ...tasks({ type: 'integer' }), ...comments(text) })).toEqual([]);
  expect(ambiguousPaths({ ...tasks(text), ...comments(uuid) })).toEqual([]);
  expect(ambiguousPaths({ ...tasks(text), ...comments(text) })).toHaveLength(1);
});
