import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError, notFound } from '../../entities/api-error.ts';
import { foldCase } from '../../entities/fold-case.ts';
import { isUniqueId } from '../../entities/ids.ts';
import type { ImportKind, ImportMode } from '../../entities/import/import.ts';
import type { NamedId } from '../../entities/statements/by-name.ts';
import { findTasksByTitle } from '../../entities/task/list.ts';
import { findRefs, findRequirementsByRef } from '../../entities/requirement/statements.ts';
import { requirementResource } from '../../entities/requirement/requirement.ts';
import { taskStatements } from '../../entities/task/statements.ts';
import { taskResource } from '../../entities/task/task.ts';
import { findVendorsByName } from '../../entities/vendor/list.ts';
import { vendorStatements } from '../../entities/vendor/statements.ts';
import { applyVendorChanges, vendorResource } from '../../entities/vendor/vendor.ts';
import { undefinedIfNotFound } from '../external-id/actions.ts';
import type { UpsertResult } from '../external-id/actions.ts';
import { parseInput } from '../core/errors.ts';
import { externalIdInput } from '../schemas/external-id.ts';
import {
  NewRequirement,
  RequirementChanges,
  exportedFields as exportedRequirementFields,
} from '../requirement/schemas.ts';
import { changeRequirement, createRequirement, readRequirement } from '../requirement/write.ts';
import { putTask, readTaskByExternalId, upsertTask } from '../task/external-id.ts';
import { NewTask, TaskBody, exportedFields } from '../task/schemas.ts';
import { createTask } from '../task/write.ts';
import { putVendor, readVendorByExternalId, upsertVendor } from '../vendor/external-id.ts';
import { NewVendor, VendorBody, checkStatus, exportedFields as exportedVendorFields } from '../vendor/schemas.ts';
import { createVendor } from '../vendor/write.ts';
import { EXTERNAL_ID_HEADING, ID_HEADING, PARENT_REF, requirementColumns, requirementLabels } from './for-people.ts';
import { cellTypes } from './parsing/cells.ts';
import type { CellTypes } from './parsing/cells.ts';
import { fromFormulaText } from './parsing/csv.ts';
import { UNIQUE_ID } from './parsing/file-table.ts';
import type { RowFields, KnownColumns } from './parsing/file-table.ts';
import type { FieldsByName } from './values.ts';

/** An object that a row created or changed, or found unchanged. */
export interface Item {
  uniqueId: string;
  version: number;
}

/** Result of a row that was applied. */
export type RowOutcome = UpsertResult<Item>;

/** Parameters of an import that its rows need. */
interface RowContext {
  framework: number | null;
  source: string | null;
  mode: ImportMode;
}

export interface Kind {
  /** Columns of the export. */
  types: CellTypes;
  /** Columns that rows set, beside `externalId`. */
  imported: readonly string[];
  /** Fields that rows set. */
  fields: FieldsByName;
  /** Headings of the application for the columns, by field. */
  labels: Readonly<Record<string, string>>;
  /** Headings of the application for columns that rows cannot set. */
  shownHeadings: readonly string[];
  /** Column that every new item needs. */
  required: string;
  /** Creates an item. Writes nothing for an invalid row. @throws ApiError */
  create(session: Session, fields: RowFields, context: RowContext): Promise<Item>;
  /** Creates or updates the item with the external id of the row. A kind without it has neither external ids nor rows with an Id. @throws ApiError */
  upsert?(session: Session, fields: RowFields, context: RowContext & { source: string }): Promise<RowOutcome>;
  /** Changes the item with a uniqueId. Undefined if there is none. @throws ApiError */
  put(session: Session, uniqueId: string, fields: RowFields, context: RowContext): Promise<RowOutcome | undefined>;
  /** Finds the object of a row, with its fields, to compare it with what an export writes. */
  find(session: Session, key: RowKey, context: RowContext): Promise<object | undefined>;
  /** Finds objects by name. */
  findByName(session: Session, names: readonly string[], context: RowContext): Promise<NamedId[]>;
}

/** The identity of the object that a row is about. */
export interface RowKey {
  /** The ref of a requirement. */
  ref?: string | undefined;
  uniqueId?: string | undefined;
  externalId?: string | undefined;
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

// The owner and the position of a requirement stay as they are, unless a row has them.
const { ownerId: __, position: ___, ...REQUIREMENT_DEFAULTS } = requirementResource.defaults;
const requirementRow = RequirementChanges.omit({ requirement: true, ref: true });
const REQUIREMENT_ROWS = {
  create: NewRequirement.omit({ framework: true }),
  merge: requirementRow,
  replace: requirementRow.extend({ title: NewRequirement.shape.title }),
};

const UPSERT_OPTIONS = { create: true, recreate: false };

/** Headings of the application for columns that rows cannot set. */
const SHOWN_HEADINGS = ['Framework', 'Last review', 'Closed at', 'Closed by'];

/** Runs rows of each kind with the functions of its procedures. */
export const KINDS: Readonly<Record<ImportKind, Kind>> = {
  vendor: {
    types: cellTypes(exportedVendorFields),
    imported: Object.keys(VendorBody.shape),
    fields: vendorResource.schemas,
    labels: vendorResource.labels,
    shownHeadings: SHOWN_HEADINGS,
    required: 'name',
    create: (session, fields) => {
      const { name, ...changes } = parseInput(VENDOR_ROWS.create, fields);
      return createVendor(session, applyVendorChanges({ ...vendorResource.defaults, name }, changes));
    },
    upsert: (session, fields, { source, mode }) =>
      upsertVendor(session, { ...parseInput(VENDOR_ROWS[mode], fields), source }, { ...UPSERT_OPTIONS, mode }),
    put: (session, uniqueId, fields, { mode }) =>
      putVendor(session, { ...parseInput(VENDOR_ROWS.put[mode], fields), uniqueId }, mode),
    find: async (session, { uniqueId, externalId }, { source }) => {
      if (source !== null && externalId !== undefined)
        return readVendorByExternalId(session, { source, externalId }).catch(undefinedIfNotFound);
      const row = uniqueId === undefined ? undefined : await session.first(vendorStatements.get, { uniqueId });
      return row && vendorStatements.toRecord(row);
    },
    findByName: (session, names) => session.run(findVendorsByName, { names }),
  },
  task: {
    types: cellTypes(exportedFields),
    imported: Object.keys(TaskBody.shape),
    fields: taskResource.schemas,
    labels: taskResource.labels,
    shownHeadings: SHOWN_HEADINGS,
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
    find: async (session, { uniqueId, externalId }, { source, ...context }) => {
      const framework = frameworkOf(context);
      if (source !== null && externalId !== undefined)
        return readTaskByExternalId(session, { framework, source, externalId }).catch(undefinedIfNotFound);
      const row = uniqueId === undefined ? undefined : await session.first(taskStatements.get, { uniqueId });
      return row?.framework === framework ? taskStatements.toRecord(row) : undefined;
    },
    findByName: (session, names, context) => session.run(findTasksByTitle, { framework: frameworkOf(context), names }),
  },
  requirement: {
    types: cellTypes(exportedRequirementFields),
    imported: Object.keys(requirementColumns),
    fields: requirementColumns,
    labels: requirementLabels,
    shownHeadings: [...SHOWN_HEADINGS, 'Status', 'Assessment'],
    required: 'ref',
    create: (session, fields, context) =>
      createRequirement(session, { ...parseInput(REQUIREMENT_ROWS.create, fields), framework: frameworkOf(context) }),
    put: async (session, uniqueId, row, { mode }) => {
      const { ref: _, ...fields } = row;
      const given = parseInput(REQUIREMENT_ROWS[mode], fields);
      const changes = mode === 'merge' ? given : { ...REQUIREMENT_DEFAULTS, ...given };
      const changed = await changeRequirement(session, uniqueId, changes).catch(undefinedIfNotFound);
      return changed && { upsert: changed.isChanged ? 'updated' : 'unchanged', item: changed.item };
    },
    find: async (session, { ref = '' }, context) => {
      const framework = frameworkOf(context);
      const found = await session.first(findRequirementsByRef, { framework, names: [ref] });
      if (found === undefined || found.id === null) return undefined;
      const requirement = await readRequirement(session, found.id);
      const { parent } = requirement;
      const above = parent === null ? undefined : await session.first(findRefs, { uniqueIds: [parent] });
      return { ...requirement, [PARENT_REF]: above?.ref ?? null };
    },
    findByName: (session, names, context) =>
      session.run(findRequirementsByRef, { framework: frameworkOf(context), names }),
  },
};

function frameworkOf({ framework }: Pick<RowContext, 'framework'>): number {
  if (framework === null) throw notFound('framework');
  return framework;
}

/** Column with the id of an item in the system `source`. */
export const EXTERNAL_ID = 'externalId';
/** Columns that show a value that another column sets or the service computes. Any file may have them. Contract, section 18. */
const SHOWN_COLUMNS = ['assignee', 'reviewer', 'owner', 'lastReview', 'previous', 'next', 'closedAt', 'closedBy'];

/** Columns that a file of an import may have. */
export function knownColumns({ kind, source, mode }: RowContext & { kind: ImportKind }): KnownColumns {
  const { types, imported, labels, shownHeadings, required } = KINDS[kind];
  const hasIds = KINDS[kind].upsert !== undefined;
  const names = [...imported, ...(hasIds ? [EXTERNAL_ID] : []), ...(source === null ? [] : [UNIQUE_ID])];
  const labelled = imported.flatMap((name) => (labels[name] === undefined ? [] : [[labels[name], name] as const]));
  const headings = [
    ...labelled,
    ...shownHeadings.map((heading) => [heading, null] as const),
    ...(hasIds ? [[EXTERNAL_ID_HEADING, EXTERNAL_ID] as const] : []),
    [ID_HEADING, hasIds ? UNIQUE_ID : null] as const,
  ];
  return {
    headings: new Map(headings.map(([heading, name]) => [foldCase(heading), name])),
    imported: names,
    readOnly: [...types.keys(), ...SHOWN_COLUMNS].filter((name) => !names.includes(name)),
    // A row that only updates may leave the other fields out.
    required: source !== null && mode === 'merge' ? [] : [required],
    isOptionalWithId: mode === 'merge',
  };
}

export const isEmpty = (value: unknown) => value === undefined || value === null || value === '';

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** A name in a row, as names are compared; undefined without one. */
export function foldedName(value: unknown): string | undefined {
  const text = typeof value === 'string' ? fromFormulaText(value).trim() : '';
  return text === '' ? undefined : foldCase(text);
}

/** The ids of a row, as far as it has any. */
export const keyOf = ({ [EXTERNAL_ID]: externalId, [UNIQUE_ID]: uniqueId, ref }: RowFields): RowKey => {
  const id = textOf(uniqueId)?.trim().toLowerCase();
  return {
    ref: textOf(ref),
    externalId: textOf(externalId),
    uniqueId: id !== undefined && isUniqueId(id) ? id : undefined,
  };
};

/**
 * Applies a row. With a source, a row with an external id creates or updates the item with this id, and another one updates the item
 * with its uniqueId, if there is one. Without a source an id has to be one of an item. All other rows create an item.
 * @throws ApiError for an invalid row, which writes nothing
 */
export async function applyFields(
  session: Session,
  { [EXTERNAL_ID]: externalId, [UNIQUE_ID]: given, ...fields }: RowFields,
  { kind, source, ...context }: RowContext & { kind: ImportKind },
): Promise<RowOutcome> {
  if (KINDS[kind].upsert !== undefined && source !== null && !isEmpty(externalId)) {
    const row = { ...fields, [EXTERNAL_ID]: externalId };
    return KINDS[kind].upsert(session, row, { ...context, source });
  }
  const { uniqueId } = keyOf({ [UNIQUE_ID]: given });
  const result = uniqueId && (await KINDS[kind].put(session, uniqueId, fields, { ...context, source }));
  if (result) return result;
  if (source === null && !isEmpty(given))
    throw new ApiError('unprocessable', `${UNIQUE_ID}: expected the Id of a ${kind}, or no value`);
  return { upsert: 'created', item: await KINDS[kind].create(session, fields, { ...context, source }) };
}
