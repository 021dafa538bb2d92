import * as fc from 'fast-check';
import type { HttpResponse, HttpRequest } from '../service/http-client.ts';
import { errorMessage } from './coercion.ts';
import { trpcData } from '../service/companies.ts';
import { INVALID_TEXTS, findActiveContent, markup, validText } from '../generators/text-corpus.ts';
import { checkWithFixtures } from './document.ts';
import type { TestFixture } from './document.ts';
import { Finding } from '../runner/finding.ts';
import { dedupeLabels } from '../model/company-model.ts';
import type { Suite } from '../runner/suite.ts';

const VENDORS = '/external/smart-inventory/vendor';

type SendRequest = (request: HttpRequest) => Promise<HttpResponse>;

function assertResponse(isCorrect: boolean, description: string, response: HttpResponse): void {
  if (!isCorrect)
    throw new Finding('unexpected response', `${description}: ${response.status} ${response.text.slice(0, 1000)}`);
}

const bodyField = ({ body }: HttpResponse, name: string): unknown => Reflect.get(Object(body), name);

/** Returns labels as the service stores them. */
const normalizeLabels = (labels: readonly string[]): string[] => dedupeLabels(labels.map((label) => label.trim()));

/** True for a name with a visible character, without line ends and control characters. */
const isName = (text: string): boolean =>
  !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) &&
  /[\p{L}\p{N}\p{P}\p{S}]/u.test(text.replaceAll(/[\p{Default_Ignorable_Code_Point}\u2800]/gu, ''));

/** Checks that names, titles and labels are returned trimmed and otherwise unchanged, and that searches find them. */
async function checkNames(
  send: SendRequest,
  { existing }: TestFixture,
  name: string,
  labels: readonly string[],
): Promise<void> {
  const vendor = await send({ method: 'POST', path: `${VENDORS}/new`, body: { name } });
  const trimmed = name.trim();
  if (!isName(trimmed)) {
    assertResponse(
      vendor.status === 400 && errorMessage(vendor).startsWith('name: '),
      `the name ${JSON.stringify(name)}`,
      vendor,
    );
    return;
  }
  assertResponse(
    vendor.status === 201 && bodyField(vendor, 'name') === trimmed,
    `a vendor named ${JSON.stringify(name)}`,
    vendor,
  );
  const listed = await send({ method: 'GET', path: `${VENDORS}/list` });
  const isListed = (listed.body as { uniqueId: string; name: string }[]).some(
    ({ uniqueId, name: listedName }) => uniqueId === bodyField(vendor, 'uniqueId') && listedName === trimmed,
  );
  assertResponse(isListed, `${JSON.stringify(name)} is not in the list`, listed);
  const searched = await send({ method: 'GET', path: `${VENDORS}/list?limit=500&q=${encodeURIComponent(trimmed)}` });
  assertResponse(
    searched.text.includes(String(bodyField(vendor, 'uniqueId'))),
    `${JSON.stringify(trimmed)} is not found`,
    searched,
  );
  const body = { title: name, labels };
  const path = `/external/task/framework/${existing.framework}`;
  const task = await send({ method: 'POST', path: `${path}/new`, body });
  assertResponse(
    task.status === 201 && bodyField(task, 'title') === trimmed,
    `a task titled ${JSON.stringify(name)}`,
    task,
  );
  assertResponse(
    JSON.stringify(bodyField(task, 'labels')) === JSON.stringify(normalizeLabels(labels)),
    `labels ${JSON.stringify(labels)}`,
    task,
  );
  const [label] = normalizeLabels(labels);
  const labelFilter = label === undefined ? '' : `&label=${encodeURIComponent(label)}`;
  const matches = await send({
    method: 'GET',
    path: `${path}/list?limit=100&q=${encodeURIComponent(trimmed)}${labelFilter}`,
  });
  assertResponse(
    matches.text.includes(String(bodyField(task, 'uniqueId'))),
    `${JSON.stringify([trimmed, label])} is not found`,
    matches,
  );
  const input = encodeURIComponent(JSON.stringify({ taskUniqueId: bodyField(task, 'uniqueId') }));
  const called = await send({ method: 'GET', path: `/trpc/task.get?input=${input}` });
  assertResponse(
    trpcData(called)['title'] === trimmed,
    `the title over tRPC is not ${JSON.stringify(trimmed)}`,
    called,
  );
}

/** Checks that text without `<` is stored unchanged, that HTML is sanitized, and that sanitizing it repeated changes nothing. */
async function checkDescriptions(send: SendRequest, { existing }: TestFixture, html: string): Promise<void> {
  const description = html.slice(0, 20_000);
  const path = `${VENDORS}/${existing.vendor}/edit`;
  const headers = { Prefer: 'return=representation' };
  const updated = await send({ method: 'PATCH', path, headers, body: { description } });
  const clean = String(bodyField(updated, 'description'));
  assertResponse(updated.status === 200, `the description ${JSON.stringify(description)}`, updated);
  assertResponse(
    description.includes('<') || clean === description,
    `text is changed: ${JSON.stringify(description)}`,
    updated,
  );
  assertResponse(
    !description.includes('<') || findActiveContent(clean) === undefined,
    `${findActiveContent(clean)} remains of ${JSON.stringify(description)}`,
    updated,
  );
  const repeated = await send({ method: 'PATCH', path, headers, body: { description: clean } });
  assertResponse(
    repeated.status === 200 && bodyField(repeated, 'version') === bodyField(updated, 'version'),
    'sanitizing is not idempotent',
    repeated,
  );
  const task = await send({
    method: 'PATCH',
    path: `/external/task/${existing.taskUniqueId}/edit`,
    body: { description },
  });
  assertResponse(bodyField(task, 'description') === clean, 'a task and a vendor are sanitized differently', task);
}

/** Checks that text that cannot be stored gets 400 in every text field. */
async function checkInvalidText(send: SendRequest, { existing }: TestFixture, text: string): Promise<void> {
  const literal = JSON.stringify(text);
  const expectError = async (request: HttpRequest, name: string) => {
    const response = await send(request);
    assertResponse(
      response.status === 400 && errorMessage(response).startsWith(name),
      `${literal} as ${name}`,
      response,
    );
  };
  for (const [name, json] of [
    ['name', `{"name":${literal}}`],
    ['description', `{"name":"x","description":${literal}}`],
  ] as const) {
    await expectError({ method: 'POST', path: `${VENDORS}/new`, body: json }, name);
    await expectError({ method: 'POST', path: '/trpc/vendor.create', body: json }, name);
  }
  const task = `/external/task/${existing.taskUniqueId}/edit`;
  for (const name of ['title', 'description'])
    await expectError({ method: 'PATCH', path: task, body: `{"${name}":${literal}}` }, name);
  await expectError({ method: 'PATCH', path: task, body: `{"labels":["ok",${literal}]}` }, 'labels.1');
  for (const [procedure, name, others] of [
    ['vendor.list', 'q', '"limit":1,'],
    ['task.list', 'q', `"framework":${existing.framework},`],
    ['task.list', 'label', `"framework":${existing.framework},`],
    ['audit.list', 'resourceId', ''],
    ['audit.list', 'cursor', ''],
    ['changes.list', 'cursor', ''],
  ] as const) {
    const input = encodeURIComponent(`{${others}"${name}":${literal.toWellFormed()}}`);
    await expectError({ method: 'GET', path: `/trpc/${procedure}?input=${input}` }, name);
  }
}

const READ_HEADERS = [
  'X-Request-Id',
  'If-None-Match',
  'Accept',
  'Prefer',
  'Accept-Language',
  'Range',
  'Cookie',
  'User-Agent',
  'X-Forwarded-For',
  'Forwarded',
  'Origin',
  'Referer',
  'Content-Encoding',
  'Content-Type',
  'Upgrade-Insecure-Requests',
  'Authorization',
  'X-Company-Id',
  'TE',
  'Via',
];
const WRITE_HEADERS = ['If-Match', 'Idempotency-Key', ...READ_HEADERS];

/** Checks that any header value gets a documented response. */
async function checkHeader(send: SendRequest, { existing }: TestFixture, name: string, value: string): Promise<void> {
  const bytes = Buffer.from(value)
    .toString('latin1')
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '')
    .trim();
  const headers = { [name]: bytes };
  await send({ method: 'GET', path: `${VENDORS}/${existing.vendor}/item`, headers });
  await send({
    method: 'PATCH',
    path: `${VENDORS}/${existing.vendor}/edit`,
    headers,
    body: { name: `x${value.length}` },
  });
  if (name !== 'Accept') await send({ method: 'GET', path: '/trpc/vendor.list', headers });
}

type TextCase =
  | { kind: 'names'; name: string; labels: string[] }
  | { kind: 'description'; html: string }
  | { kind: 'invalid text'; text: string }
  | { kind: 'header'; name: string; value: string };

const names = { name: validText(255), labels: fc.array(validText(50), { maxLength: 4 }) };
const header = {
  name: fc.constantFrom(...WRITE_HEADERS),
  value: fc.oneof(validText(200), fc.string({ maxLength: 40 })),
};
const caseArbitrary: fc.Arbitrary<TextCase> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('names'), ...names }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('description'), html: fc.oneof(markup, validText(255)) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('invalid text'), text: fc.constantFrom(...INVALID_TEXTS) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('header'), ...header }) },
);

function runCase(send: SendRequest, fixture: TestFixture, testCase: TextCase): Promise<void> {
  switch (testCase.kind) {
    case 'names':
      return checkNames(send, fixture, testCase.name, testCase.labels);
    case 'description':
      return checkDescriptions(send, fixture, testCase.html);
    case 'invalid text':
      return checkInvalidText(send, fixture, testCase.text);
    case 'header':
    default:
      return checkHeader(send, fixture, testCase.name, testCase.value);
  }
}

/** Cases per pair of companies. */
const CASES_PER_COMPANY = 25;

/** Sends text of every kind in every text field: it must be stored unchanged and found, sanitized, or rejected. */
export const textSuite: Suite = {
  name: 'text',
  timeShare: 2,
  run: (service, budget) =>
    checkWithFixtures(service, budget, CASES_PER_COMPANY, caseArbitrary, (testCase, fixture) => {
      const { company, oracle } = fixture;
      const caller = { company, key: company.keys.full };
      return runCase((request) => oracle.sendAndCheck(request, caller), fixture, testCase);
    }),
};
