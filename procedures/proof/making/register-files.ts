import type { Session } from '../../../database/session.ts';
import type { ResourceType } from '../../../entities/audit/fields.ts';
import { toIso } from '../../../entities/statements/change-metadata.ts';
import { BOM, toFormulaText, writeCsvRecord } from '../../import/parsing/csv.ts';
import { fileNameOf } from '../verify/verify.mjs';
import { registerFields, readRegister, stateAt } from './registers.ts';
import type { RegisterEntry, RegisterRow } from './registers.ts';
import { resourcesOf } from './paging.ts';
import type { ProofContents } from './events.ts';
import type { People } from './people.ts';

/** A file of evidence, under the earliest piece of evidence that has it. */
export interface EvidenceFile {
  size: number;
  /** The piece of evidence. */
  uniqueId: string;
  name: string;
}

/** Path of a file of evidence in a proof. */
export const pathOf = (sha256: string, { name }: EvidenceFile): string => `files/${sha256}/${fileNameOf(name)}`;

interface TextFile {
  path: string;
  content: AsyncIterable<string>;
}

/** Types whose objects a proof of some frameworks leaves out. */
const LIMITED: ReadonlySet<ResourceType> = new Set(['requirement', 'task', 'comment', 'evidence']);
/** Registers with their types, beside those that are tables too. Reference data come first: tasks name them. */
const LISTS = [
  ['frameworks', 'framework'],
  ['departments', 'department'],
  ['gaps', 'gap'],
  ['keys', 'apiKey'],
  ['comments', 'comment'],
  ['evidence', 'evidence'],
] as const satisfies (readonly [string, ResourceType])[];
const TABLES = [
  ['requirements', 'requirement'],
  ['tasks', 'task'],
  ['vendors', 'vendor'],
] as const satisfies (readonly [string, ResourceType])[];
interface Period {
  asOf: string;
  people: People;
  /** The first sequence among the events of the proof, and the last one. */
  first: number;
  head: number;
}

const timeOrNull = (value: unknown) => (typeof value === 'string' ? new Date(value).toISOString() : null);

/** Everybody who was a member by the end of the period, with the values that open the digests in the events. Contract, section 26. */
async function* readMembers(session: Session, { asOf, people, first, head }: Period): AsyncGenerator<RegisterRow> {
  for await (const resource of resourcesOf(session, 'member')) {
    const state = stateAt(resource, asOf);
    if (state === undefined) continue;
    const { columns, last, exists } = state;
    const identities = people.identities.get(resource.uniqueId) ?? [];
    yield {
      uniqueId: resource.uniqueId,
      name: people.get(resource.uniqueId)?.name ?? resource.uniqueId,
      kind: 'human',
      role: exists ? columns['role'] : null,
      frameworks: columns['frameworks'] ?? null,
      createdAt: timeOrNull(columns['created_at']),
      endedAt: exists ? null : (timeOrNull(columns['ended_at']) ?? toIso(last.occurredAt)),
      identities: identities.map(({ sequence, name, email, salt }) => ({
        sequence,
        name,
        email,
        salt,
        proved: sequence >= first && sequence <= head,
      })),
    };
  }
}

/** Byte order mark and header of a register as CSV. */
const csvStart = (columns: readonly string[]): string => BOM + writeCsvRecord(columns);

/** A row of a register as CSV. People have their names, other objects and lists are JSON. */
const csvRow = (columns: readonly string[], row: RegisterRow): string =>
  writeCsvRecord(columns.map((column) => cellOf(row[column])));

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'string') return toFormulaText(value);
  return toFormulaText(isPerson(value) ? value.name : JSON.stringify(value));
}

const isPerson = (value: object): value is { uniqueId: string; name: string; kind: string } =>
  'name' in value && 'kind' in value && 'uniqueId' in value && typeof value.name === 'string';

/** Columns of a table beside the fields. */
const NAME_COLUMNS: Readonly<Partial<Record<ResourceType, readonly string[]>>> = {
  requirement: ['frameworkName', 'parentRef'],
  task: ['frameworkName', 'departmentName', 'gapTitles'],
};

/** The registers of a proof, each read from the events of its objects. */
export class Registers {
  readonly #session: Session;
  readonly #contents: ProofContents;
  /** Names of reference data, and refs of requirements, by type and id, once their registers were read. */
  readonly names: Record<'framework' | 'department' | 'gap' | 'requirement', Map<unknown, string>> = {
    framework: new Map(),
    department: new Map(),
    gap: new Map(),
    requirement: new Map(),
  };
  /** Files of evidence by SHA-256, once its register was read. */
  readonly evidenceFiles = new Map<string, EvidenceFile>();
  company = { id: 0, name: '' };
  /** Time zone of the company, once the members were read. */
  timeZone = 'UTC';
  /** Numbers of the objects in the registers that were read. */
  readonly counts = new Map<ResourceType, number>();
  /** Numbers of questions, and of those that are open, once the comments were read. */
  questions = { total: 0, open: 0 };
  /** Numbers of pieces of evidence by the result of their check, once their register was read. */
  readonly checks = new Map<unknown, number>();
  readonly count = LISTS.length + 2 * TABLES.length + 1;

  constructor(session: Session, contents: ProofContents) {
    this.#session = session;
    this.#contents = contents;
  }

  /** Objects of a type, as they were at the end of the period. */
  read(type: ResourceType): AsyncGenerator<RegisterEntry> {
    const { asOf, frameworks, people } = this.#contents;
    return readRegister(this.#session, type, { asOf, people, frameworks: LIMITED.has(type) ? frameworks : null });
  }

  members(): AsyncGenerator<RegisterRow> {
    const { asOf, people, piece } = this.#contents;
    return readMembers(this.#session, {
      asOf,
      people,
      first: piece.before.sequence + 1,
      head: piece.head.sequence,
    });
  }

  /** The files, in an order in which each is written before the next one is read. */
  *files(): Generator<TextFile> {
    for (const [name, type] of LISTS) yield { path: `${name}.ndjson`, content: this.#lines(type) };
    for (const [name, type] of TABLES) {
      yield { path: `${name}.ndjson`, content: this.#lines(type) };
      yield { path: `${name}.csv`, content: this.#table(type) };
    }
    yield { path: 'members.ndjson', content: this.#memberLines() };
  }

  async *#lines(type: ResourceType): AsyncGenerator<string> {
    for await (const { row } of this.read(type)) {
      this.#remember(type, row);
      yield `${JSON.stringify(row)}\n`;
    }
  }

  async *#memberLines(): AsyncGenerator<string> {
    for await (const { row } of this.read('company')) {
      this.company = { id: Number(row['id']), name: String(row['name']) };
      this.timeZone = String(row['timeZone']);
    }
    for await (const row of this.members()) {
      this.#count('member');
      yield `${JSON.stringify(row)}\n`;
    }
  }

  async *#table(type: ResourceType): AsyncGenerator<string> {
    const columns = [...registerFields(type), ...(NAME_COLUMNS[type] ?? [])];
    yield csvStart(columns);
    for await (const { row } of this.read(type)) yield csvRow(columns, this.withNames(row));
  }

  /** A task or a requirement with the names of the objects that it refers to. */
  withNames(row: RegisterRow): RegisterRow {
    const { framework, department, gap, requirement } = this.names;
    const gaps = Array.isArray(row['gaps']) ? row['gaps'] : [];
    return {
      ...row,
      frameworkName: framework.get(row['framework']) ?? null,
      departmentName: department.get(row['departmentId']) ?? null,
      gapTitles: gaps.map((id) => gap.get(id) ?? null),
      parentRef: requirement.get(row['parent']) ?? null,
    };
  }

  #count(type: ResourceType): void {
    this.counts.set(type, (this.counts.get(type) ?? 0) + 1);
  }

  #remember(type: ResourceType, row: RegisterRow): void {
    this.#count(type);
    if (type === 'framework' || type === 'department') this.names[type].set(row['id'], String(row['name']));
    if (type === 'gap') this.names.gap.set(row['id'], String(row['title']));
    if (type === 'requirement') this.names.requirement.set(row['uniqueId'], String(row['ref']));
    if (type === 'comment' && row['kind'] === 'question') {
      this.questions.total += 1;
      if (row['resolved'] === null) this.questions.open += 1;
    }
    if (type === 'evidence') {
      const result: unknown = Reflect.get(Object(row['check']), 'result');
      this.checks.set(result, (this.checks.get(result) ?? 0) + 1);
    }
    const { sha256, size } = row;
    if (type !== 'evidence' || typeof sha256 !== 'string' || typeof size !== 'number') return;
    // Evidence is read in the order of its ids, which is that of its creation.
    if (!this.evidenceFiles.has(sha256))
      this.evidenceFiles.set(sha256, { size, uniqueId: String(row['uniqueId']), name: String(row['name']) });
  }
}
