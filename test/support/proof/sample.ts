import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { signManifest, sha256, toLines, toPem } from './chain.ts';
import type { Manifest, Row } from './chain.ts';
import { sampleFields } from './sample-fields.ts';
import {
  ANN,
  BOB,
  C1,
  C2,
  COMPANY,
  E1,
  E2,
  E3,
  FILE,
  IDENTITIES,
  KEY,
  KEY_USER,
  LOST,
  R1,
  R2,
  R3,
  T1,
  T2,
  T4,
  T5,
  V1,
  V2,
  V3,
  personAt,
  sampleLog,
  timeOf,
} from './sample-log.ts';
import { writeZip } from './zip.ts';
import type { ZipEntries } from './zip.ts';

/** Signs the sample proofs. */
export const sampleKey = generateKeyPairSync('ed25519').privateKey;

const AS_OF = 60;
/** A sequence after the last event, for the names at `asOf`. */
const LAST = 1000;
const person = (id: string) => personAt(id, LAST);
const ofTask = { type: 'task', uniqueId: T1 };
const ofVendor = { type: 'vendor', uniqueId: V1 };
const ofRequirement = { type: 'requirement', uniqueId: R3 };
const changed = (created: string, createdAt: number, updated: string, updatedAt: number, version: number) => ({
  createdAt: timeOf(createdAt),
  updatedAt: timeOf(updatedAt),
  createdBy: person(created),
  updatedBy: person(updated),
  version,
});

// The registers of the sample log, written by hand.

/** Fields that the first vendors and tasks got by default. */
const noFacts = {
  website: null,
  criticality: null as number | null,
  owner: null as object | null,
  labels: [] as string[],
  dataCategories: [] as string[],
  contractStart: null,
  contractEnd: null,
  reviewEveryMonths: null,
  nextReview: null,
  contacts: [],
  lastReview: null,
};
const unlooked = { evidenceCount: null, next: null };

const tasks = [
  {
    uniqueId: T1,
    framework: 1,
    title: '=1+1, quarterly',
    labels: ['a, b'],
    dueDate: null,
    departmentId: 1,
    gaps: [1],
    status: 'done',
    assignee: person(BOB),
    vendors: [],
    recurrence: null,
    externalIds: [{ source: 'jira', externalId: 'A-1' }],
    previous: null,
    ...changed(KEY_USER, 9, ANN, 25, 3),
    ...unlooked,
  },
  {
    uniqueId: T2,
    framework: 2,
    title: 'Ärger 🦆',
    labels: ['a, b'],
    dueDate: null,
    departmentId: null,
    gaps: [],
    status: 'todo',
    assignee: null,
    vendors: [],
    recurrence: null,
    externalIds: [],
    previous: null,
    ...changed(BOB, 18, BOB, 18, 1),
    ...unlooked,
  },
  {
    uniqueId: T4,
    framework: 2,
    title: 'Check backups',
    labels: ['a, b'],
    dueDate: '2026-10-15',
    departmentId: null,
    gaps: [],
    status: 'done',
    assignee: null,
    vendors: [V3],
    recurrence: 'FREQ=MONTHLY;COUNT=3',
    externalIds: [],
    previous: null,
    ...changed(ANN, 30, ANN, 33, 3),
    ...unlooked,
  },
  {
    uniqueId: T5,
    framework: 2,
    title: 'Check backups',
    labels: ['a, b'],
    dueDate: '2026-11-15',
    departmentId: null,
    gaps: [],
    status: 'todo',
    assignee: null,
    vendors: [V3],
    recurrence: 'FREQ=MONTHLY;COUNT=2',
    externalIds: [],
    previous: T4,
    ...changed(ANN, 34, ANN, 34, 1),
    ...unlooked,
  },
];
const vendors = [
  {
    uniqueId: V1,
    name: 'Cloud "Inc"',
    status: 'inactive',
    description: 'Line\n- line',
    ...noFacts,
    criticality: 4,
    owner: person(ANN),
    ...changed(ANN, 11, ANN, 35, 3),
    evidenceCount: null,
    active: false,
  },
  {
    uniqueId: V2,
    name: 'Second',
    status: 'active',
    description: 'Line\n- line',
    ...noFacts,
    ...changed(KEY_USER, 24, KEY_USER, 24, 1),
    evidenceCount: null,
    active: true,
  },
  {
    uniqueId: V3,
    name: 'Payroll',
    status: 'active',
    description: 'Line\n- line',
    website: 'https://payroll.example/?a=1,2',
    criticality: 1,
    owner: person(ANN),
    labels: ['finance'],
    dataCategories: ['salaries', '=names'],
    contractStart: '2026-01-01',
    contractEnd: '2027-12-31',
    reviewEveryMonths: 12,
    nextReview: '2027-10-01',
    contacts: [{ name: 'Ada "Berg"', email: 'ada@payroll.example', role: null }],
    lastReview: { at: timeOf(27), by: person(KEY_USER), note: 'SOC 2 report is current; "no findings".' },
    ...changed(ANN, 26, KEY_USER, 27, 2),
    evidenceCount: null,
    active: true,
  },
];
const uncounted = { tasks: null, evidenceCount: null };
const requirements = [
  {
    uniqueId: R1,
    framework: 1,
    ref: '-5.1',
    title: 'Policies; =1+1',
    parent: R2 as string | null,
    assessable: true,
    applicable: true,
    justification: '',
    owner: person(ANN) as object | null,
    assessment: { result: 'partly_met', note: 'Approval is missing.', at: timeOf(39), by: person(KEY_USER) } as unknown,
    ...changed(ANN, 36, KEY_USER, 39, 3),
    status: 'partly_met' as string | null,
    ...uncounted,
  },
  {
    uniqueId: R2,
    framework: 1,
    ref: 'A.5',
    title: 'Organisation',
    parent: null,
    assessable: false,
    applicable: true,
    justification: '',
    owner: person(ANN),
    assessment: null,
    ...changed(ANN, 37, ANN, 37, 1),
    status: null,
    ...uncounted,
  },
  {
    uniqueId: R3,
    framework: 2,
    ref: 'CC6.4',
    title: 'Offices',
    parent: null,
    assessable: true,
    applicable: false,
    justification: 'No offices.',
    owner: null,
    assessment: null,
    ...changed(ANN, 40, ANN, 40, 1),
    status: 'not_applicable',
    ...uncounted,
  },
];
const comments = [
  { uniqueId: C1, resource: ofTask, text: 'Please, Bob.', mentions: [person(BOB)], ...changed(ANN, 12, ANN, 12, 1) },
  { uniqueId: C2, resource: ofRequirement, text: 'We work from home.', mentions: [], ...changed(ANN, 41, ANN, 41, 1) },
];
const file = { uniqueId: E1, resource: ofTask, kind: 'file', url: null, size: FILE.length, sha256: sha256(FILE) };
const link = { uniqueId: E2, resource: ofVendor, kind: 'link', url: 'https://example.com/', size: null, sha256: null };
const lost = { uniqueId: E3, resource: ofVendor, kind: 'file', url: null, size: LOST.size, sha256: LOST.sha256 };
const evidence = [
  { ...file, name: 'Review.txt', date: '2026-09-30', ...changed(ANN, 13, ANN, 13, 1) },
  { ...link, name: 'Certificate', date: '2026-09-30', ...changed(ANN, 14, ANN, 14, 1) },
  { ...lost, name: 'Lost.txt', date: '2026-09-30', ...changed(ANN, 15, ANN, 15, 1) },
];

const quoted = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const csvOf = (records: readonly (readonly string[])[]) =>
  Buffer.from(`\u{feff}${records.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('')}`);

/** Texts of the sample that spreadsheets would run as formulas, as CSV has them. Before 0.16.0 only their start was guarded. */
const GUARDED = new Map([
  ['=1+1, quarterly', { now: "'=1+1, quarterly", before: "'=1+1, quarterly" }],
  ['-5.1', { now: "'-5.1", before: "'-5.1" }],
  ['Policies; =1+1', { now: "Policies; '=1+1", before: 'Policies; =1+1' }],
  ['Line\n- line', { now: "Line\n'- line", before: 'Line\n- line' }],
]);

/** Cells of the fields of a row, written by hand for what the sample has. */
const cellsOf = (row: Row, guard: 'now' | 'before') =>
  Object.values(row).map((value) => {
    if (value === null) return '';
    if (typeof value === 'string') return GUARDED.get(value)?.[guard] ?? value;
    return typeof value === 'object' && 'kind' in value
      ? personAt(Reflect.get(value, 'uniqueId'), LAST).name
      : JSON.stringify(value);
  });

const tasksCsv = (rows: typeof tasks, guard: 'now' | 'before') =>
  csvOf([
    [...Object.keys(tasks[0] ?? {}), 'frameworkName', 'departmentName', 'gapTitles'],
    ...rows.map((row) => [
      ...cellsOf(row, guard),
      ...(row.framework === 1 ? ['ISO 27001', "'@Security", '["No \\"MFA\\""]'] : ['SOC 2', '', '[]']),
    ]),
  ]);

const requirementsCsv = (rows: typeof requirements) =>
  csvOf([
    [...Object.keys(requirements[0] ?? {}), 'frameworkName', 'parentRef'],
    ...rows.map((row) => [
      ...cellsOf(row, 'now'),
      row.framework === 1 ? 'ISO 27001' : 'SOC 2',
      row.parent === R2 ? 'A.5' : '',
    ]),
  ]);

export interface SampleOptions {
  /** First sequence of the piece; by default the beginning. */
  from?: number;
  frameworks?: number[];
  /** False leaves the files out. */
  evidence?: boolean;
  /**
   * True for what earlier versions gave: before 0.12.0 other paths of files, before 0.16.0 a guard only at the start of cells, and up to
   * 0.17.0 no register of requirements.
   */
  isEarlier?: boolean;
}

/** The files of a valid proof. */
export function sampleEntries({
  from,
  frameworks,
  evidence: hasFiles = true,
  isEarlier = false,
}: SampleOptions = {}): ZipEntries {
  const log = sampleLog();
  const lines = from === undefined ? log : log.slice(from - 1);
  const before = from === undefined ? { sequence: 0, hash: '' } : { sequence: from - 1, hash: log[from - 2]?.hash };
  const isLate = ({ sequence }: { sequence: number }) => sequence === 23;
  const isIn = (framework: number) => frameworks === undefined || frameworks.includes(framework);
  const members = [ANN, BOB].map((id) => ({
    uniqueId: id,
    name: person(id).name,
    kind: 'human',
    role: id === ANN ? 'admin' : null,
    frameworks: null,
    createdAt: timeOf(id === ANN ? 2 : 3),
    endedAt: id === ANN ? null : timeOf(22),
    identities: IDENTITIES.filter(({ member }) => member === id).map(({ sequence, name, email, salt }) => ({
      sequence,
      name,
      email,
      salt,
      proved: sequence > before.sequence,
    })),
  }));
  const frameworkOf: Readonly<Record<string, number>> = { task: 1, requirement: 2 };
  const inFramework = ({ resource: { type } }: { resource: { type: string } }) =>
    type === 'vendor' || isIn(frameworkOf[type] ?? 0);
  const guard = isEarlier ? 'before' : 'now';
  const requirementRows = requirements.filter(({ framework }) => isIn(framework));
  const withoutRule = { ...sampleFields.types, requirement: { ...sampleFields.types.requirement, derived: [] } };
  const fields = isEarlier ? { ...sampleFields, types: withoutRule } : sampleFields;
  const taskRows = tasks.filter(({ framework }) => isIn(framework));
  const text = (content: string) => Buffer.from(`${content}\n`);
  const files: ZipEntries = new Map([
    ['README.txt', text('Read me')],
    ['report.html', text('<h1>Report</h1>')],
    ['tasks.csv', tasksCsv(taskRows, guard)],
    ['tasks.ndjson', toLines(taskRows)],
    ['vendors.csv', csvOf([Object.keys(vendors[0] ?? {}), ...vendors.map((row) => cellsOf(row, guard))])],
    ['vendors.ndjson', toLines(vendors)],
    ...(isEarlier
      ? []
      : ([
          ['requirements.csv', requirementsCsv(requirementRows)],
          ['requirements.ndjson', toLines(requirementRows)],
        ] as const)),
    ['comments.ndjson', toLines(comments.filter(inFramework))],
    ['evidence.ndjson', toLines(evidence.filter(inFramework))],
    [
      'frameworks.ndjson',
      toLines([
        { id: 1, name: 'ISO 27001', archivedAt: null },
        { id: 2, name: 'SOC 2', archivedAt: null },
      ]),
    ],
    ['departments.ndjson', toLines([{ id: 1, name: '@Security', archivedAt: null }])],
    ['gaps.ndjson', toLines([{ id: 1, framework: 1, title: 'No "MFA"', archivedAt: null }])],
    ['keys.ndjson', toLines([{ uniqueId: KEY, user: person(KEY_USER), name: 'Sync 3', scopes: ['task:read'] }])],
    ['members.ndjson', toLines(members)],
    [
      'events.ndjson',
      toLines([before, ...lines.map((line) => (isLate(line) ? Object.assign(line, { inPeriod: false }) : line))]),
    ],
    ['fields.json', text(JSON.stringify(fields))],
    ['signing-key.pem', Buffer.from(toPem(sampleKey))],
    ['verify.mjs', readFileSync('procedures/proof/verify/verify.mjs')],
    ...(hasFiles && isIn(1) ? [[`files/${sha256(FILE)}${isEarlier ? '' : '/Review.txt'}`, FILE] as const] : []),
  ]);
  const { sequence = 0, hash = '' } = log.at(-1) ?? {};
  const manifest: Manifest = {
    product: { name: 'compliance-api', version: '0.8.0' },
    company: { id: COMPANY, name: 'Acme' },
    from: from === undefined ? null : timeOf(from),
    asOf: timeOf(AS_OF),
    frameworks: frameworks ?? null,
    evidence: hasFiles,
    createdAt: timeOf(120),
    head: { sequence, hash },
    files: [...files].map(([path, bytes]) => ({ path, size: bytes.length, sha256: sha256(bytes) })),
    missing: hasFiles ? [LOST] : [],
  };
  return signManifest(files, manifest, sampleKey);
}

/** A valid proof. */
export const sampleProof = (options?: SampleOptions): Promise<Buffer> => writeZip(sampleEntries(options));
