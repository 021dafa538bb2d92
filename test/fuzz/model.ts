import type { Company, Key } from './companies.ts';

// What a company holds, as the contract has it and not as the service does it: written down a second time, to compare.

export interface TaskModel {
  uniqueId: string;
  framework: number;
  title: string;
  description: string;
  priority: number;
  labels: readonly string[];
  startDate: string | null;
  dueDate: string | null;
  departmentId: number | null;
  gaps: readonly number[];
  status: string;
  createdBy: Key;
  updatedBy: Key;
  version: number;
}

export interface VendorModel {
  uniqueId: string;
  name: string;
  status: string;
  description: string;
  createdBy: Key;
  updatedBy: Key;
  version: number;
}

/** What was done to a resource, as the trail must tell it. */
export interface EventModel {
  action: string;
  resource: string;
  /** Undefined: the operator. */
  key: Key | undefined;
  /** Of a task, its framework. */
  framework: number | undefined;
  /** Of an update all that changed; of the rest some of what is told. */
  changes: Record<string, unknown>;
}

/** An answer that must be given again under an Idempotency-Key. */
export interface AnswerModel {
  request: string;
  status: number;
  text: string;
}

/** A tag that was told, and what it was the tag of. */
interface Tag {
  text: string;
  resource: string;
  version: number;
  /** How often users had been renamed, whose names a tag covers. */
  renamings: number;
}

/** All that a company holds. */
export class CompanyModel {
  readonly company: Company;
  readonly tasks = new Map<string, TaskModel>();
  readonly vendors = new Map<string, VendorModel>();
  /** Tasks and vendors that were deleted, each with the framework of a task. */
  readonly gone = new Map<string, number | undefined>();
  /** Oldest first. */
  readonly events: EventModel[] = [];
  /** Ids of frameworks, departments and gaps, which have one sequence each. */
  readonly archived = { framework: new Set<number>(), department: new Set<number>(), gap: new Set<number>() };
  readonly disabled = new Set<Key>();
  /** By key and Idempotency-Key. */
  readonly answers = new Map<string, AnswerModel>();
  readonly tags: Tag[] = [];
  /** A cursor of its list of vendors. */
  cursor: string | undefined;
  renamings = 0;
  readonly #names = new Map<Key, string>();

  constructor(company: Company) {
    this.company = company;
    for (const [key, kind] of [
      [company.keys.full, 'All'],
      [company.keys.narrow, 'Narrow'],
      [company.keys.reader, 'Reader'],
    ] as const)
      this.#names.set(key, `${kind} ${company.marker}`);
  }

  nameOf(key: Key): string {
    return this.#names.get(key) ?? '';
  }

  rename(key: Key, name: string): void {
    if (this.nameOf(key) === name) return;
    this.#names.set(key, name);
    this.renamings += 1;
  }

  /** A tag that holds now; or one of an earlier version. */
  tagOf({ uniqueId, version }: { uniqueId: string; version: number }, isRight: boolean): string | undefined {
    return this.tags.find(
      (tag) =>
        tag.resource === uniqueId &&
        (isRight ? tag.version === version && tag.renamings === this.renamings : tag.version !== version),
    )?.text;
  }
}

const OPEN = new Set(['todo', 'in_progress', 'in_review']);

/** Whether a task that is in one status may be put in another. */
export const mayBecome = (from: string, to: string): boolean => from === to || OPEN.has(from) || to === 'todo';

/** What a vendor's `active` and `status` make of it. */
export function vendorStatus(before: string, { active, status }: { active?: boolean; status?: string }): string {
  if (status !== undefined) return status;
  if (active === true) return 'active';
  return active === false && before === 'active' ? 'inactive' : before;
}

/** Text for comparisons that ignore case. */
export const ignoringCase = (text: string): string => text.replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ');

/** Labels without what repeats an earlier one but for case. */
export const withoutRepeats = (labels: readonly string[]): string[] =>
  labels.filter((label, no) => labels.findIndex((one) => ignoringCase(one) === ignoringCase(label)) === no);

/** `{field: {from, to}}` of what differs. */
export function changesBetween(before: object, after: object): Record<string, { from: unknown; to: unknown }> {
  return Object.fromEntries(
    Object.entries(after).flatMap(([field, to]) => {
      const from: unknown = Reflect.get(before, field);
      return JSON.stringify(from) === JSON.stringify(to) ? [] : [[field, { from, to }]];
    }),
  );
}
