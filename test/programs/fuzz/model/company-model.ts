import type { Company, TestKey } from '../service/companies.ts';

// A second implementation of the contract, independent of the service, to compare its responses with.

/** An id of an object in another system. */
export interface ExternalIdModel {
  source: string;
  externalId: string;
}

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
  externalIds: readonly ExternalIdModel[];
  createdBy: TestKey;
  updatedBy: TestKey;
  version: number;
}

export interface VendorModel {
  uniqueId: string;
  name: string;
  status: string;
  description: string;
  externalIds: readonly ExternalIdModel[];
  createdBy: TestKey;
  updatedBy: TestKey;
  version: number;
}

/** An expected audit event. */
export interface EventModel {
  action: string;
  resource: string;
  /** Undefined for the operator. */
  key: TestKey | undefined;
  /** The user with the name that the key had then; undefined for the operator. */
  actor: object | undefined;
  /** Framework of a task; undefined for a vendor. */
  framework: number | undefined;
  /** All changed fields of an update; some of the recorded fields of other events. */
  changes: Record<string, unknown>;
}

/** A response that must be replayed for its Idempotency-Key. */
export interface ResponseModel {
  request: string;
  status: number;
  text: string;
}

/** An entity tag from a response, with its resource and version. */
interface EntityTagModel {
  text: string;
  resource: string;
  version: number;
  /** Number of earlier user renames. An entity tag covers the names of users. */
  renameCount: number;
}

/** Expected state of a company. */
export class CompanyModel {
  readonly company: Company;
  readonly tasks = new Map<string, TaskModel>();
  readonly vendors = new Map<string, VendorModel>();
  /** Ids of deleted resources, with the framework of a task or undefined for a vendor. */
  readonly deleted = new Map<string, number | undefined>();
  /** The object that each external id is reserved for, by kind, framework and id. It may be deleted. */
  readonly reservations = new Map<string, string>();
  /** Oldest first. */
  readonly events: EventModel[] = [];
  /** Ids of archived reference data. Each kind has its own id sequence. */
  readonly archived = { framework: new Set<number>(), department: new Set<number>(), gap: new Set<number>() };
  readonly disabledKeys = new Set<TestKey>();
  /** Replayable responses by API key and Idempotency-Key. */
  readonly replayableResponses = new Map<string, ResponseModel>();
  readonly entityTags: EntityTagModel[] = [];
  /** A cursor of the company's vendor list. */
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

  /** Returns a current entity tag of a resource, or one of an earlier version. */
  entityTagFor({ uniqueId, version }: { uniqueId: string; version: number }, isCurrent: boolean): string | undefined {
    return this.entityTags.find(
      (tag) =>
        tag.resource === uniqueId &&
        (isCurrent ? tag.version === version && tag.renameCount === this.renameCount : tag.version !== version),
    )?.text;
  }
}

const OPEN_STATUSES = new Set(['todo', 'in_progress', 'in_review']);

/** Returns true if a task may change from one status to another. */
export const canTransition = (from: string, to: string): boolean =>
  from === to || OPEN_STATUSES.has(from) || OPEN_STATUSES.has(to);

/** Returns the status of a vendor after a change of `active` or `status`. */
export function nextVendorStatus(before: string, { active, status }: { active?: boolean; status?: string }): string {
  if (status !== undefined) return status;
  if (active === true) return 'active';
  return active === false && before === 'active' ? 'inactive' : before;
}

/** Normalizes text for case-insensitive comparison. */
const foldCase = (text: string): string => text.normalize().replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ');

/** Removes labels that repeat an earlier label, ignoring case. */
export const dedupeLabels = (labels: readonly string[]): string[] =>
  labels.filter((label, index) => labels.findIndex((other) => foldCase(other) === foldCase(label)) === index);

/** Returns the changed fields as `{field: {from, to}}`. */
export function diffFields(before: object, after: object): Record<string, { from: unknown; to: unknown }> {
  return Object.fromEntries(
    Object.entries(after).flatMap(([field, to]) => {
      const from: unknown = Reflect.get(before, field);
      return JSON.stringify(from) === JSON.stringify(to) ? [] : [[field, { from, to }]];
    }),
  );
}
