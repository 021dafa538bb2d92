import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { serviceRouter } from '../../procedures/index.ts';
import { companyProcedure, router } from '../../procedures/core/trpc.ts';
import { openApiDocument } from '../../server/openapi/document.ts';

const procedures = join(import.meta.dirname, '../..', 'procedures');

/** Adds the file to edit to a problem: the file that names the schema, or else the files of the procedure. */
async function advice(problem: string): Promise<string> {
  const [name = ''] = problem.split(/[. :]/);
  const files = (await readdir(procedures, { recursive: true })).filter((file) => file.endsWith('.ts'));
  const texts = await Promise.all(files.map((file) => readFile(join(procedures, file), 'utf8')));
  const declaring = files.filter((_, index) => texts[index]?.includes(`id: '${name}'`));
  const candidates = declaring.length > 0 ? declaring : files.filter((file) => file.startsWith(name));
  const location = candidates.map((file) => `procedures/${file}`).join(' or ');
  return `${problem}: add examples to its meta() in ${location}, or add the operation to procedures/document/examples.ts`;
}

test('every schema of the document has an example', async () => {
  const problems: string[] = [];
  openApiDocument(serviceRouter, (problem) => problems.push(problem));
  expect(await Promise.all(problems.map(advice))).toEqual([]);
});

test('a schema without an example is reported with its file, and the document is built without this example', async () => {
  const operation = (path: `/${string}`) =>
    companyProcedure('vendor:write')
      .meta({ openapi: { method: 'POST', path, summary: path } })
      .input(z.strictObject({ remark: z.string() }))
      .output(z.strictObject({ remark: z.string() }))
      .mutation(({ input }) => input);
  const problems: string[] = [];
  const routerWithoutExamples = router({ vendor: router({ remark: operation('/external/remark') }) });
  const document = openApiDocument(routerWithoutExamples, (problem) => problems.push(problem));
  expect(problems).toEqual([
    'vendor.remark request.remark: missing example',
    'vendor.remark response.remark: missing example',
  ]);
  expect(await advice(problems[0] ?? '')).toMatch(/: add examples to its meta\(\) in procedures\/vendor\S*\.ts/);
  expect(await advice('Vendor.name: missing example')).toMatch(/ in procedures\/vendor\S*\.ts, or/);
  const post = document.paths?.['/external/remark']?.post;
  expect(JSON.parse(JSON.stringify(post))).toMatchObject({ responses: { 200: { description: 'Success' } } });
  expect(JSON.stringify(post)).not.toContain('"example":');
});
