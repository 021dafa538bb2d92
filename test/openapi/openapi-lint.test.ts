import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Document, Ruleset, Spectral } from '@stoplight/spectral-core';
import type { RulesetDefinition } from '@stoplight/spectral-core';
import { Json } from '@stoplight/spectral-parsers';
import { beforeAll, expect, test } from 'vitest';
import { EXCEPTIONS, everyRule, recommended } from '../support/openapi/spectral-ruleset.ts';
import { http } from '../support/http/server.ts';

const root = join(import.meta.dirname, '../..');

let documentText: string;
beforeAll(async () => {
  documentText = (await http('GET', '/openapi.json')).text;
});

/** Findings of a ruleset in the document. */
async function findings(rules: RulesetDefinition) {
  const linter = new Spectral();
  linter.setRuleset(new Ruleset(rules, { source: '/rules.json' }));
  const results = await linter.run(new Document(documentText, Json, '/openapi.json'));
  return results.map(({ code, message, path }) => ({ rule: String(code), path: path.join('/'), message }));
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
