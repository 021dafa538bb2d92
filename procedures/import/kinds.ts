import { TRPCError } from '@trpc/server';
import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { vendorStatements } from '../../entities/statements/vendor/vendor.ts';
import type { ImportKind, ImportMode } from '../../entities/sync/import.ts';
import { toApiError } from '../core/errors.ts';
import { createResource } from '../core/resource.ts';
import { VendorOutput, NewVendor, status as vendorStatus } from '../vendor/schemas.ts';
import { TaskOutput, NewTask } from '../task/schemas.ts';
import { cellTypes } from './cells.ts';
import type { CellTypes } from './cells.ts';
import type { KnownColumns } from './header.ts';
import type { RowFields } from './records.ts';

/** Result of a row that was applied. */
export type RowOutcome = 'created' | 'updated' | 'unchanged';

/** Parameters of an import that its rows need. */
export interface RowContext {
  framework: number | null;
  source: string | null;
  mode: ImportMode;
}

interface Kind {
  /** Columns of the export. */
  types: CellTypes;
  /** Columns that rows set, beside `externalId`. */
  imported: readonly string[];
  /** Column of every row that may create an item. */
  required: string;
  /**
   * Creates or updates an item. Writes nothing for an invalid row.
   * @throws ApiError
   */
  apply(session: Session, fields: RowFields, externalId: unknown, context: RowContext): Promise<RowOutcome>;
}

/** @throws ApiError 400 that names the fields */
export function parseRow<Schema extends z.ZodType>(schema: Schema, fields: unknown): z.output<Schema> {
  const { success, data, error } = schema.safeParse(fields);
  if (success) return data;
  throw toApiError(new TRPCError({ code: 'BAD_REQUEST', cause: error }));
}

const ImportedVendor = NewVendor.extend({ status: vendorStatus.optional() });

/** Rules of each kind of resource. */
export const KINDS: Readonly<Record<ImportKind, Kind>> = {
  vendor: {
    types: cellTypes(VendorOutput.shape),
    imported: ['name', 'description', 'active', 'status'],
    required: 'name',
    async apply(session, fields) {
      const { active, status, ...vendor } = parseRow(ImportedVendor, fields);
      await createResource(session, vendorStatements, {
        ...vendor,
        uniqueId: newUniqueId(),
        status: status ?? (active ? 'active' : 'inactive'),
      });
      return 'created';
    },
  },
  task: {
    types: cellTypes(TaskOutput.shape),
    imported: Object.keys(NewTask.shape).filter((name) => name !== 'framework').concat('status'),
    required: 'title',
    apply: async () => 'unchanged',
  },
};

/** Column with the id of an item in an external system. */
export const EXTERNAL_ID = 'externalId';

/** Columns that a file of an import may have. */
export function knownColumns({ kind, source, mode }: RowContext & { kind: ImportKind }): KnownColumns {
  const { types, imported, required } = KINDS[kind];
  const names = [...imported, EXTERNAL_ID];
  return {
    imported: names,
    readOnly: [...types.keys()].filter((name) => !names.includes(name)),
    // A row that only updates may leave the other fields out.
    required: source !== null && mode === 'merge' ? [EXTERNAL_ID] : [required],
  };
}
