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
import { readPages } from '../core/read-pages.ts';

/** Columns of an object that a report counts, as events have them. */
type Columns = Readonly<Record<string, unknown>>;

/** Events that one statement reads. */
const PAGE_SIZE = 2000;
/** Milliseconds before the time from which events are read. No transaction takes as long. */
const MARGIN_MS = 86_400_000;

/** The columns of an object before an event. @param after undefined if it did not exist */
function undo(after: Columns | undefined, { verb, changes }: CountedEvent): Columns | undefined {
  if (verb === 'create') return undefined;
  if (verb === 'delete') return changes;
  const before = Object.entries(changes).flatMap(([column, change]) =>
    isFieldChange(change) ? [[column, change.from] as const] : [],
  );
  return after && { ...after, ...Object.fromEntries(before) };
}

/** How objects of a type are made of columns. */
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
    const pages = readPages(
      ({ afterTime, afterId }, limit) =>
        session.run(pageFrameworkEvents, { framework, time: time.toISOString(), afterTime, afterId, limit }),
      { afterTime: new Date(time.getTime() - MARGIN_MS).toISOString(), afterId: 0 },
      ({ occurredAt, id }) => ({ afterTime: occurredAt, afterId: id }),
      PAGE_SIZE,
    );
    for await (const events of pages)
      for (const event of events) if (event.type !== null) past.#add(event, event.isAfter);
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
      const columns = later.reduceRight<Columns | undefined>(undo, item && toColumns(item));
      const then = columns && fromColumns(columns, first);
      if (then !== undefined) items.push(then);
    }
    return items;
  }
}
