import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Session } from '../../database/session.ts';
import { isFieldChange } from '../../entities/audit/changes.ts';
import { pageFrameworkEvents } from '../../entities/requirement/report.ts';
import type {
  CountedEvent,
  ReportedEvidence,
  ReportedRequirement,
  ReportedTask,
} from '../../entities/requirement/report.ts';
import { RESULTS } from '../../entities/requirement/requirement.ts';
import { TASK_STATUSES } from '../../entities/task/task.ts';

/** Columns of an object that a report counts, as events have them. */
type Columns = Readonly<Record<string, unknown>>;

/** Events that one statement reads. */
const PAGE_SIZE = 2000;
/** Milliseconds before the time from which events are read. No transaction takes as long. */
const MARGIN_MS = 86_400_000;

/** The columns of an object before these events, the oldest first. @param now undefined if it is deleted */
function undo(events: readonly CountedEvent[], now: Columns | undefined): Columns | undefined {
  let columns: Record<string, unknown> | undefined = now && { ...now };
  for (const { verb, changes } of events.toReversed()) {
    if (verb === 'create') columns = undefined;
    else if (verb === 'delete') columns = { ...changes };
    else if (columns !== undefined)
      for (const column of Object.keys(changes)) {
        const change = changes[column];
        if (isFieldChange(change)) columns[column] = change.from;
      }
  }
  return columns;
}

/** The conversion of columns to objects of a type. */
interface Conversion<Item> {
  toColumns: (item: Item) => Columns;
  /** Undefined for values that this version does not know. */
  fromColumns: (columns: Columns, event: Pick<CountedEvent, 'uniqueId' | 'parent'>) => Item | undefined;
}

const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null);

export const taskConversion: Conversion<ReportedTask> = {
  toColumns: ({ status, dueDate }) => ({ status, due_date: dueDate }),
  fromColumns({ status: stored, due_date: dueDate }, { uniqueId }) {
    const status = TASK_STATUSES.find((one) => one === stored);
    return status && { uniqueId, status, dueDate: textOrNull(dueDate) };
  },
};

export const requirementConversion: Conversion<ReportedRequirement> = {
  toColumns: ({ assessable, applicable, assessment }) => ({ assessable, applicable, assessment }),
  fromColumns({ assessable, applicable, assessment }, { uniqueId }) {
    const result = RESULTS.find((one) => one === Reflect.get(Object(assessment), 'result'));
    return {
      uniqueId,
      assessable: assessable === true,
      applicable: applicable === true,
      assessment: result === undefined ? null : { result },
    };
  },
};

export const evidenceConversion: Conversion<ReportedEvidence> = {
  toColumns: ({ validUntil }) => ({ valid_until: validUntil }),
  fromColumns: ({ valid_until: validUntil }, { uniqueId, parent }) =>
    parent === null ? undefined : { uniqueId, parent, validUntil: textOrNull(validUntil) },
};

/** The events of one object. */
interface EventsOfObject {
  /** Id of its last event before the time; 0 without one in the margin. */
  bound: number;
  later: CountedEvent[];
}

/**
 * The objects of a framework at a time, made from what they are now by undoing their events since then, as `asOf` would show them: after
 * the last event before the time, and all events with a smaller id. A transaction that began before the time may have waited for
 * one that began later, so ids tell the order of the changes of an object, and times do not.
 */
export class Past {
  readonly #objects = new Map<string, EventsOfObject>();

  /** Reads the events of a framework from a time on. Read what it has now before, so that no change is missing in both. */
  static async read(session: Session, framework: number, time: Date): Promise<Past> {
    const past = new Past();
    let afterTime = new Date(time.getTime() - MARGIN_MS).toISOString();
    let afterId = 0;
    for (;;) {
      const input = { framework, time: time.toISOString(), afterTime, afterId, limit: PAGE_SIZE };
      const events = await session.run(pageFrameworkEvents, input);
      for (const event of events) if (event.type !== null) past.#add(event, event.isAfter);
      const last = events.at(-1);
      if (last === undefined || last.scanned < PAGE_SIZE) break;
      ({ occurredAt: afterTime, id: afterId } = last);
      await nextTurn();
    }
    for (const events of past.#objects.values()) events.later.sort((one, other) => one.id - other.id);
    return past;
  }

  /** Events come in the order of their times. */
  #add(event: CountedEvent, isAfter: boolean): void {
    let events = this.#objects.get(event.uniqueId);
    if (events === undefined) this.#objects.set(event.uniqueId, (events = { bound: 0, later: [] }));
    if (!isAfter) events.bound = Math.max(events.bound, event.id);
    else if (event.id > events.bound) events.later.push(event);
  }

  /** Events of an object since the time, in the order of its changes. */
  eventsOf(uniqueId: string): readonly CountedEvent[] {
    return this.#objects.get(uniqueId)?.later ?? [];
  }

  /** True if a column of an object has changed since the time. */
  hasChanged(uniqueId: string, column: string): boolean {
    return this.eventsOf(uniqueId).some(({ verb, changes }) => verb === 'update' && isFieldChange(changes[column]));
  }

  /** The objects of a type at the time. @param now those that the framework has now */
  objectsOf<Item extends { uniqueId: string }>(
    type: CountedEvent['type'],
    now: readonly Item[],
    { toColumns, fromColumns }: Conversion<Item>,
  ): Item[] {
    const present = new Map(now.map((item) => [item.uniqueId, item]));
    const items = now.filter(({ uniqueId }) => this.eventsOf(uniqueId).length === 0);
    for (const [uniqueId, { later }] of this.#objects) {
      const [first] = later;
      if (first?.type !== type) continue;
      const item = present.get(uniqueId);
      const columns = undo(later, item && toColumns(item));
      const then = columns && fromColumns(columns, first);
      if (then !== undefined) items.push(then);
    }
    return items;
  }
}
