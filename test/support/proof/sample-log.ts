import { createHash } from 'node:crypto';
import { sealAnew, sha256, toSealed } from './chain.ts';
import type { EventLine, Row } from './chain.ts';
import { sampleFields } from './sample-fields.ts';

// The log of the sample proof: a company with two members, a key, two frameworks, requirements, tasks, vendors, comments and evidence.
// The first vendors and tasks are of a version that had fewer columns.

export const COMPANY = 7;
const OPERATOR = '00000000-0000-7000-8000-000000000001';
const idOf = (number: number) => `01990000-0000-7000-8000-${String(number).padStart(12, '0')}`;
export const ANN = idOf(1);
export const BOB = idOf(2);
export const KEY_USER = idOf(3);
export const KEY = idOf(4);
export const T1 = idOf(5);
export const T2 = idOf(6);
const T3 = idOf(7);
export const V1 = idOf(8);
export const V2 = idOf(9);
export const C1 = idOf(10);
export const E1 = idOf(11);
export const E2 = idOf(12);
export const E3 = idOf(13);
export const V3 = idOf(14);
/** Is deleted, and leaves a task. */
const V4 = idOf(15);
export const T4 = idOf(16);
export const T5 = idOf(17);
/** Is below R2, which came later. */
export const R1 = idOf(18);
/** A heading. */
export const R2 = idOf(19);
export const R3 = idOf(20);
export const C2 = idOf(21);
export const FILE = Buffer.from('Access review of the second quarter.\n');
export const LOST = { sha256: sha256('gone'), size: 4 };

/** Minute of the day as in responses, and as PostgreSQL writes it in JSON. */
export const timeOf = (minute: number) => new Date(Date.UTC(2026, 9, 1, 8, minute)).toISOString();
const stored = (minute: number) => timeOf(minute).replace('.000Z', '+00:00');

const saltOf = (number: number) => String(number).padStart(32, '0');
export const IDENTITIES = [
  { sequence: 2, member: ANN, name: 'Ann', email: 'ann@example.com', salt: saltOf(2) },
  { sequence: 3, member: BOB, name: 'Bob', email: 'bob@example.com', salt: saltOf(3) },
  { sequence: 16, member: BOB, name: 'Robert', email: 'bob@example.com', salt: saltOf(16) },
];
const digestAt = (wanted: number) => {
  const { salt = '', name = '', email = '' } = IDENTITIES.find(({ sequence }) => sequence === wanted) ?? {};
  return createHash('sha256')
    .update(`${salt}
${name}
${email}`)
    .digest('hex');
};

/** The names that hold at a sequence. */
const nameAt = (id: unknown, sequence: number) => {
  if (id === OPERATOR) return 'Operator';
  if (id === KEY_USER) return sequence < 21 ? 'Sync' : sequence < 28 ? 'Sync 2' : 'Sync 3';
  return id === ANN ? 'Ann' : sequence < 16 ? 'Bob' : 'Robert';
};
export const personAt = (id: unknown, sequence: number) => ({
  uniqueId: id,
  name: nameAt(id, sequence),
  kind: id === KEY_USER ? 'integration' : 'human',
});

interface Options {
  by?: string;
  minute?: number;
  framework?: number;
  parent?: { type: string; uniqueId: string };
  sealsKind?: boolean;
}

/** Columns that earlier versions of the product did not have. */
const VENDOR_FACTS = {
  website: 'https://payroll.example/?a=1,2',
  criticality: 1,
  owner_id: ANN,
  labels: ['finance'],
  data_categories: ['salaries', '=names'],
  contract_start: '2026-01-01',
  contract_end: '2027-12-31',
  review_every_months: 12,
  next_review: null,
  contacts: [{ name: 'Ada "Berg"', email: 'ada@payroll.example', role: null }],
  last_review: null,
};
const RECURRING = { due_date: '2026-10-15', recurrence: 'FREQ=MONTHLY;COUNT=3', previous: null };

/** The changes as an event shows them. */
function shownChanges(type: string, action: string, changes: Row, sequence: number): Row {
  const known: Row = { ...sampleFields.types }[type] as Row;
  const columns = known['columns'] as Record<string, { field: string | null; kind: string }>;
  const isFull = /(create|delete)$/.test(action);
  const shown: Row = {};
  for (const [column, value] of Object.entries(changes)) {
    const { field, kind } = columns[column] ?? { field: null, kind: 'plain' };
    const show = (one: unknown) => {
      if (one === null || kind === 'plain') return one;
      if (kind === 'review') return { ...(one as Row), by: personAt((one as Row)['by'], sequence) };
      if (kind === 'time' && typeof one === 'string') return new Date(one).toISOString();
      return kind === 'person' ? personAt(one, sequence) : (one as string[]).map((id) => personAt(id, sequence));
    };
    const { from, to } = (isFull ? {} : value) as { from?: unknown; to?: unknown };
    if (field !== null) shown[field] = isFull ? show(value) : { from: show(from), to: show(to) };
  }
  if (type === 'vendor' && isFull) shown['active'] = changes['status'] === 'active';
  return shown;
}

/** The lines of the log. */
export function sampleLog(): EventLine[] {
  const lines: EventLine[] = [];
  const add = (action: string, id: string, changes: Row, options: Options = {}) => {
    const { by = ANN, minute = lines.length + 1, framework = 0, parent, sealsKind = false } = options;
    const sequence = lines.length + 1;
    const [type = ''] = action.split('.');
    const uniqueId = idOf(1000 + sequence);
    const apiKey = by === KEY_USER ? KEY : null;
    const row = {
      id: sequence * 3,
      unique_id: uniqueId,
      company_id: COMPANY,
      user_id: by,
      ...(sealsKind && { user_kind: personAt(by, sequence).kind }),
      ...(apiKey && { api_key_id: apiKey }),
      action,
      resource_type: type,
      resource_id: id,
      ...(parent && { parent_type: parent.type, parent_id: parent.uniqueId }),
      framework_id: framework,
      request_id: `request-${sequence}`,
    };
    const event = {
      uniqueId,
      occurredAt: timeOf(minute),
      actor: personAt(by, sequence),
      apiKey,
      action,
      resource: { type, uniqueId: id },
      parent: parent ?? null,
      changes: shownChanges(type, action, changes, sequence),
      requestId: `request-${sequence}`,
      sequence,
      deleted: action.endsWith('.delete'),
    };
    lines.push({ sequence, hash: '', sealed: toSealed(sequence, { occurredAt: timeOf(minute), row, changes }), event });
  };
  const metadata = (by: string, minute = lines.length + 1) => ({
    created_at: stored(minute),
    updated_at: stored(minute),
    created_by_id: by,
    updated_by_id: by,
    version: 1,
  });
  const member = (id: string, sequence: number, role: string, ended: string | null = null) => ({
    unique_id: id,
    person_id: null,
    role,
    frameworks: null,
    ended_at: ended,
    created_at: stored(id === ANN ? 2 : 3),
    identity: digestAt(sequence),
  });
  const task = (id: string, by: string, framework: number, title: string) => ({
    unique_id: id,
    framework_id: framework,
    title,
    labels: ['a, b'],
    department_id: framework === 1 ? 1 : null,
    gaps: framework === 1 ? [1] : [],
    status: 'todo',
    ...metadata(by),
  });
  const vendor = (id: string, by: string, name: string) => ({
    unique_id: id,
    name,
    status: 'active',
    description: 'Line\n- line',
    ...metadata(by),
  });
  const evidence = (id: string, parent: object, file: { size: number; sha256: string } | null, name: string) => ({
    unique_id: id,
    resource: parent,
    kind: file ? 'file' : 'link',
    url: file ? null : 'https://example.com/',
    size: file?.size ?? null,
    sha256: file?.sha256 ?? null,
    name,
    date: '2026-09-30',
    ...metadata(ANN),
  });
  const ofTask = { type: 'task', uniqueId: T1 };
  const ofVendor = { type: 'vendor', uniqueId: V1 };

  add('company.create', String(COMPANY), { id: COMPANY, name: 'Acme' }, { by: OPERATOR });
  add('member.create', ANN, member(ANN, 2, 'admin'), { by: OPERATOR });
  add('member.create', BOB, member(BOB, 3, 'editor'));
  add('framework.create', '1', { id: 1, name: 'ISO 27001', archived_at: null });
  add('framework.create', '2', { id: 2, name: 'SOC 2', archived_at: null });
  add('department.create', '1', { id: 1, name: '@Security', archived_at: null });
  add('gap.create', '1', { id: 1, framework_id: 1, title: 'No "MFA"', archived_at: null }, { framework: 1 });
  add('apiKey.create', KEY, { unique_id: KEY, user_id: KEY_USER, name: 'Sync', scopes: ['task:read'] });
  add('task.create', T1, task(T1, KEY_USER, 1, '=1+1, quarterly'), { by: KEY_USER, framework: 1 });
  const assigned = { assignee_id: { from: null, to: BOB }, status: { from: 'todo', to: 'in_progress' } };
  add('task.update', T1, assigned, { framework: 1, sealsKind: true });
  add('vendor.create', V1, vendor(V1, ANN, 'Cloud "Inc"'));
  const comment = { unique_id: C1, resource: ofTask, text: 'Please, Bob.', mentions: [BOB], ...metadata(ANN) };
  add('comment.create', C1, comment, { framework: 1, parent: ofTask });
  const file = { size: FILE.length, sha256: sha256(FILE) };
  add('evidence.create', E1, evidence(E1, ofTask, file, 'Review.txt'), { framework: 1, parent: ofTask });
  add('evidence.create', E2, evidence(E2, ofVendor, null, 'Certificate'), { parent: ofVendor });
  add('evidence.create', E3, evidence(E3, ofVendor, LOST, 'Lost.txt'), { parent: ofVendor });
  const renamed = { identity: { from: digestAt(3), to: digestAt(16) } };
  add('member.update', BOB, renamed, { by: BOB });
  add('vendor.update', V1, { status: { from: 'active', to: 'inactive' } }, { by: KEY_USER, sealsKind: true });
  add('task.create', T2, task(T2, BOB, 2, 'Ärger 🦆'), { by: BOB, framework: 2, sealsKind: true });
  add('task.create', T3, task(T3, ANN, 2, 'Temporary'), { framework: 2 });
  add('task.delete', T3, task(T3, ANN, 2, 'Temporary'), { framework: 2 });
  add('apiKey.update', KEY, { name: { from: 'Sync', to: 'Sync 2' } });
  add('member.delete', BOB, member(BOB, 16, 'editor', stored(22)));
  add('task.update', T2, { title: { from: 'Ärger 🦆', to: 'Later' } }, { framework: 2, minute: 90 });
  add('vendor.create', V2, vendor(V2, KEY_USER, 'Second'), { by: KEY_USER });
  const done = {
    status: { from: 'in_progress', to: 'done' },
    external_ids: { from: [], to: [{ source: 'jira', externalId: 'A-1' }] },
  };
  add('task.update', T1, done, { framework: 1 });

  add('vendor.create', V3, { ...vendor(V3, ANN, 'Payroll'), ...VENDOR_FACTS });
  const reviewed = {
    last_review: { from: null, to: { at: timeOf(27), by: KEY_USER, note: 'SOC 2 report is current; "no findings".' } },
    next_review: { from: null, to: '2027-10-01' },
  };
  add('vendor.review', V3, reviewed, { by: KEY_USER, sealsKind: true });
  add('apiKey.update', KEY, { name: { from: 'Sync 2', to: 'Sync 3' } });
  add('vendor.create', V4, { ...vendor(V4, ANN, 'Former'), ...VENDOR_FACTS, owner_id: null });
  const recurring = { ...task(T4, ANN, 2, 'Check backups'), ...RECURRING, vendors: [V3, V4] };
  add('task.create', T4, recurring, { framework: 2 });
  add('task.update', T4, { vendors: { from: [V3, V4], to: [V3] } }, { framework: 2 });
  add('vendor.delete', V4, { ...vendor(V4, ANN, 'Former'), ...VENDOR_FACTS, owner_id: null });
  const next = { ...recurring, ...metadata(ANN, 34), unique_id: T5, vendors: [V3], due_date: '2026-11-15' };
  add('task.update', T4, { status: { from: 'todo', to: 'done' } }, { framework: 2 });
  add('task.create', T5, { ...next, recurrence: 'FREQ=MONTHLY;COUNT=2', previous: T4 }, { framework: 2 });
  const old = { criticality: { from: null, to: 4 }, owner_id: { from: null, to: ANN } };
  add('vendor.update', V1, old);

  const requirement = (id: string, framework: number, ref: string, title: string, further: Row = {}) => ({
    unique_id: id,
    framework_id: framework,
    ref,
    title,
    parent: null,
    assessable: true,
    applicable: true,
    justification: '',
    owner_id: ANN,
    assessment: null,
    ...metadata(ANN),
    ...further,
  });
  add('requirement.create', R1, requirement(R1, 1, '-5.1', 'Policies; =1+1'), { framework: 1 });
  add('requirement.create', R2, requirement(R2, 1, 'A.5', 'Organisation', { assessable: false }), { framework: 1 });
  add('requirement.update', R1, { parent: { from: null, to: R2 } }, { framework: 1 });
  const assessed = { result: 'partly_met', note: 'Approval is missing.', at: timeOf(39), by: KEY_USER };
  const assess = { by: KEY_USER, framework: 1, sealsKind: true };
  add('requirement.assess', R1, { assessment: { from: null, to: assessed } }, assess);
  const excluded = { applicable: false, justification: 'No offices.', owner_id: null };
  add('requirement.create', R3, requirement(R3, 2, 'CC6.4', 'Offices', excluded), { framework: 2 });
  const ofRequirement = { type: 'requirement', uniqueId: R3 };
  const note = { unique_id: C2, resource: ofRequirement, text: 'We work from home.', mentions: [], ...metadata(ANN) };
  add('comment.create', C2, note, { framework: 2, parent: ofRequirement });
  return sealAnew({ sequence: 0, hash: '' }, lines);
}
