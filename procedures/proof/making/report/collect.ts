import type { Session } from '../../../../database/session.ts';
import { isFieldChange } from '../../../../entities/audit/changes.ts';
import { toIso } from '../../../../entities/statements/change-metadata.ts';
import type { ProofContents } from '../events.ts';
import { readStates, stateAt, toRow } from '../registers.ts';
import type { ResourceEvents } from '../paging.ts';
import type { RegisterRow } from '../registers.ts';
import { isOpen } from './posture.ts';
import { compareText } from './text.ts';

/** Types of the objects of which the report has records. */
type RecordType = 'task' | 'vendor' | 'requirement';

/** A task, a vendor or a requirement in the report. */
export interface ReportRecord {
  uniqueId: string;
  /** Title of a task, name of a vendor, or ref and title of a requirement. */
  name: string;
  /** As it was at the end of the period, without long texts. */
  row: RegisterRow;
  /** Null if it did not exist before the period. */
  statusBefore: unknown;
  /** When and by whom a task that is closed at the end of the period was closed the last time. */
  closing: Closing | undefined;
}

interface Closing {
  at: string;
  user: string;
}

/** One of them that was deleted in the period. */
interface DeletedRecord {
  type: RecordType;
  uniqueId: string;
  name: string;
  deletedAt: string;
  user: string;
  sequence: number;
}

interface Kind {
  type: RecordType;
  /** True for those that a short list has. */
  isListed: (row: RegisterRow) => boolean;
  /** Order of the short list. */
  compare: (a: ReportRecord, b: ReportRecord) => number;
  /** Receives each of them. */
  count: (row: RegisterRow) => void;
  /** Receives the events of each of them, and of those that are deleted. */
  read?: (events: ResourceEvents, name: string) => void;
  /** Largest number of records that the report has. */
  limit: number;
}

export interface Collected {
  total: number;
  /** All of them; or of too many only those of the short list, in its order. */
  records: readonly ReportRecord[];
  isShort: boolean;
  /** Number of those that belong to the short list, also beyond the limit. */
  listed: number;
  deleted: readonly DeletedRecord[];
  deletedTotal: number;
}

const nameOf = ({ ref, title, name = title }: RegisterRow): string =>
  typeof ref === 'string' ? `${ref} ${String(name)}` : String(name);

const UNUSED_FIELDS = new Set(['contacts', 'description', 'externalIds', 'labels']);
const withoutLongTexts = (row: RegisterRow): RegisterRow =>
  Object.fromEntries(Object.entries(row).filter(([field]) => !UNUSED_FIELDS.has(field)));

/** Order by name. */
export const compareNames = (a: ReportRecord, b: ReportRecord): number =>
  compareText(a.name, b.name) || compareText(a.uniqueId, b.uniqueId);

/** The time just before another one, so that what happened at that time is in the period. */
const before = (time: string) => new Date(Date.parse(time) - 1).toISOString();

/** The last event by which the status of a task became closed; undefined while it is open. */
function closingOf({ events }: ResourceEvents, asOf: string): Closing | undefined {
  let closing: Closing | undefined;
  for (const { changes, occurredAt, user } of events) {
    const at = toIso(occurredAt);
    const status: unknown = isFieldChange(changes['status']) ? changes['status'].to : changes['status'];
    if (at > asOf || status === undefined) continue;
    if (isOpen({ status })) closing = undefined;
    else closing ??= { at, user };
  }
  return closing;
}

/** Reads the objects of a type. The memory that it takes depends on the limit alone. */
export async function collect(
  session: Session,
  { from, asOf, frameworks, people }: ProofContents,
  { type, isListed, compare, count, read, limit }: Kind,
): Promise<Collected> {
  let total = 0;
  let listed = 0;
  let deletedTotal = 0;
  const deleted: DeletedRecord[] = [];
  let records: ReportRecord[] = [];
  const options = { asOf, frameworks: type === 'vendor' ? null : frameworks };
  for await (const { resource, state } of readStates(session, type, options)) {
    const { uniqueId } = resource;
    read?.(resource, nameOf(state.columns));
    if (!state.exists) {
      const deletedAt = toIso(state.last.occurredAt);
      if (from !== null && deletedAt < from) continue;
      deletedTotal += 1;
      if (deleted.length < limit) {
        const { user, sequence } = state.last;
        deleted.push({ type, uniqueId, name: nameOf(state.columns), deletedAt, user, sequence });
      }
      continue;
    }
    const row = toRow(type, state, people);
    total += 1;
    count(row);
    if (isListed(row)) listed += 1;
    else if (total > limit) continue;
    const earlier = from === null ? undefined : stateAt(resource, before(from));
    const statusBefore = earlier?.exists === true ? toRow(type, earlier, people)['status'] : null;
    const closing = type === 'task' ? closingOf(resource, asOf) : undefined;
    records.push({ uniqueId, name: nameOf(row), row: withoutLongTexts(row), statusBefore, closing });
    if (total > limit && (total === limit + 1 || records.length > 2 * limit))
      records = records
        .filter((record) => isListed(record.row))
        .toSorted(compare)
        .slice(0, limit);
  }
  if (total > limit)
    records = records
      .filter(({ row }) => isListed(row))
      .toSorted(compare)
      .slice(0, limit);
  return { total, records, isShort: total > limit, listed, deleted, deletedTotal };
}
