import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { notFound } from '../../entities/api-error.ts';
import { isUniqueId } from '../../entities/ids.ts';
import type { ImportKind, ImportMode } from '../../entities/import/import.ts';
import { applyVendorChanges, vendorResource } from '../../entities/vendor/vendor.ts';
import type { UpsertResult } from '../external-id/actions.ts';
import { parseInput } from '../core/errors.ts';
import { externalIdInput } from '../schemas/external-id.ts';
import { putTask, upsertTask } from '../task/external-id.ts';
import { NewTask, TaskBody, exportedFields } from '../task/schemas.ts';
import { createTask } from '../task/write.ts';
import { putVendor, upsertVendor } from '../vendor/external-id.ts';
import { NewVendor, VendorBody, checkStatus, exportedFields as exportedVendorFields } from '../vendor/schemas.ts';
import { createVendor } from '../vendor/write.ts';
import { cellTypes } from './parsing/cells.ts';
import type { CellTypes } from './parsing/cells.ts';
import type { RowFields, KnownColumns } from './parsing/file-table.ts';
import type { WordColumns } from './words.ts';

/** Result of a row that was applied. */
export type RowOutcome = UpsertResult<unknown>['upsert'];

/** Parameters of an import that its rows need. */
interface RowContext {
  framework: number | null;
  source: string | null;
  mode: ImportMode;
}

interface Kind {
  /** Columns of the export. */
  types: CellTypes;
  /** Columns that rows set, beside `externalId`. */
  imported: readonly string[];
  /** Columns that take words in place of their values. */
  words: WordColumns;
  /** Column that every new item needs. */
  required: string;
  /** Creates an item. Writes nothing for an invalid row. @throws ApiError */
  create(session: Session, fields: RowFields, context: RowContext): Promise<unknown>;
  /** Creates or updates the item with the external id of the row. @throws ApiError */
  upsert(session: Session, fields: RowFields, context: RowContext & { source: string }): Promise<UpsertResult<unknown>>;
  /** Changes the item with a uniqueId. Undefined if there is none. @throws ApiError */
  put(
    session: Session,
    uniqueId: string,
    fields: RowFields,
    context: RowContext,
  ): Promise<UpsertResult<unknown> | undefined>;
}

const newVendor = { ...VendorBody.shape, name: NewVendor.shape.name };
const newVendorRow = z.strictObject(newVendor).superRefine(checkStatus);
const VENDOR_ROWS = {
  create: newVendorRow,
  put: { replace: newVendorRow, merge: VendorBody.superRefine(checkStatus) },
  replace: z.strictObject({ ...newVendor, externalId: externalIdInput.externalId }).superRefine(checkStatus),
  merge: z.strictObject({ ...VendorBody.shape, externalId: externalIdInput.externalId }).superRefine(checkStatus),
};

const newTask = { ...TaskBody.shape, title: NewTask.shape.title };
const TASK_ROWS = {
  create: NewTask.omit({ framework: true }).extend({ status: TaskBody.shape.status }),
  put: { replace: z.strictObject(newTask), merge: TaskBody },
  replace: z.strictObject({ ...newTask, externalId: externalIdInput.externalId }),
  merge: z.strictObject({ ...TaskBody.shape, externalId: externalIdInput.externalId }),
};

const UPSERT_OPTIONS = { create: true, recreate: false };

/** Runs rows of each kind with the functions of its procedures. */
export const KINDS: Readonly<Record<ImportKind, Kind>> = {
  vendor: {
    types: cellTypes(exportedVendorFields),
    imported: Object.keys(VendorBody.shape),
    words: { ownerId: 'member', criticality: 'priority' },
    required: 'name',
    create: (session, fields) => {
      const { name, ...changes } = parseInput(VENDOR_ROWS.create, fields);
      return createVendor(session, applyVendorChanges({ ...vendorResource.defaults, name }, changes));
    },
    upsert: (session, fields, { source, mode }) =>
      upsertVendor(session, { ...parseInput(VENDOR_ROWS[mode], fields), source }, { ...UPSERT_OPTIONS, mode }),
    put: (session, uniqueId, fields, { mode }) =>
      putVendor(session, { ...parseInput(VENDOR_ROWS.put[mode], fields), uniqueId }, mode),
  },
  task: {
    types: cellTypes(exportedFields),
    imported: Object.keys(TaskBody.shape),
    words: { departmentId: 'department', assigneeId: 'member', priority: 'priority' },
    required: 'title',
    create: (session, fields, context) =>
      createTask(session, { ...parseInput(TASK_ROWS.create, fields), framework: frameworkOf(context) }),
    upsert: (session, fields, { source, mode, ...context }) => {
      const task = { ...parseInput(TASK_ROWS[mode], fields), framework: frameworkOf(context), source };
      return upsertTask(session, task, { ...UPSERT_OPTIONS, mode });
    },
    put: (session, uniqueId, fields, { mode, ...context }) => {
      const task = { ...parseInput(TASK_ROWS.put[mode], fields), framework: frameworkOf(context), uniqueId };
      return putTask(session, task, mode);
    },
  },
};

function frameworkOf({ framework }: Pick<RowContext, 'framework'>): number {
  if (framework === null) throw notFound('framework');
  return framework;
}

/** Column with the id of an item in the system `source`. */
export const EXTERNAL_ID = 'externalId';
/** Column with the id of an item here. With a source it finds the item of a row without an external id. */
const UNIQUE_ID = 'uniqueId';

/** Columns that show what another one sets, or what the service computes. Any file may have them. Contract, section 18. */
const SHOWN_COLUMNS = ['assignee', 'owner', 'lastReview', 'previous', 'next'];

/** Columns that a file of an import may have. */
export function knownColumns({ kind, source, mode }: RowContext & { kind: ImportKind }): KnownColumns {
  const { types, imported, required } = KINDS[kind];
  const names = [...imported, EXTERNAL_ID, ...(source === null ? [] : [UNIQUE_ID])];
  return {
    imported: names,
    readOnly: [...types.keys(), ...SHOWN_COLUMNS].filter((name) => !names.includes(name)),
    // A row that only updates may leave the other fields out.
    required: source !== null && mode === 'merge' ? [] : [required],
  };
}

/** What tells a row from others of its file: rows with the same one keep their order. Undefined for rows that create an item. */
export function identityOf({ [EXTERNAL_ID]: externalId, [UNIQUE_ID]: uniqueId }: RowFields): unknown {
  return [externalId, uniqueId].find((id) => !isEmpty(id));
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === '';

/**
 * Applies a row. With a source, a row with an external id creates or updates the item with this id, and another one updates the item
 * with its uniqueId. All other rows create an item.
 * @throws ApiError for an invalid row, which writes nothing
 */
export async function applyFields(
  session: Session,
  { [EXTERNAL_ID]: externalId, [UNIQUE_ID]: uniqueId, ...fields }: RowFields,
  { kind, source, ...context }: RowContext & { kind: ImportKind },
): Promise<RowOutcome> {
  if (source !== null && !isEmpty(externalId)) {
    const row = { ...fields, [EXTERNAL_ID]: externalId };
    return (await KINDS[kind].upsert(session, row, { ...context, source })).upsert;
  }
  if (source !== null && typeof uniqueId === 'string' && isUniqueId(uniqueId)) {
    const result = await KINDS[kind].put(session, uniqueId, fields, { ...context, source });
    if (result !== undefined) return result.upsert;
  }
  await KINDS[kind].create(session, fields, { ...context, source });
  return 'created';
}
