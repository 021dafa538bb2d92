import type { TaskRecord } from '../statements/task.ts';
import type { VendorRecord } from '../statements/vendor.ts';

type ColumnNames<Field extends string> = Readonly<Record<Field, string>>;

const referenceDataColumns = { id: 'id', name: 'name', archivedAt: 'archived_at' };
const changeMetadataColumns = {
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  createdBy: 'created_by_id',
  updatedBy: 'updated_by_id',
  version: 'version',
};
const taskColumns: ColumnNames<keyof TaskRecord> = {
  uniqueId: 'unique_id',
  framework: 'framework_id',
  title: 'title',
  description: 'description',
  priority: 'priority',
  labels: 'labels',
  startDate: 'start_date',
  dueDate: 'due_date',
  departmentId: 'department_id',
  gaps: 'gaps',
  status: 'status',
  ...changeMetadataColumns,
};
const vendorColumns: ColumnNames<Exclude<keyof VendorRecord, 'active'>> = {
  uniqueId: 'unique_id',
  name: 'name',
  status: 'status',
  description: 'description',
  ...changeMetadataColumns,
};

/**
 * What is audited, and the column behind each field of it. Events are stored with columns, whatever the table; they are
 * shown with fields. A column that is not listed is not shown. Contract, section 6.
 */
export const AUDITED_COLUMNS = {
  company: { id: 'id', name: 'name', leakedKeys: 'leaked_keys', createdAt: 'created_at' },
  framework: referenceDataColumns,
  department: referenceDataColumns,
  gap: { id: 'id', framework: 'framework_id', title: 'title', archivedAt: 'archived_at' },
  apiKey: {
    uniqueId: 'unique_id',
    name: 'name',
    start: 'start',
    last4: 'last4',
    user: 'user_id',
    scopes: 'scopes',
    frameworks: 'frameworks',
    cidrs: 'cidrs',
    enabled: 'enabled',
    rotatedUntil: 'previous_hash_expires_at',
    expiresAt: 'expires_at',
    revokedAt: 'revoked_at',
    leakedAt: 'leaked_at',
    leakedUrl: 'leaked_url',
    createdAt: 'created_at',
  },
  task: taskColumns,
  vendor: vendorColumns,
} as const satisfies Record<string, ColumnNames<string>>;

export type ResourceType = keyof typeof AUDITED_COLUMNS;
export const RESOURCE_TYPES = Object.keys(AUDITED_COLUMNS).filter(
  (type): type is ResourceType => type in AUDITED_COLUMNS,
);

const EXTRA_VERBS: Partial<Record<ResourceType, readonly string[]>> = { apiKey: ['rotate', 'revoke'] };

/** The actions of a type: `task.create`, … */
export const actionsOf = (type: ResourceType) =>
  ['create', 'update', 'delete', ...(EXTRA_VERBS[type] ?? [])].map((verb) => `${type}.${verb}`);
