import { auditedResources } from '../index.ts';
import { PARENT_COLUMN } from '../schema/audited-resource.ts';
import type { AuditedResource, FieldKind, RegisterRules } from '../schema/audited-resource.ts';

type RuleName = RegisterRules[string];

/** The field in which an event or a register shows a column; null if it shows it nowhere. */
interface SealedColumn {
  field: string | null;
  kind: FieldKind;
  /** Value where an event lacks the column. */
  default?: unknown;
}

/** Reading of what seals cover: the columns of events and of each resource type. Contract, section 20. */
export interface SealedFields {
  event: Readonly<Record<string, SealedColumn>>;
  types: Readonly<
    Record<
      string,
      {
        columns: Readonly<Record<string, SealedColumn>>;
        derived: readonly ({ field: string; of: string; equals: unknown } | { field: string; rule: RuleName })[];
      }
    >
  >;
}

const plain = (field: string | null): SealedColumn => ({ field, kind: 'plain' });

/** Columns of an event. A dot is a path. */
const EVENT_COLUMNS: SealedFields['event'] = {
  id: plain(null),
  company_id: plain(null),
  framework_id: plain(null),
  unique_id: plain('uniqueId'),
  occurred_at: { field: 'occurredAt', kind: 'time' },
  user_id: { field: 'actor', kind: 'person' },
  user_kind: plain('actor.kind'),
  api_key_id: plain('apiKey'),
  action: plain('action'),
  resource_type: plain('resource.type'),
  resource_id: plain('resource.uniqueId'),
  parent_type: plain('parent.type'),
  parent_id: plain('parent.uniqueId'),
  changes: plain('changes'),
  request_id: plain('requestId'),
};

function columnsOf({ shownColumns, unauditedColumns, kinds, earlierValues }: AuditedResource) {
  const shown = Object.entries(shownColumns).map(([field, column]): [string, SealedColumn] => [
    column,
    {
      field,
      kind: column === PARENT_COLUMN ? 'plain' : (kinds[column] ?? 'plain'),
      ...(Object.hasOwn(earlierValues, column) && { default: earlierValues[column] }),
    },
  ]);
  const hidden = unauditedColumns.map((column): [string, SealedColumn] => [column, plain(null)]);
  // Earlier versions recorded some of the columns that are not recorded now, and events show some of those.
  return Object.fromEntries([...hidden, ...shown]);
}

const listDerived = ({ derived, registerRules }: AuditedResource) => [
  ...Object.entries(derived).map(([field, { of, equals }]) => ({ field, of, equals })),
  ...Object.entries(registerRules).map(([field, rule]) => ({ field, rule })),
];

/** Knowledge of this version about sealed events. It names every column that any version has recorded. */
export const SEALED_FIELDS: SealedFields = {
  event: EVENT_COLUMNS,
  types: Object.fromEntries(
    auditedResources.map((resource: AuditedResource) => [
      resource.type,
      { columns: columnsOf(resource), derived: listDerived(resource) },
    ]),
  ),
};
