import type { Company, TestKey } from '../service/companies.ts';

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
  createdBy: TestKey;
  updatedBy: TestKey;
  version: number;
}

export interface VendorModel {
  uniqueId: string;
  name: string;
  status: string;
  description: string;
  createdBy: TestKey;
  updatedBy: TestKey;
  version: number;
}

/** What was done to a resource, as the trail must tell it. */
export interface EventModel {
  action: string;
  resource: string;
  /** Undefined: the operator. */
  key: TestKey | undefined;
  /** Of a task, its framework. */
  framework: number | undefined;
  /** Of an update all that changed; of the rest some of what is told. */
  changes: Record<string, unknown>;
}

/** An answer that must be given again under an Idempotency-Key. */
export interface ResponseModel {
  request: string;
  status: number;
  text: string;
}

/** A tag that was told, and what it was the tag of. */
interface EntityTagModel {
  text: string;
  resource: string;
  version: number;
  /** How often users had been renamed, whose names a tag covers. */
  renameCount: number;
}

/** All that a company holds. */
export class CompanyModel {
  readonly company: Company;
  readonly tasks = new Map<string, TaskModel>();
  readonly vendors = new Map<string, VendorModel>();
  /** Tasks and vendors that were deleted, each with the framework of a task. */
  readonly deleted = new Map<string, number | undefined>();
  /** Oldest first. */
  readonly events: EventModel[] = [];
  /** Ids of frameworks, departments and gaps, which have one sequence each. */
  readonly archived = { framework: new Set<number>(), department: new Set<number>(), gap: new Set<number>() };
  readonly disabledKeys = new Set<TestKey>();
  /** By key and Idempotency-Key. */
  readonly replayableResponses = new Map<string, ResponseModel>();
  readonly entityTags: EntityTagModel[] = [];
  /** A cursor of its list of vendors. */
  vendorCursor: string | undefined;
  renameCount = 0;
  readonly #keyNames = new Map<TestKey, string>();

  constructor(company: Company) {
    this.company = company;
    for (const [key, kind] of [
      [company.keys.full, 'All'],
      [company.keys.narrow, 'Narrow'],
      [company.keys.reader, 'Reader'],
    ] as const)
      this.#keyNames.set(key, `${kind} ${company.marker}`);
  }

  keyName(key: TestKey): string {
    return this.#keyNames.get(key) ?? '';
  }

  renameKey(key: TestKey, name: string): void {
    if (this.keyName(key) === name) return;
    this.#keyNames.set(key, name);
    this.renameCount += 1;
  }

  /** A tag that holds now; or one of an earlier version. */
  entityTagFor({ uniqueId, version }: { uniqueId: string; version: number }, isCurrent: boolean): string | undefined {
    return this.entityTags.find(
      (tag) =>
        tag.resource === uniqueId &&
        (isCurrent ? tag.version === version && tag.renameCount === this.renameCount : tag.version !== version),
    )?.text;
  }
}

const OPEN_STATUSES = new Set(['todo', 'in_progress', 'in_review']);

/** Whether a task that is in one status may be put in another. */
export const canTransition = (from: string, to: string): boolean =>
  from === to || OPEN_STATUSES.has(from) || to === 'todo';

/** What a vendor's `active` and `status` make of it. */
export function nextVendorStatus(before: string, { active, status }: { active?: boolean; status?: string }): string {
  if (status !== undefined) return status;
  if (active === true) return 'active';
  return active === false && before === 'active' ? 'inactive' : before;
}

/** Text for comparisons that ignore case. */
export const foldCase = (text: string): string => text.replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ');

/** Labels without what repeats an earlier one but for case. */
export const dedupeLabels = (labels: readonly string[]): string[] =>
  labels.filter((label, no) => labels.findIndex((one) => foldCase(one) === foldCase(label)) === no);

/** `{field: {from, to}}` of what differs. */
export function diffFields(before: object, after: object): Record<string, { from: unknown; to: unknown }> {
  return Object.fromEntries(
    Object.entries(after).flatMap(([field, to]) => {
      const from: unknown = Reflect.get(before, field);
      return JSON.stringify(from) === JSON.stringify(to) ? [] : [[field, { from, to }]];
    }),
  );
}
