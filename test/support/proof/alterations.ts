import { createHash, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import {
  chain,
  event,
  attackerKey,
  bytes,
  files,
  flipped,
  headerOf,
  indexOf,
  insertAt,
  isAction,
  lines,
  remade,
  renamed,
  row,
  rows,
} from './alter.ts';
import type { Alteration } from './alter.ts';
import { fileOf, readLines, readManifest, sha256, signManifest, toLines, toPem } from './chain.ts';
import type { EventLine, Row } from './chain.ts';
import { makeTimestamp } from './timestamp.ts';
import { directoryOf, readZip, writeZip } from './zip.ts';

// Alterations of any valid proof from the beginning of the log that has tasks, vendors, comments, evidence with a file, a key,
// members with identities, a vendor with an owner, a review and the next one, a recurring task with the one before it, and requirements
// of which one is assessed. Each must be found, and its line must name the file or the sequence.

const FILES = [
  'README.txt',
  'report.html',
  'tasks.csv',
  'tasks.ndjson',
  'vendors.csv',
  'vendors.ndjson',
  'requirements.csv',
  'requirements.ndjson',
  'comments.ndjson',
  'evidence.ndjson',
  'frameworks.ndjson',
  'departments.ndjson',
  'gaps.ndjson',
  'keys.ndjson',
  'members.ndjson',
  'events.ndjson',
  'fields.json',
  'verify.mjs',
];
const evidenceFile = (names: Iterable<string>) => [...names].find((name) => name.startsWith('files/')) ?? 'files/';
const personOf = (value: unknown) => value as { uniqueId: string; name: string; kind: string };
const OTHER = '01990000-0000-7000-8000-00000000ffff';
const setTo = (field: string, value: unknown) => (changed: Row) => {
  changed[field] = value;
};
const identityOf = (changed: Row) => (changed['identities'] as Row[])[0] ?? {};
const hasValue = (field: string) => (changed: Row) => changed[field] !== null;
const reviewIn = (changes: Row) => (changes as { lastReview: { to: Row } }).lastReview.to;
const assessmentIn = (changes: Row) => (changes as { assessment: { to: Row } }).assessment.to;
const hasIdentity = (changed: Row) => (changed['identities'] as Row[]).length > 0;
const changedAt = (all: EventLine[], at: number, change: (line: EventLine) => Partial<EventLine>): EventLine[] =>
  all.map((line, index) => (index === at ? Object.assign(line, change(line)) : line));
const isUpdateOfTask = isAction('task.update');
/** Another attacker's. */
const otherKey = generateKeyPairSync('ed25519').privateKey;
/** The fields.json of the proof with a change. */
const fields = (change: (types: Record<string, { columns: Record<string, Row>; derived: Row[] }>) => void) =>
  remade((entries) => {
    const parsed = JSON.parse(fileOf(entries, 'fields.json').toString()) as { types: Parameters<typeof change>[0] };
    change(parsed.types);
    entries.set('fields.json', Buffer.from(`${JSON.stringify(parsed)}\n`));
  });
const manifest = (change: Parameters<typeof remade>[1]) => remade(() => undefined, change);
/** What is altered, how, and the line that names it. */
type Entry = [name: string, alter: Alteration['alter'], expects: RegExp];

const ofFiles: Entry[] = [
  ...FILES.map((name): Entry => [`a byte of ${name} is changed`, flipped(name), new RegExp(`^${name}: its SHA-256`)]),
  ['a byte of manifest.json is changed', flipped('manifest.json'), /^manifest\.json: the signature/],
  ['a byte of manifest.sig is changed', flipped('manifest.sig'), /^manifest\.json: the signature/],
  ['a byte of signing-key.pem is changed', flipped('signing-key.pem'), /^(?:manifest\.json|signing-key\.pem): /],
  [
    'a byte of a file of evidence is changed',
    async (zip) => flipped(evidenceFile(readZip(zip).keys()))(zip),
    /^files\/[0-9a-f]{64}\/Review\.txt: its SHA-256/,
  ],
  ['a file is added', files((entries) => entries.set('notes.txt', Buffer.from('Notes'))), /^notes\.txt: /],
  [
    'a file of evidence is added',
    files((entries) => entries.set(`files/${'0'.repeat(64)}`, Buffer.from('Notes'))),
    /^files\/0{64}: the manifest/,
  ],
  ...['events.ndjson', 'gaps.ndjson', 'requirements.ndjson', 'manifest.sig', 'verify.mjs'].map((name): Entry => [
    `${name} is removed`,
    files((entries) => entries.delete(name)),
    new RegExp(`^${name}: `),
  ]),
  ...['requirements.csv', 'requirements.ndjson'].map((name): Entry => [
    `${name} is removed, and the manifest made anew`,
    remade((entries) => entries.delete(name)),
    new RegExp(`^${name}: `),
  ]),
  [
    'a file of evidence is removed',
    files((entries) => entries.delete(evidenceFile(entries.keys()))),
    /^files\/[0-9a-f]{64}\/Review\.txt: the manifest lists it/,
  ],
  [
    'a file of evidence is removed, and the manifest made anew',
    remade((entries) => entries.delete(evidenceFile(entries.keys()))),
    /^files\/[0-9a-f]{64}: /,
  ],
  [
    'a file of evidence has other bytes, and the manifest is made anew',
    remade((entries) => entries.set(evidenceFile(entries.keys()), Buffer.from('Forged'))),
    /^files\/[0-9a-f]{64}\/Review\.txt: it is not the file/,
  ],
  [
    'a file of evidence is renamed, and the manifest made anew',
    remade((entries) => {
      const name = evidenceFile(entries.keys());
      entries.set(`files/${'f'.repeat(64)}`, fileOf(entries, name));
      entries.delete(name);
    }),
    /^files\/[0-9a-f]{64}: /,
  ],
  ...['Other.txt', 'con.txt', 'Review.txt ', 'REVIEW.txt'].map((name): Entry => [
    `a file of evidence is called ${name}, and the manifest made anew`,
    remade((entries) => {
      const path = evidenceFile(entries.keys());
      entries.set(`${path.slice(0, 71)}${name}`, fileOf(entries, path));
      entries.delete(path);
    }),
    /^files\/[0-9a-f]{64}: /,
  ]),
  [
    'a file of evidence is there twice, also as earlier proofs have it',
    remade((entries) => {
      const path = evidenceFile(entries.keys());
      entries.set(path.slice(0, 70), fileOf(entries, path));
    }),
    /^files\/[0-9a-f]{64}\/Review\.txt: /,
  ],
];

const ofEvents: Entry[] = [
  ['the first event is cut', lines((all) => all.slice(1)), /^events\.ndjson: sequence 1: /],
  [
    'the beginning is cut, with a seal before the rest',
    remade((entries) => {
      const [, { sequence, hash } = { sequence: 0, hash: '' }, ...rest] = readLines<EventLine>(
        entries,
        'events.ndjson',
      );
      entries.set('events.ndjson', toLines([{ sequence, hash }, ...rest]));
    }),
    /^events\.ndjson: line 1: /,
  ],
  [
    'the last event is cut, and the manifest has the head of before',
    async (zip) =>
      remade(
        (entries) => entries.set('events.ndjson', toLines(readLines(entries, 'events.ndjson').slice(0, -1))),
        ({ head }) => ({ head }),
      )(zip),
    /^events\.ndjson: sequence \d+: /,
  ],
  [
    'the end is cut, and everything made anew',
    lines((all) => all.slice(0, indexOf(all, isUpdateOfTask))),
    /^(?:tasks|vendors|comments|evidence|keys|members|events)\.ndjson: /,
  ],
  [
    'an event is removed, and everything made anew',
    chain((all) => all.toSpliced(indexOf(all, isUpdateOfTask), 1)),
    /^tasks\.ndjson: line \d+: /,
  ],
  [
    'an event is removed',
    lines((all) => all.toSpliced(indexOf(all, isAction('vendor.create')), 1)),
    /^events\.ndjson: sequence \d+: /,
  ],
  [
    'two events are swapped',
    lines(([first, second, ...rest]) => [second, first, ...rest].filter((line) => line !== undefined)),
    /^events\.ndjson: sequence 1: /,
  ],
  [
    'an update is moved before the creation, and everything made anew',
    chain((all) => {
      const [update] = all.splice(indexOf(all, isUpdateOfTask), 1);
      const created = all.findIndex(
        (line) =>
          isAction('task.create')(line) &&
          JSON.stringify(line.event['resource']) === JSON.stringify(update?.event['resource']),
      );
      return update === undefined ? all : all.toSpliced(created, 0, update);
    }),
    /^tasks\.ndjson: line \d+: /,
  ],
  [
    'an event is inserted twice, and everything made anew',
    chain((all) =>
      all.toSpliced(indexOf(all, isUpdateOfTask), 0, ...all.slice(indexOf(all, isUpdateOfTask)).slice(0, 1)),
    ),
    /^tasks\.ndjson: line \d+: /,
  ],
  [
    'the sealed text of an event is changed',
    lines((all) => changedAt(all, 0, ({ sealed }) => ({ sealed: `${sealed} ` }))),
    /^events\.ndjson: sequence 1: the hash/,
  ],
  [
    'a hash is changed',
    lines((all) => changedAt(all, 1, () => ({ hash: '0'.repeat(64) }))),
    /^events\.ndjson: sequence 2: the hash/,
  ],
  [
    'a title in a sealed text is changed, and everything made anew',
    async (zip) => {
      const titles = new Map(readLines(readZip(zip), 'tasks.ndjson').map(({ uniqueId, title }) => [uniqueId, title]));
      return event(
        (line) =>
          isAction('task.create')(line) && titles.get(line.event.changes['uniqueId']) === line.event.changes['title'],
        ({ changes }) => setTo('title', 'Forged')(changes),
        ({ changes }) => setTo('title', 'Forged')(changes),
      )(zip);
    },
    /^tasks\.ndjson: line \d+: title/,
  ],
  [
    'a title in a shown event is changed',
    event(
      isAction('task.create'),
      () => undefined,
      ({ changes }) => setTo('title', 'Forged')(changes),
    ),
    /^events\.ndjson: sequence \d+: the event differs/,
  ],
  [
    'the note of a review is changed in its event, and everything made anew',
    event(
      isAction('vendor.review'),
      ({ changes }) => setTo('note', 'Forged')((changes as { last_review: { to: Row } }).last_review.to),
      ({ changes }) => setTo('note', 'Forged')(reviewIn(changes)),
    ),
    /^vendors\.ndjson: line \d+: lastReview/,
  ],
  [
    'the result of an assessment is changed in its event, and everything made anew',
    event(
      isAction('requirement.assess'),
      ({ changes }) => setTo('result', 'met')(assessmentIn(changes)),
      ({ changes }) => setTo('result', 'met')(assessmentIn(changes)),
    ),
    /^requirements\.ndjson: line \d+: assessment/,
  ],
  [
    'the status of a requirement is shown in an event',
    event(
      isAction('requirement.create'),
      () => undefined,
      ({ changes }) => setTo('status', 'met')(changes),
    ),
    /^events\.ndjson: sequence \d+: the event differs/,
  ],
  [
    'the person of a review in a shown event is changed',
    event(
      isAction('vendor.review'),
      () => undefined,
      ({ changes }) => setTo('uniqueId', OTHER)(reviewIn(changes)['by'] as Row),
    ),
    /^events\.ndjson: sequence \d+: the event differs/,
  ],
  ...(['name', 'kind', 'uniqueId'] as const).map((field): Entry => [
    `the ${field} of an actor is changed, and everything made anew`,
    event(
      isUpdateOfTask,
      () => undefined,
      (shown) => {
        personOf(shown['actor'])[field] = field === 'uniqueId' ? OTHER : 'integration!';
      },
    ),
    /^events\.ndjson: sequence \d+: the event differs/,
  ]),
  [
    'the actor of an event is another member, and everything made anew',
    async (zip) => {
      const [first, second] = readLines(readZip(zip), 'members.ndjson').filter(hasIdentity);
      const [from, to] = [first ?? {}, second ?? {}];
      return event(
        (line) => isUpdateOfTask(line) && personOf(line.event['actor']).uniqueId === from['uniqueId'],
        (parts) => setTo('user_id', to['uniqueId'])(parts.row),
        (shown) => setTo('actor', { uniqueId: to['uniqueId'], name: to['name'], kind: 'human' })(shown),
      )(zip);
    },
    /^tasks\.ndjson: line \d+: updatedBy/,
  ],
  [
    'the sealed kind of an actor is another, and everything made anew',
    event(
      isUpdateOfTask,
      (parts) => setTo('user_kind', 'integration')(parts.row),
      (shown) => {
        personOf(shown['actor']).kind = 'integration';
      },
    ),
    /^tasks\.ndjson: line \d+: updatedBy/,
  ],
  [
    'a column that fields.json does not name is sealed',
    event(
      isUpdateOfTask,
      (parts) => setTo('secret', 'x')(parts.row),
      () => undefined,
    ),
    /^events\.ndjson: sequence \d+: /,
  ],
  ...(['requestId', 'apiKey', 'parent', 'deleted', 'occurredAt', 'action'] as const).map((field): Entry => [
    `${field} of a shown event is changed`,
    event(isUpdateOfTask, () => undefined, setTo(field, 'x')),
    /^events\.ndjson: sequence \d+: the event differs/,
  ]),
  [
    'an event is marked as outside of the period',
    lines((all) => changedAt(all, 1, () => ({ inPeriod: false }))),
    /^events\.ndjson: sequence 2: inPeriod/,
  ],
  [
    'an event has a key twice',
    remade((entries) => {
      const text = fileOf(entries, 'events.ndjson').toString();
      entries.set('events.ndjson', Buffer.from(text.replace('{"uniqueId":', '{"uniqueId":"x","uniqueId":')));
    }),
    /^events\.ndjson: sequence 1: /,
  ],
  [
    'an event is of another company, and everything made anew',
    event(
      isUpdateOfTask,
      (parts) => setTo('company_id', 999_999)(parts.row),
      () => undefined,
    ),
    /^events\.ndjson: sequence \d+: /,
  ],
];

const ofRegisters: Entry[] = [
  ...(
    [
      ['tasks', 'title'],
      ['tasks', 'version'],
      ['tasks', 'updatedAt'],
      ['tasks', 'recurrence'],
      ['tasks', 'previous'],
      ['vendors', 'status'],
      ['vendors', 'nextReview'],
      ['requirements', 'title'],
      ['requirements', 'status'],
      ['comments', 'text'],
      ['evidence', 'sha256'],
      ['frameworks', 'name'],
      ['departments', 'name'],
      ['gaps', 'title'],
      ['keys', 'name'],
    ] as const
  ).map(([register, field]): Entry => [
    `${field} of a row of ${register} is changed, and the manifest made anew`,
    row(`${register}.ndjson`, setTo(field, 'forged'), (found) => found[field] !== null),
    new RegExp(String.raw`^${register}\.ndjson: line \d+: ${field}`),
  ]),
  ...(
    [
      ['x', 'null'],
      ['constructor', '{}'],
      ['__proto__', '{}'],
    ] as const
  ).flatMap(([field, value]) =>
    ['evidence', 'tasks', 'frameworks'].map((register): Entry => [
      `every row of ${register} has a further field ${field}, and the manifest is made anew`,
      rows(`${register}.ndjson`, (all) =>
        all.map((one) => JSON.parse(`${JSON.stringify(one).slice(0, -1)},"${field}":${value}}`) as Row),
      ),
      new RegExp(String.raw`^${register}\.ndjson: line 1: `),
    ]),
  ),
  [
    'a name in a row of tasks is changed, and the manifest made anew',
    row('tasks.ndjson', (found) => setTo('name', 'Forged')(found['createdBy'] as Row)),
    /^tasks\.ndjson: line \d+: createdBy/,
  ],
  [
    'the owner in a row of vendors is another member, and the manifest made anew',
    row('vendors.ndjson', (found) => setTo('uniqueId', OTHER)(found['owner'] as Row), hasValue('owner')),
    /^vendors\.ndjson: line \d+: owner/,
  ],
  ...(
    [
      ['note', (review: Row) => setTo('note', 'Forged')(review)],
      ['person', (review: Row) => setTo('name', 'Forged')(review['by'] as Row)],
    ] as const
  ).map(([part, change]): Entry => [
    `the ${part} of a review in a row of vendors is changed, and the manifest made anew`,
    row('vendors.ndjson', (found) => change(found['lastReview'] as Row), hasValue('lastReview')),
    /^vendors\.ndjson: line \d+: lastReview/,
  ]),
  ...(
    [
      ['result', (assessment: Row) => setTo('result', 'not_met')(assessment)],
      ['person', (assessment: Row) => setTo('name', 'Forged')(assessment['by'] as Row)],
    ] as const
  ).map(([part, change]): Entry => [
    `the ${part} of an assessment in a row of requirements is changed, and the manifest made anew`,
    row('requirements.ndjson', (found) => change(found['assessment'] as Row), hasValue('assessment')),
    /^requirements\.ndjson: line \d+: assessment/,
  ]),
  [
    'a row of tasks has one more field',
    row('tasks.ndjson', setTo('approved', true)),
    /^tasks\.ndjson: line \d+: approved/,
  ],
  ...['tasks', 'vendors', 'requirements', 'comments', 'evidence', 'keys'].map((register): Entry => [
    `a row of ${register} is removed, and the manifest made anew`,
    rows(`${register}.ndjson`, (all) => all.slice(0, -1)),
    new RegExp(String.raw`^${register}\.ndjson: line \d+: `),
  ]),
  [
    'a row of tasks is added',
    rows('tasks.ndjson', (all) => [
      ...all,
      ...all.slice(-1).map((last) => Object.assign(structuredClone(last), { uniqueId: OTHER })),
    ]),
    /^tasks\.ndjson: line \d+: /,
  ],
  ['rows of tasks are in another order', rows('tasks.ndjson', (all) => all.toReversed()), /^tasks\.ndjson: line 1: /],
  ...['tasks', 'vendors', 'requirements'].map((register): Entry => [
    `a cell of ${register}.csv is changed, and the manifest made anew`,
    remade((entries) => {
      const text = fileOf(entries, `${register}.csv`).toString();
      const at = text.indexOf('\r\n') + 4;
      entries.set(`${register}.csv`, Buffer.from(`${text.slice(0, at)}x${text.slice(at)}`));
    }),
    new RegExp(String.raw`^${register}\.csv: `),
  ]),
  [
    'a row of vendors.csv is removed, and the manifest made anew',
    remade((entries) => {
      const text = fileOf(entries, 'vendors.csv').toString();
      entries.set('vendors.csv', Buffer.from(text.slice(0, text.indexOf('\r\n') + 2)));
    }),
    /^vendors\.csv: /,
  ],
  [
    'a register lacks its last line feed',
    remade((entries) => entries.set('gaps.ndjson', fileOf(entries, 'gaps.ndjson').subarray(0, -1))),
    /^gaps\.ndjson: /,
  ],
];

const ofMembers: Entry[] = [
  ...(['name', 'email', 'salt'] as const).map((field): Entry => [
    `the ${field} of an identity is changed, and everything made anew`,
    row('members.ndjson', (found) => setTo(field, 'forged')(identityOf(found)), hasIdentity),
    /^(?:members\.ndjson: line \d+|events\.ndjson: sequence \d+): /,
  ]),
  [
    'an identity is said to be unproved',
    row('members.ndjson', (found) => setTo('proved', false)(identityOf(found)), hasIdentity),
    /^members\.ndjson: line \d+: /,
  ],
  [
    'an identity is of another event',
    row('members.ndjson', (found) => setTo('sequence', 1)(identityOf(found)), hasIdentity),
    /^members\.ndjson: line \d+: /,
  ],
  [
    'an identity is removed',
    row(
      'members.ndjson',
      (found) => setTo('identities', (found['identities'] as Row[]).slice(1))(found),
      (found) => (found['identities'] as Row[]).length > 1,
    ),
    /^(?:members\.ndjson: line \d+|events\.ndjson: sequence \d+): /,
  ],
  [
    'a member is removed',
    rows('members.ndjson', (all) => all.slice(1)),
    /^(?:members\.ndjson|tasks\.ndjson|vendors\.ndjson|events\.ndjson): /,
  ],
  ...(['role', 'name', 'createdAt', 'endedAt', 'frameworks'] as const).map((field): Entry => [
    `${field} of a member is changed`,
    row('members.ndjson', setTo(field, 'forged')),
    /^members\.ndjson: line \d+: /,
  ]),
];

const ofManifest: Entry[] = [
  ...(['files', 'missing', 'company', 'head'] as const).map((key): Entry => [
    `${key} of the manifest is null`,
    manifest(() => ({ [key]: null })),
    /^manifest\.json: /,
  ]),
  [
    'the manifest is written in another form',
    async (zip) => {
      const entries = readZip(zip);
      const text = Buffer.from(JSON.stringify(readManifest(entries)));
      entries.set('manifest.json', text);
      entries.set('manifest.sig', sign(null, text, attackerKey));
      entries.set('signing-key.pem', Buffer.from(toPem(attackerKey)));
      return { zip: await writeZip(entries) };
    },
    /^manifest\.json: /,
  ],
  [
    'another key signs the manifest, and the verifier has the right key',
    async (zip) => ({
      ...(await manifest(() => ({}))(zip)),
      keys: [fileOf(readZip(zip), 'signing-key.pem').toString()],
    }),
    /^signing-key\.pem: /,
  ],
  [
    'the company is another',
    manifest(({ company }) => ({ company: { ...company, id: company.id + 1 } })),
    /^events\.ndjson: sequence 1: /,
  ],
  [
    'the head is another',
    manifest(({ head }) => ({ head: { ...head, hash: '0'.repeat(64) } })),
    /^events\.ndjson: sequence \d+: /,
  ],
  [
    'the moment is earlier',
    manifest(({ createdAt }) => ({ asOf: `2000${createdAt.slice(4)}` })),
    /^events\.ndjson: sequence 1: /,
  ],
  ['the period begins later', manifest(({ asOf }) => ({ from: asOf })), /^events\.ndjson: /],
  [
    'the frameworks are said to be fewer',
    manifest(() => ({ frameworks: [2_000_000_000] })),
    /^requirements\.ndjson: line 1: /,
  ],
  ['the files are said to be left out', manifest(() => ({ evidence: false })), /^files\/[0-9a-f]{64}\/Review\.txt: /],
  [
    'a file of no evidence is said to be missing',
    manifest(({ missing }) => ({ missing: [...missing, { sha256: 'e'.repeat(64), size: 1 }] })),
    /^files\/e{64}: /,
  ],
  [
    'a file that is there is said to be missing',
    async (zip) => {
      const name = evidenceFile(readZip(zip).keys());
      return manifest(({ missing }) => ({
        missing: [...missing, { sha256: name.split('/')[1] ?? '', size: fileOf(readZip(zip), name).length }],
      }))(zip);
    },
    /^files\/[0-9a-f]{64}\/Review\.txt: /,
  ],
  [
    'a file is listed twice',
    manifest(({ files: all }) => ({ files: [...all.slice(0, 1), ...all] })),
    /^README\.txt: the manifest lists it twice/,
  ],
  [
    'a timestamp is that of another manifest',
    remade((entries) => entries.set('manifest.tsr', makeTimestamp(Buffer.from('another')).response)),
    /^manifest\.tsr: it is not a timestamp/,
  ],
  [
    'a file is said to be missing twice',
    manifest(({ missing }) => {
      const one = { sha256: 'e'.repeat(64), size: 1 };
      return { missing: [...missing, one, one] };
    }),
    /^manifest\.json: /,
  ],
  ...(['createdAt', 'asOf', 'from'] as const).flatMap((field) =>
    ['x', '2026-11-29', '2026-02-30T00:00:00.000Z'].map((value): Entry => [
      `${field} is ${value}`,
      manifest(() => ({ [field]: value })),
      /^manifest\.json: .* is malformed/,
    ]),
  ),
  [
    'the manifest is signed by one of two public keys',
    async (zip) => {
      const entries = readZip((await manifest(() => ({}))(zip)).zip);
      const keys = [attackerKey, otherKey].map((key) => createPublicKey(key).export({ format: 'jwk' }));
      const set = Buffer.from(JSON.stringify({ keys }));
      const { files: all } = readManifest(entries);
      const file = { path: 'signing-key.pem', size: set.length, sha256: sha256(set) };
      const listed = all.map((one) => (one.path === file.path ? file : one));
      entries.set('signing-key.pem', set);
      return { zip: await writeZip(signManifest(entries, { ...readManifest(entries), files: listed }, attackerKey)) };
    },
    /^signing-key\.pem: /,
  ],
  ...(['signing-key.pem', 'manifest.tsr'] as const).map((name): Entry => [
    `${name} is too large`,
    async (zip) => ({ zip: await writeZip(new Map([...readZip(zip), [name, Buffer.alloc(2 ** 20 + 1, 'A')]])) }),
    new RegExp(`^${name.replace('.', '\\.')}: `),
  ]),
  [
    'a timestamp repeats the start of another one, and never ends',
    remade((entries) => {
      const start = '060b2a864886f70d0109100104'.repeat(2000);
      entries.set('manifest.tsr', Buffer.from(`3082fff03082${start}`, 'hex'));
    }),
    /^manifest\.tsr: /,
  ],
  ['a timestamp is none', remade((entries) => entries.set('manifest.tsr', Buffer.from('none'))), /^manifest\.tsr: /],
];

const ofFields: Entry[] = [
  ...['{}', '[]', 'null', 'none', '{"event":{}}'].map((text): Entry => [
    `fields.json is ${text}`,
    remade((entries) => entries.set('fields.json', Buffer.from(text))),
    /^fields\.json: /,
  ]),
  ...['__proto__', 'constructor', 'toString'].map((name): Entry => [
    `fields.json gives a column the field ${name}`,
    fields(({ task }) => setTo('field', name)(task?.columns['title'] ?? {})),
    /^fields\.json: /,
  ]),
  [
    'fields.json lacks a column',
    fields(({ task }) => delete task?.columns['title']),
    /^events\.ndjson: sequence \d+: /,
  ],
  [
    'fields.json hides a column',
    fields(({ task }) => setTo('field', null)(task?.columns['title'] ?? {})),
    /^events\.ndjson: sequence \d+: /,
  ],
  [
    'fields.json gives a column another field',
    fields(({ task }) => setTo('field', 'status')(task?.columns['title'] ?? {})),
    /^events\.ndjson: sequence \d+: /,
  ],
  [
    'fields.json gives a column another kind',
    fields(({ task }) => setTo('kind', 'plain')(task?.columns['created_by_id'] ?? {})),
    /^events\.ndjson: sequence \d+: /,
  ],
  [
    'fields.json lacks the rule for the status of requirements',
    fields(({ requirement }) => requirement?.derived.splice(0)),
    /^requirements\.csv: /,
  ],
  [
    'fields.json has an unknown rule',
    fields(({ requirement }) => setTo('rule', 'toString')(requirement?.derived[0] ?? {})),
    /^fields\.json: /,
  ],
  [
    'fields.json derives another value',
    fields(({ vendor }) => setTo('equals', 'archived')(vendor?.derived[0] ?? {})),
    /^events\.ndjson: sequence \d+: /,
  ],
];

/** A checkpoint of the head of a proof, signed by another key. */
const checkpointOf = (zip: Buffer, change: Row = {}, keyId = 'unknown'): string => {
  const entries = readZip(zip);
  const last = readLines<EventLine>(entries, 'events.ndjson').at(-1);
  const { sequence, hash } = readManifest(entries).head;
  const head = { company: readManifest(entries).company.id, sequence, hash, at: last?.event['occurredAt'], ...change };
  return JSON.stringify({
    ...head,
    signature: sign(null, Buffer.from(JSON.stringify(head)), attackerKey).toString('base64'),
    keyId,
  });
};
const keyIdOf = (zip: Buffer): string => {
  const { x } = createPublicKey(fileOf(readZip(zip), 'signing-key.pem')).export({ format: 'jwk' });
  return createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
};
const checkpoints: Entry[] = [
  [
    'a checkpoint has the signature of another key',
    async (zip) => ({ zip, checkpoint: checkpointOf(zip, {}, keyIdOf(zip)) }),
    /^--checkpoint: its signature/,
  ],
  ...(
    [
      ['company', 999_999],
      ['sequence', 1_000_000_000],
      ['sequence', 1],
      ['hash', '0'.repeat(64)],
      ['at', '2000-01-01T00:00:00.000Z'],
    ] as const
  ).map(([field, value]): Entry => [
    `a checkpoint has another ${field}: ${value}`,
    async (zip) => ({ zip, checkpoint: checkpointOf(zip, { [field]: value }) }),
    /^--checkpoint: /,
  ]),
  [
    'two events are swapped, everything is made anew, and there is a checkpoint of before',
    async (zip) => ({
      ...(await chain((all) => {
        const isFree = (line: EventLine | undefined) =>
          /^(?:framework|department|gap|vendor)\.create$/.test(String(line?.event['action']));
        const at = all.findIndex((line, index) => isFree(line) && isFree(all[index + 1]));
        const [first, second] = all.slice(at);
        if (at === -1 || first === undefined || second === undefined) throw new Error('expected such events');
        return all.toSpliced(at, 2, second, first);
      })(zip)),
      checkpoint: checkpointOf(zip),
    }),
    /^--checkpoint: /,
  ],
];

const ofZip: Entry[] = [
  ['a byte precedes the ZIP', bytes((zip) => Buffer.concat([Buffer.from('x'), zip])), /^ZIP: /],
  [
    'a byte precedes the first file, and all positions are right',
    bytes((zip) => insertAt(zip, 0, Buffer.from('x'))),
    /^[^:]+: /,
  ],
  ['a byte follows the ZIP', bytes((zip) => Buffer.concat([zip, Buffer.from('x')])), /^ZIP: /],
  [
    'the ZIP has a comment',
    bytes((zip) => {
      zip.writeUInt16LE(1, zip.length - 2);
      return Buffer.concat([zip, Buffer.from('x')]);
    }),
    /^ZIP: /,
  ],
  ['the ZIP breaks off', bytes((zip) => zip.subarray(0, -100)), /^ZIP: /],
  [
    'bytes are between two files, and all positions are right',
    bytes((zip) => insertAt(zip, headerOf(zip, 'gaps.ndjson').local, Buffer.from('hidden'))),
    /^gaps\.ndjson: /,
  ],
  [
    'bytes are before the central directory',
    bytes((zip) => insertAt(zip, directoryOf(zip), Buffer.from('hidden'))),
    /^ZIP: /,
  ],
  [
    'bytes follow the compressed data of a file',
    bytes((zip) => {
      const altered = insertAt(zip, headerOf(zip, 'gaps.ndjson').end, Buffer.from('hidden'));
      const { central, size, end } = headerOf(altered, 'gaps.ndjson');
      altered.writeUInt32LE(size + 6, central + 20);
      altered.writeUInt32LE(size + 6, end + 6 + 8);
      return altered;
    }),
    /^gaps\.ndjson: /,
  ],
  [
    'a file inflates to more than its size',
    bytes((zip) => {
      const { central, end } = headerOf(zip, 'verify.mjs');
      const size = zip.readUInt32LE(central + 24) - 1;
      zip.writeUInt32LE(size, central + 24);
      zip.writeUInt32LE(size, end + 12);
      return zip;
    }),
    /^verify\.mjs: /,
  ],
  [
    'the local header has another name',
    renamed('members.ndjson', 'vendors.ndjson', 'local'),
    /^members\.ndjson: the two directories/,
  ],
  ...(
    [
      ['flags', 6],
      ['method', 8],
      ['time', 10],
      ['CRC', 14],
      ['size', 22],
    ] as const
  ).map(([field, at]): Entry => [
    `the local header has another ${field}`,
    bytes((zip) => {
      const { local } = headerOf(zip, 'members.ndjson');
      zip[local + at] = (zip[local + at] ?? 0) ^ 1;
      return zip;
    }),
    /^members\.ndjson: the two directories/,
  ]),
  [
    'the data descriptor has another CRC',
    bytes((zip) => {
      const { end } = headerOf(zip, 'members.ndjson');
      zip[end + 4] = (zip[end + 4] ?? 0) ^ 1;
      return zip;
    }),
    /^members\.ndjson: the two directories/,
  ],
  [
    'an entry of the central directory is that of another file',
    bytes((zip) => {
      zip.writeUInt32LE(headerOf(zip, 'tasks.ndjson').local, headerOf(zip, 'members.ndjson').central + 42);
      return zip;
    }),
    /^(?:members|tasks)\.ndjson: /,
  ],
  [
    'a file is encrypted',
    bytes((zip) => {
      const { central, local } = headerOf(zip, 'members.ndjson');
      zip.writeUInt16LE(0x809, central + 8);
      zip.writeUInt16LE(0x809, local + 6);
      return zip;
    }),
    /^members\.ndjson: it is not a plain file/,
  ],
  [
    'a file is a symbolic link',
    bytes((zip) => {
      zip.writeUInt32LE(0xa1ff0000, headerOf(zip, 'README.txt').central + 38);
      return zip;
    }),
    /^README\.txt: it is not a plain file/,
  ],
  ['a name is there twice', renamed('members.ndjson', 'vendors.ndjson'), /^vendors\.ndjson: /],
  ['a name leads out of the folder', renamed('README.txt', '../DME.txt'), /^\.\.\/DME\.txt: /],
  ['a name is absolute', renamed('README.txt', '/EADME.txt'), /^\/EADME\.txt: /],
  ['a name has a control character', renamed('README.txt', 'READ\u0007E.txt'), /^READ\?E\.txt: /],
  [
    'the number of entries is another',
    bytes((zip) => {
      zip.writeUInt16LE(zip.readUInt16LE(zip.length - 12) - 1, zip.length - 12);
      zip.writeUInt16LE(zip.readUInt16LE(zip.length - 14) - 1, zip.length - 14);
      return zip;
    }),
    /^ZIP: /,
  ],
];

const toAlteration = ([name, alter, expects]: Entry): Alteration => ({ name, alter, expects });

/** Alterations of the archive around the files. */
export const archiveAlterations: readonly Alteration[] = ofZip.map(toAlteration);

/** All alterations. */
export const alterations: readonly Alteration[] = [
  ...[...ofFiles, ...ofEvents, ...ofRegisters, ...ofMembers, ...ofManifest, ...ofFields, ...checkpoints].map(
    toAlteration,
  ),
  ...archiveAlterations,
];
