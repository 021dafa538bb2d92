import type { TriggerDef } from '@mikro-orm/core';
import { FRAMEWORK_COLUMN } from './audited-resource.ts';
import type { AuditedResource } from './audited-resource.ts';

type BaseEvent = TriggerDef['events'][number];
/** An update may be limited to one column. */
type TriggerEvent = BaseEvent | `update of ${string}`;

const isBaseEvent = (event: TriggerEvent): event is BaseEvent => !event.startsWith('update of ');

/**
 * Attaches the audit trigger (`entities/audit/functions/audit_row.sql`) to the table of a resource. Contract, section 6.
 * @param parents types of the resources that a row may belong to, by the column with their id
 * @param hasDelete false writes no event for a deletion; so it is by default for a resource without a verb for it
 * @param events commands that write events
 */
export function auditTrigger(
  {
    type,
    table,
    idColumn,
    unauditedColumns,
    verbByColumn,
    hasFramework,
    verbs,
  }: Pick<
    AuditedResource,
    'type' | 'table' | 'idColumn' | 'unauditedColumns' | 'verbByColumn' | 'hasFramework' | 'verbs'
  >,
  parents: Readonly<Record<string, string>> = {},
  { hasDelete = verbs.includes('delete') || 'delete' in verbByColumn }: { hasDelete?: boolean } = {},
): TriggerDef {
  const hasParents = Object.keys(parents).length > 0;
  const args = [type, idColumn, `{${unauditedColumns.join(',')}}`, JSON.stringify(verbByColumn)]
    .concat(hasFramework || hasParents ? [hasFramework ? FRAMEWORK_COLUMN : ''] : [])
    .concat(hasParents ? [JSON.stringify(parents)] : [])
    .map((text) => `'${text}'`)
    .join(', ');
  const events: [TriggerEvent, ...TriggerEvent[]] = ['insert', 'update', ...(hasDelete ? ['delete' as const] : [])];
  return defineTrigger(`${table}_audit`, 'after', events, table, 'row', `audit_row(${args})`);
}

/** Rejects forbidden statements: users and reference data are never deleted, events are never changed. */
export function forbidTrigger(table: string, events: [TriggerEvent, ...TriggerEvent[]]): TriggerDef {
  const [first] = events.map((event) => event.split(' ', 1)[0]);
  const name = `${table}_forbid${events.includes('delete') ? '' : `_${first}`}`;
  return defineTrigger(name, 'before', events, table, 'statement', 'forbid_statement()');
}

/** Maintains a count of the table's rows, once per statement: `update_task_count`. */
export const countTriggers = (table: string): TriggerDef[] => [
  defineTrigger(`${table}_count_insert`, 'after', ['insert'], table, 'statement', `update_${table}_count()`, {
    referencing: 'new table as new_rows',
    when: unlessReceiving(table),
  }),
  defineTrigger(`${table}_count_delete`, 'after', ['delete'], table, 'statement', `update_${table}_count()`, {
    referencing: 'old table as old_rows',
  }),
];

/** Rejects writes of rows that no audit trigger sees, while the company of the session is frozen. */
export const frozenTrigger = (table: string, events: BaseEvent[] = ['insert', 'update', 'delete']): TriggerDef =>
  defineTrigger(`${table}_unfrozen`, 'before', events, table, 'statement', 'require_unfrozen()');

/** Condition of a trigger that must not run for rows that arrive with a company, because the rows that it would write or check arrive too. */
export const unlessReceiving = (table: string) => `not is_receiving('${table}'::regclass)`;

/**
 * Rejects changes and deletions of rows that belong to a closed task, while the company locks them: `require_unlocked`.
 * @param columns that are locked @param when condition of a row that may belong to one
 */
export const lockTrigger = (table: string, columns: readonly string[], when: string): TriggerDef =>
  defineTrigger(
    `${table}_unlocked`,
    'after',
    ['update', 'delete'],
    table,
    'row',
    `require_unlocked('{${columns.join(',')}}')`,
    { when },
  );

interface TriggerOptions {
  /** Transition table: the rows of the statement, for the function. */
  referencing?: string;
  /** Condition of the call. A false condition costs less than a call that does nothing. */
  when?: string;
}

/** A trigger that calls a function of a file in `functions/`. The ORM would generate a function for each table. */
export function defineTrigger(
  name: string,
  timing: 'before' | 'after',
  events: TriggerEvent[],
  table: string,
  forEach: 'row' | 'statement',
  functionCall: string,
  { referencing, when }: TriggerOptions = {},
): TriggerDef {
  const referencingClause = referencing === undefined ? '' : ` referencing ${referencing}`;
  const whenClause = when === undefined ? '' : ` when (${when})`;
  const expression = `create trigger ${name} ${timing} ${events.join(' or ')} on ${table}${referencingClause} for each ${forEach}${whenClause} execute function ${functionCall}`;
  const baseEvents = events.map((event) => (isBaseEvent(event) ? event : 'update'));
  return { name, timing, events: baseEvents, forEach, expression };
}
