import * as fc from 'fast-check';
import type { HttpResponse, HttpRequest } from '../service/http-client.ts';
import { errorMessage } from './coercion.ts';
import { trpcData } from '../service/companies.ts';
import { INVALID_TEXTS, findActiveContent, markup, validText } from '../generators/text-corpus.ts';
import { createFixture } from './document.ts';
import type { TestFixture } from './document.ts';
import { Finding } from '../runner/finding.ts';
import { foldCase } from '../model/company-model.ts';
import { checkProperty } from '../runner/suite.ts';
import type { Suite } from '../runner/suite.ts';

const VENDORS = '/external/smart-inventory/vendor';

type SendRequest = (asked: HttpRequest) => Promise<HttpResponse>;

function assertResponse(isSo: boolean, what: string, answer: HttpResponse): void {
  if (!isSo) throw new Finding('unexpected response', `${what}: ${answer.status} ${answer.text.slice(0, 1000)}`);
}

const bodyField = ({ body }: HttpResponse, name: string): unknown => Reflect.get(Object(body), name);

/** Labels as the contract keeps them. */
function normalizeLabels(labels: readonly string[]): string[] {
  const seen = new Set<string>();
  return labels.map((label) => label.trim()).filter((label) => !seen.has(foldCase(label)) && seen.add(foldCase(label)));
}

/** Names, titles and labels come back as they were sent, but for white space around them, on every road, and are found. */
async function checkNames(
  ask: SendRequest,
  { existing: known }: TestFixture,
  name: string,
  labels: readonly string[],
): Promise<void> {
  const made = await ask({ method: 'POST', path: `${VENDORS}/new`, body: { name } });
  const trimmed = name.trim();
  assertResponse(
    made.status === 201 && bodyField(made, 'name') === trimmed,
    `a vendor named ${JSON.stringify(name)}`,
    made,
  );
  const listed = await ask({ method: 'GET', path: `${VENDORS}/list` });
  const isListed = (listed.body as { uniqueId: string; name: string }[]).some(
    (one) => one.uniqueId === bodyField(made, 'uniqueId') && one.name === trimmed,
  );
  assertResponse(isListed, `${JSON.stringify(name)} is not in the list`, listed);
  const searched = await ask({ method: 'GET', path: `${VENDORS}/list?limit=500&q=${encodeURIComponent(trimmed)}` });
  assertResponse(
    searched.text.includes(String(bodyField(made, 'uniqueId'))),
    `${JSON.stringify(trimmed)} is not found`,
    searched,
  );
  const body = { title: name, labels };
  const path = `/external/task/framework/${known.framework}`;
  const task = await ask({ method: 'POST', path: `${path}/new`, body });
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
  const wanted = label === undefined ? '' : `&label=${encodeURIComponent(label)}`;
  const found = await ask({ method: 'GET', path: `${path}/list?limit=100&q=${encodeURIComponent(trimmed)}${wanted}` });
  assertResponse(
    found.text.includes(String(bodyField(task, 'uniqueId'))),
    `${JSON.stringify([trimmed, label])} is not found`,
    found,
  );
  const input = encodeURIComponent(JSON.stringify({ taskUniqueId: bodyField(task, 'uniqueId') }));
  const called = await ask({ method: 'GET', path: `/trpc/task.get?input=${input}` });
  assertResponse(
    trpcData(called)['title'] === trimmed,
    `the title over tRPC is not ${JSON.stringify(trimmed)}`,
    called,
  );
}

/** Text without a `<` comes back as it was sent; HTML loses what acts, and nothing more by being sent again. */
async function checkDescriptions(ask: SendRequest, { existing: known }: TestFixture, html: string): Promise<void> {
  const description = html.slice(0, 20_000);
  const path = `${VENDORS}/${known.vendor}/edit`;
  const shown = { Prefer: 'return=representation' };
  const written = await ask({ method: 'PATCH', path, headers: shown, body: { description } });
  const clean = String(bodyField(written, 'description'));
  assertResponse(written.status === 200, `the description ${JSON.stringify(description)}`, written);
  assertResponse(
    description.includes('<') || clean === description,
    `text is not kept: ${JSON.stringify(description)}`,
    written,
  );
  assertResponse(
    !description.includes('<') || findActiveContent(clean) === undefined,
    `${findActiveContent(clean)} is left of ${JSON.stringify(description)}`,
    written,
  );
  const again = await ask({ method: 'PATCH', path, headers: shown, body: { description: clean } });
  assertResponse(
    again.status === 200 && bodyField(again, 'version') === bodyField(written, 'version'),
    'what was sanitised is changed',
    again,
  );
  const task = await ask({ method: 'PATCH', path: `/external/task/${known.taskUniqueId}/edit`, body: { description } });
  assertResponse(bodyField(task, 'description') === clean, 'a task is sanitised in another way than a vendor', task);
}

/** Text that cannot be stored is 400 wherever text is taken. */
async function checkInvalidText(ask: SendRequest, { existing: known }: TestFixture, text: string): Promise<void> {
  const bad = JSON.stringify(text);
  const refuse = async (asked: HttpRequest, name: string) => {
    const answer = await ask(asked);
    assertResponse(answer.status === 400 && errorMessage(answer).startsWith(name), `${bad} as ${name}`, answer);
  };
  for (const [name, json] of [
    ['name', `{"name":${bad}}`],
    ['description', `{"name":"x","description":${bad}}`],
  ] as const) {
    await refuse({ method: 'POST', path: `${VENDORS}/new`, body: json }, name);
    await refuse({ method: 'POST', path: '/trpc/vendor.create', body: json }, name);
  }
  const task = `/external/task/${known.taskUniqueId}/edit`;
  for (const name of ['title', 'description'])
    await refuse({ method: 'PATCH', path: task, body: `{"${name}":${bad}}` }, name);
  await refuse({ method: 'PATCH', path: task, body: `{"labels":["ok",${bad}]}` }, 'labels.1');
  for (const [procedure, name, others] of [
    ['vendor.list', 'q', '"limit":1,'],
    ['task.list', 'q', `"framework":${known.framework},`],
    ['task.list', 'label', `"framework":${known.framework},`],
    ['audit.list', 'resourceId', ''],
    ['audit.list', 'cursor', ''],
  ] as const) {
    const input = encodeURIComponent(`{${others}"${name}":${bad.toWellFormed()}}`);
    await refuse({ method: 'GET', path: `/trpc/${procedure}?input=${input}` }, name);
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

/** A header may hold any bytes but those that end it; whatever it holds, it is answered as documented. */
async function checkHeader(
  ask: SendRequest,
  { existing: known }: TestFixture,
  name: string,
  value: string,
): Promise<void> {
  const bytes = Buffer.from(value)
    .toString('latin1')
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '')
    .trim();
  const given = { [name]: bytes };
  await ask({ method: 'GET', path: `${VENDORS}/${known.vendor}/item`, headers: given });
  await ask({
    method: 'PATCH',
    path: `${VENDORS}/${known.vendor}/edit`,
    headers: given,
    body: { name: `x${value.length}` },
  });
  if (name !== 'Accept') await ask({ method: 'GET', path: '/trpc/vendor.list', headers: given });
}

type TextCase =
  | { kind: 'names'; name: string; labels: string[] }
  | { kind: 'description'; html: string }
  | { kind: 'unwritable'; text: string }
  | { kind: 'header'; name: string; value: string };

const caseArbitrary: fc.Arbitrary<TextCase> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('names' as const),
      name: validText(255),
      labels: fc.array(validText(50), { maxLength: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('description' as const), html: fc.oneof(markup, validText(255)) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('unwritable' as const), text: fc.constantFrom(...INVALID_TEXTS) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('header' as const),
      name: fc.constantFrom(...WRITE_HEADERS),
      value: fc.oneof(validText(200), fc.string({ maxLength: 40 })),
    }),
  },
);

function runCase(ask: SendRequest, setting: TestFixture, given: TextCase): Promise<void> {
  switch (given.kind) {
    case 'names':
      return checkNames(ask, setting, given.name, given.labels);
    case 'description':
      return checkDescriptions(ask, setting, given.html);
    case 'unwritable':
      return checkInvalidText(ask, setting, given.text);
    case 'header':
    default:
      return checkHeader(ask, setting, given.name, given.value);
  }
}

/** Cases for which companies serve: what they own stays little. */
const CASES_PER_COMPANY = 25;

/** Text of every kind in every place that takes text: kept as it was sent, found, sanitised once and for all, or refused. */
export const textSuite: Suite = {
  name: 'text',
  timeShare: 2,
  async run(service, budget) {
    let setting: TestFixture | undefined;
    let count = 0;
    const done = await checkProperty(
      caseArbitrary,
      async (given) => {
        if (setting === undefined || (count += 1) % CASES_PER_COMPANY === 0) {
          setting?.oracle.release();
          setting = await createFixture(service);
        }
        const { company, oracle } = setting;
        await runCase((asked) => oracle.sendAndCheck(asked, { company, key: company.keys.full }), setting, given);
      },
      budget,
    );
    setting?.oracle.release();
    return done;
  },
};
