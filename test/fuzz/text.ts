import * as fc from 'fast-check';
import type { Answer, Asked } from './ask.ts';
import { messageOf } from './coercion.ts';
import { dataOf } from './companies.ts';
import { UNWRITABLE, activeIn, markup, writable } from './corpus.ts';
import { settingOf } from './document.ts';
import type { Setting } from './document.ts';
import { Finding } from './finding.ts';
import { ignoringCase } from './model.ts';
import { holds } from './suite.ts';
import type { Suite } from './suite.ts';

const VENDORS = '/external/smart-inventory/vendor';

type Ask = (asked: Asked) => Promise<Answer>;

function must(isSo: boolean, what: string, answer: Answer): void {
  if (!isSo) throw new Finding('not as predicted', `${what}: ${answer.status} ${answer.text.slice(0, 1000)}`);
}

const field = ({ body }: Answer, name: string): unknown => Reflect.get(Object(body), name);

/** Labels as the contract keeps them. */
function kept(labels: readonly string[]): string[] {
  const seen = new Set<string>();
  return labels
    .map((label) => label.trim())
    .filter((label) => !seen.has(ignoringCase(label)) && seen.add(ignoringCase(label)));
}

/** Names, titles and labels come back as they were sent, but for white space around them, on every road, and are found. */
async function names(ask: Ask, { known }: Setting, name: string, labels: readonly string[]): Promise<void> {
  const made = await ask({ method: 'POST', path: `${VENDORS}/new`, body: { name } });
  const trimmed = name.trim();
  must(made.status === 201 && field(made, 'name') === trimmed, `a vendor named ${JSON.stringify(name)}`, made);
  const listed = await ask({ method: 'GET', path: `${VENDORS}/list` });
  const isListed = (listed.body as { uniqueId: string; name: string }[]).some(
    (one) => one.uniqueId === field(made, 'uniqueId') && one.name === trimmed,
  );
  must(isListed, `${JSON.stringify(name)} is not in the list`, listed);
  const searched = await ask({ method: 'GET', path: `${VENDORS}/list?limit=500&q=${encodeURIComponent(trimmed)}` });
  must(searched.text.includes(String(field(made, 'uniqueId'))), `${JSON.stringify(trimmed)} is not found`, searched);
  const body = { title: name, labels };
  const path = `/external/task/framework/${known.framework}`;
  const task = await ask({ method: 'POST', path: `${path}/new`, body });
  must(task.status === 201 && field(task, 'title') === trimmed, `a task titled ${JSON.stringify(name)}`, task);
  must(
    JSON.stringify(field(task, 'labels')) === JSON.stringify(kept(labels)),
    `labels ${JSON.stringify(labels)}`,
    task,
  );
  const [label] = kept(labels);
  const wanted = label === undefined ? '' : `&label=${encodeURIComponent(label)}`;
  const found = await ask({ method: 'GET', path: `${path}/list?limit=100&q=${encodeURIComponent(trimmed)}${wanted}` });
  must(found.text.includes(String(field(task, 'uniqueId'))), `${JSON.stringify([trimmed, label])} is not found`, found);
  const input = encodeURIComponent(JSON.stringify({ taskUniqueId: field(task, 'uniqueId') }));
  const called = await ask({ method: 'GET', path: `/trpc/task.get?input=${input}` });
  must(dataOf(called)['title'] === trimmed, `the title over tRPC is not ${JSON.stringify(trimmed)}`, called);
}

/** Text without a `<` comes back as it was sent; HTML loses what acts, and nothing more by being sent again. */
async function descriptions(ask: Ask, { known }: Setting, html: string): Promise<void> {
  const description = html.slice(0, 20_000);
  const path = `${VENDORS}/${known.vendor}/edit`;
  const shown = { Prefer: 'return=representation' };
  const written = await ask({ method: 'PATCH', path, headers: shown, body: { description } });
  const clean = String(field(written, 'description'));
  must(written.status === 200, `the description ${JSON.stringify(description)}`, written);
  must(description.includes('<') || clean === description, `text is not kept: ${JSON.stringify(description)}`, written);
  must(
    !description.includes('<') || activeIn(clean) === undefined,
    `${activeIn(clean)} is left of ${JSON.stringify(description)}`,
    written,
  );
  const again = await ask({ method: 'PATCH', path, headers: shown, body: { description: clean } });
  must(
    again.status === 200 && field(again, 'version') === field(written, 'version'),
    'what was sanitised is changed',
    again,
  );
  const task = await ask({ method: 'PATCH', path: `/external/task/${known.taskUniqueId}/edit`, body: { description } });
  must(field(task, 'description') === clean, 'a task is sanitised in another way than a vendor', task);
}

/** Text that cannot be stored is 400 wherever text is taken. */
async function unwritable(ask: Ask, { known }: Setting, text: string): Promise<void> {
  const bad = JSON.stringify(text);
  const refuse = async (asked: Asked, name: string) => {
    const answer = await ask(asked);
    must(answer.status === 400 && messageOf(answer).startsWith(name), `${bad} as ${name}`, answer);
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

const HEADERS = [
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
const WRITES = ['If-Match', 'Idempotency-Key', ...HEADERS];

/** A header may hold any bytes but those that end it; whatever it holds, it is answered as documented. */
async function headers(ask: Ask, { known }: Setting, name: string, value: string): Promise<void> {
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

type Case =
  | { kind: 'names'; name: string; labels: string[] }
  | { kind: 'description'; html: string }
  | { kind: 'unwritable'; text: string }
  | { kind: 'header'; name: string; value: string };

const cases: fc.Arbitrary<Case> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('names' as const),
      name: writable(255),
      labels: fc.array(writable(50), { maxLength: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('description' as const), html: fc.oneof(markup, writable(255)) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('unwritable' as const), text: fc.constantFrom(...UNWRITABLE) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('header' as const),
      name: fc.constantFrom(...WRITES),
      value: fc.oneof(writable(200), fc.string({ maxLength: 40 })),
    }),
  },
);

function tried(ask: Ask, setting: Setting, given: Case): Promise<void> {
  switch (given.kind) {
    case 'names':
      return names(ask, setting, given.name, given.labels);
    case 'description':
      return descriptions(ask, setting, given.html);
    case 'unwritable':
      return unwritable(ask, setting, given.text);
    case 'header':
    default:
      return headers(ask, setting, given.name, given.value);
  }
}

/** Cases for which companies serve: what they own stays little. */
const CASES = 25;

/** Text of every kind in every place that takes text: kept as it was sent, found, sanitised once and for all, or refused. */
export const text: Suite = {
  name: 'text',
  share: 2,
  async run(service, budget) {
    let setting: Setting | undefined;
    let count = 0;
    const done = await holds(
      cases,
      async (given) => {
        if (setting === undefined || (count += 1) % CASES === 0) {
          setting?.oracle.leave();
          setting = await settingOf(service);
        }
        const { company, oracle } = setting;
        await tried((asked) => oracle.ask(asked, { company, key: company.keys.full }), setting, given);
      },
      budget,
    );
    setting?.oracle.leave();
    return done;
  },
};
