import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Owner } from '../../database/driver.ts';
import { eraseStep, NotErasableError } from '../../database/erase/erase-company.ts';
import { ApiError, notFound } from '../../entities/api-error.ts';
import { listErasedCompanies } from '../../entities/company/closing.ts';
import type { ErasedCompanyRow } from '../../entities/company/closing.ts';
import { bodyId, existingNameInput, textInput, timestampOutput } from '../../entities/fields/schemas.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import { removeErasedFiles } from '../evidence/removal.ts';
import { storageOf } from '../evidence/upload.ts';
import { operatorProcedure, router } from '../core/trpc.ts';
import { beginErase } from './closing.ts';

/** Milliseconds for which a step on the embedded database works. */
const STEP_MS = 500;
/** Milliseconds without a step after which another erase of the company may begin. */
const LEASE_MS = 3000;

/** Erases that work on the embedded database, by company. */
const leases = new WeakMap<Owner, Map<number, { erase: string; until: number }>>();

/** Takes the company for an erase, or keeps it. @returns false while another erase has it */
function takeLease(owner: Owner, company: number, erase: string): boolean {
  const byCompany = leases.get(owner) ?? new Map<number, { erase: string; until: number }>();
  leases.set(owner, byCompany);
  const current = byCompany.get(company);
  const now = performance.now();
  if (current !== undefined && current.erase !== erase && now < current.until) return false;
  byCompany.set(company, { erase, until: now + LEASE_MS });
  return true;
}

const idInput = bodyId('Id of the company');

export const ErasedOutput = z.object({
  id: z.int(),
  erasedAt: timestampOutput,
  sequence: z.int().meta({ description: 'Position of the last event of the audit log' }),
  hash: z.string().meta({ description: 'Hash of that event in the chain' }),
});

export const toErasedOutput = (row: ErasedCompanyRow) => ({ ...row, erasedAt: toIso(row.erasedAt) });

const Rows = z.record(z.string(), z.int());

export const BegunOutput = z.object({
  erased: ErasedOutput.nullable().meta({ description: 'The company, if it is erased already' }),
  erasingAt: z.string().nullable(),
  erase: z.string().nullable().meta({ description: 'Name of this erase, if the service erases the rows' }),
  isBusy: z.boolean().meta({ description: 'True while another erase of the company is running' }),
});
export const FilesOutput = z.object({ removed: z.int(), state: z.enum(['more', 'none left', 'in use']) });
export const StepOutput = z.object({ rows: Rows, next: z.int().nullable() });

/** Steps of `npx --no compliance company erase`, which calls them until the company is erased. Contract, section 26. */
export const eraseSteps = router({
  eraseBegin: operatorProcedure
    .meta({ description: 'Begin an erase', isStep: true })
    .input(z.strictObject({ id: idInput, name: existingNameInput('Name of the company'), hasOwner: z.boolean() }))
    .output(BegunOutput)
    .mutation(async ({ ctx: { session, services, requestId }, input: { id, name, hasOwner } }) => {
      const { owner } = session;
      if (owner === undefined && !hasOwner)
        throw new ApiError(
          'unprocessable',
          'MIGRATION_DATABASE_URL: required to erase; set it to the URL of the role that owns the tables',
        );
      const begun = await beginErase(session, id, name);
      const result = { erased: null, erasingAt: null, erase: null, isBusy: false };
      if ('erased' in begun) return { ...result, erased: toErasedOutput(begun.erased) };
      const erase = owner === undefined ? null : randomUUID();
      if (owner !== undefined && erase !== null && !takeLease(owner, id, erase)) return { ...result, isBusy: true };
      services?.report?.({ company: id, requestId }, 'company: erase began');
      return { ...result, erasingAt: begun.erasingAt, erase };
    }),

  eraseFiles: operatorProcedure
    .meta({ description: 'Remove files of a company that is being erased', isStep: true })
    .input(z.strictObject({ id: idInput }))
    .output(FilesOutput)
    .mutation(({ ctx, input: { id } }) =>
      removeErasedFiles(ctx.session.asOperator(id).withoutDeadline(), storageOf(ctx.services)),
    ),

  eraseStep: operatorProcedure
    .meta({ description: 'Erase rows of a company in the embedded database', isStep: true })
    .input(
      z.strictObject({
        id: idInput,
        erase: textInput('the name of an erase', 36),
        from: z.int().min(0),
      }),
    )
    .output(StepOutput)
    .mutation(async ({ ctx: { session, services }, input: { id, erase, from } }) => {
      const { owner } = session;
      if (owner === undefined) throw new ApiError('conflict', 'company: this database is not embedded');
      if (!takeLease(owner, id, erase)) throw new ApiError('conflict', `company: another erase of ${id} is running`);
      const storage = storageOf(services);
      const removeFiles = (company: number) =>
        removeErasedFiles(session.asOperator(company).withoutDeadline(), storage);
      try {
        return await eraseStep({ owner, removeFiles }, { company: id, from, durationMs: STEP_MS });
      } catch (error) {
        throw error instanceof NotErasableError ? new ApiError('conflict', error.message) : error;
      } finally {
        takeLease(owner, id, erase);
      }
    }),

  eraseEnd: operatorProcedure
    .meta({ description: 'Show a company that was erased', isStep: true })
    .input(z.strictObject({ id: idInput }))
    .output(ErasedOutput)
    .mutation(async ({ ctx: { session, services, requestId }, input: { id } }) => {
      const [erased] = await session.run(listErasedCompanies, { id });
      if (erased === undefined) throw notFound('company');
      session.invalidateApiKeys();
      services?.report?.({ company: id, requestId, sequence: erased.sequence, hash: erased.hash }, 'company: erased');
      return toErasedOutput(erased);
    }),
});
