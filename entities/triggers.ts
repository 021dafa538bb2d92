import type { TriggerDef } from '@mikro-orm/core';

type Plain = TriggerDef['events'][number];
/** An update may be of one column. */
type Event = Plain | `update of ${string}`;

const isPlain = (event: Event): event is Plain => !event.startsWith('update of ');

interface Audited {
  /** Resource type as the contract names it in actions: `task`, `apiKey`, … */
  type: string;
  /** Column whose text is the resource's id. */
  id: string;
  /** Columns that never reach the trail. A change of these alone is no event, unless it is a verb. */
  unrecorded?: readonly string[];
  /** Columns whose change gives an update a name of its own. */
  verbs?: Readonly<Record<string, string>>;
}

/** Attaches the one audit trigger (`audit_row`, made by the first migration) to a table. Contract, section 6. */
export function audited(table: string, { type, id, unrecorded = [], verbs = {} }: Audited): TriggerDef {
  const args = [type, id, `{${unrecorded.join(',')}}`, JSON.stringify(verbs)].map((text) => `'${text}'`).join(', ');
  return trigger(`${table}_audit`, 'after', ['insert', 'update', 'delete'], table, 'row', `audit_row(${args})`);
}

/** Refuses statements that may never reach a table: users and reference data are kept, events are final. */
export function refuses(table: string, events: [Event, ...Event[]]): TriggerDef {
  const [first] = events.map((event) => event.split(' ', 1)[0]);
  const name = `${table}_refuse${events.includes('delete') ? '' : `_${first}`}`;
  return trigger(name, 'before', events, table, 'statement', 'refuse_statement()');
}

/** Keeps a count of the table's rows as they come and go, however many a statement writes: `task_counted`. */
export const counted = (table: string): TriggerDef[] => [
  trigger(`${table}_added`, 'after', ['insert'], table, 'statement', `${table}_counted()`, {
    referencing: 'new table as added',
  }),
  trigger(`${table}_removed`, 'after', ['delete'], table, 'statement', `${table}_counted()`, {
    referencing: 'old table as removed',
  }),
];

interface Further {
  /** Rows of the statement, as a table that the function can read. */
  referencing?: string;
  /** Without this the function is not called at all, which is what a call costs least. */
  when?: string;
}

/** A trigger that calls a function the migrations made. The ORM alone would write a function for each table. */
export function trigger(
  name: string,
  timing: 'before' | 'after',
  events: Event[],
  table: string,
  forEach: 'row' | 'statement',
  call: string,
  { referencing, when }: Further = {},
): TriggerDef {
  const rows = referencing === undefined ? '' : ` referencing ${referencing}`;
  const only = when === undefined ? '' : ` when (${when})`;
  const expression = `create trigger ${name} ${timing} ${events.join(' or ')} on ${table}${rows} for each ${forEach}${only} execute function ${call}`;
  const known = events.map((event) => (isPlain(event) ? event : 'update'));
  return { name, timing, events: known, forEach, expression };
}
