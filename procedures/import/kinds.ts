import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { notFound } from '../../entities/api-error.ts';
import type { ImportKind, ImportMode } from '../../entities/import/import.ts';
import { applyVendorChanges, vendorResource } from '../../entities/vendor/vendor.ts';
import type { UpsertResult } from '../external-id/actions.ts';
import { parseInput } from '../core/errors.ts';
import { externalIdInput } from '../schemas/external-id.ts';
import { upsertTask } from '../task/external-id.ts';
import { NewTask, TaskBody, exportedFields } from '../task/schemas.ts';
import { createTask } from '../task/write.ts';
import { upsertVendor } from '../vendor/external-id.ts';
import { NewVendor, VendorBody, checkStatus, exportedFields as exportedVendorFields } from '../vendor/schemas.ts';
import { createVendor } from '../vendor/write.ts';
import { cellTypes } from './parsing/cells.ts';
import type { CellTypes } from './parsing/cells.ts';
import type { KnownColumns } from './parsing/header.ts';
import type { RowFields } from './parsing/records.ts';
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
}

const { externalId } = externalIdInput;
const newVendor = { ...VendorBody.shape, name: NewVendor.shape.name };
const VENDOR_ROWS = {
  create: z.strictObject(newVendor).superRefine(checkStatus),
  replace: z.strictObject({ ...newVendor, externalId }).superRefine(checkStatus),
  merge: z.strictObject({ ...VendorBody.shape, externalId }).superRefine(checkStatus),
};

const newTask = { ...TaskBody.shape, title: NewTask.shape.title };
const TASK_ROWS = {
  create: NewTask.omit({ framework: true }).extend({ status: TaskBody.shape.status }),
  replace: z.strictObject({ ...newTask, externalId }),
  merge: z.strictObject({ ...TaskBody.shape, externalId }),
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
  },
};

function frameworkOf({ framework }: Pick<RowContext, 'framework'>): number {
  if (framework === null) throw notFound('framework');
  return framework;
}

/** Column with the id of an item in the system `source`. */
export const EXTERNAL_ID = 'externalId';

/** Columns that show what another one sets, or what the service computes. Any file may have them. Contract, section 18. */
const SHOWN_COLUMNS = ['assignee', 'owner', 'lastReview', 'previous', 'next'];

/** Columns that a file of an import may have. */
export function knownColumns({ kind, source, mode }: RowContext & { kind: ImportKind }): KnownColumns {
  const { types, imported, required } = KINDS[kind];
  const names = [...imported, EXTERNAL_ID];
  return {
    imported: names,
    readOnly: [...types.keys(), ...SHOWN_COLUMNS].filter((name) => !names.includes(name)),
    // A row that only updates may leave the other fields out.
    required: source !== null && mode === 'merge' ? [] : [required],
  };
}

/**
 * Applies a row: with a source and an external id it creates or updates the item with this id, else it creates an item.
 * @throws ApiError for an invalid row, which writes nothing
 */
export async function applyFields(
  session: Session,
  { [EXTERNAL_ID]: id, ...fields }: RowFields,
  usesExternalId: boolean,
  { kind, source, ...context }: RowContext & { kind: ImportKind },
): Promise<RowOutcome> {
  if (source !== null && usesExternalId) {
    const row = { ...fields, ...(id !== null && { [EXTERNAL_ID]: id }) };
    return (await KINDS[kind].upsert(session, row, { ...context, source })).upsert;
  }
  await KINDS[kind].create(session, fields, { ...context, source });
  return 'created';
}
