import { z } from 'zod';
import { found, ApiError } from '../../entities/api-error.ts';
import { LEAKED_KEY_POLICIES, MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import { listErasedCompanies } from '../../entities/company/closing.ts';
import { toIso, toIsoOrNull } from '../../entities/statements/change-metadata.ts';
import {
  insertCompany,
  listCompanies,
  updateCompany,
  ownCompany,
  updateSettings,
} from '../../entities/company/statements.ts';
import type { CompanyRow, NewCompany } from '../../entities/company/statements.ts';
import type { Statement } from '../../entities/statements/define-statement.ts';
import {
  bodyId,
  booleanInput,
  enumInput,
  existingNameInput,
  nameInput,
  noInput,
  timestampOutput,
  textOutput,
} from '../../entities/fields/schemas.ts';
import {
  mergeRouters,
  operatorCompanyProcedure,
  operatorProcedure,
  router,
  managementProcedure,
} from '../core/trpc.ts';
import { timeZoneInput, timeZoneOutput } from '../schemas/time-zone.ts';
import type { AnySession } from '../core/context.ts';
import { setCompanyClosed } from './closing.ts';
import { freeze, unfreeze } from './freezing.ts';
import { ErasedOutput, eraseSteps, toErasedOutput } from './erase.ts';
import { move } from './move/index.ts';

const leakedKeys = enumInput(LEAKED_KEY_POLICIES).meta({
  description: 'Policy for leaked API keys: disable them, or only report them',
});

const CompanyOutput = z.object({
  id: z.int(),
  name: z.string(),
  leakedKeys,
  createdAt: timestampOutput,
  closedAt: timestampOutput.nullable(),
  movedTo: z.string().nullable(),
  frozenAt: timestampOutput.nullable(),
});

const toCompanyOutput = (row: CompanyRow) => ({
  ...row,
  createdAt: toIso(row.createdAt),
  closedAt: toIsoOrNull(row.closedAt),
  frozenAt: toIsoOrNull(row.frozenAt),
});

/** Number of ids that are tried. A company that arrives from another cell may take the one that was drawn. */
const MAX_ATTEMPTS = 3;

/**
 * Creates a company with an id of this cell.
 * @throws ApiError 409 if none is left
 */
export async function createCompany(
  session: AnySession,
  insert: Statement<NewCompany, CompanyRow>,
  name: string,
): Promise<CompanyRow> {
  const { companyIdStart: idStart } = session.installation;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const row = await session.first(insert, { name, idStart });
    if (row !== undefined) return row;
  }
  throw new ApiError('conflict', `COMPANY_ID_START: no id is left from ${idStart} on`);
}

const companies = router({
  create: operatorProcedure
    .meta({ description: 'Create a company' })
    .input(z.strictObject({ name: nameInput('Company name') }))
    .output(CompanyOutput)
    .mutation(async ({ ctx, input }) => toCompanyOutput(await createCompany(ctx.session, insertCompany, input.name))),

  update: operatorProcedure
    .meta({ description: 'Set the policy of a company for leaked API keys' })
    .input(z.strictObject({ id: bodyId('Id of the company'), leakedKeys }))
    .output(CompanyOutput)
    .mutation(async ({ ctx, input: { id, ...changes } }) => {
      const row = await ctx.session.asOperator(id).first(updateCompany, changes);
      return toCompanyOutput(found(row, 'id'));
    }),

  list: operatorProcedure
    .meta({ description: 'List all companies, also closed and erased ones' })
    .input(noInput)
    .output(z.array(z.union([CompanyOutput, ErasedOutput])))
    .query(async ({ ctx: { session } }) => {
      const living = await session.run(listCompanies, {});
      const erased = await session.run(listErasedCompanies, { id: null });
      return [...living.map(toCompanyOutput), ...erased.map(toErasedOutput)].toSorted(
        (one, other) => one.id - other.id,
      );
    }),

  close: operatorCompanyProcedure
    .meta({
      description: 'Close a company: its keys and members are rejected, and its jobs, emails and webhooks stop',
      worksWhileFrozen: true, // 409 after a move; a trigger rejects it before
    })
    .input(z.strictObject({ name: existingNameInput('Name of the company, to confirm') }))
    .output(CompanyOutput)
    .mutation(async ({ ctx: { session, services, requestId }, input: { name } }) => {
      const row = await setCompanyClosed(session, { closed: true, name });
      services?.report?.({ company: row.id, requestId }, 'company: closed');
      return toCompanyOutput(row);
    }),

  reopen: operatorCompanyProcedure
    .meta({ description: 'Reopen a closed company', worksWhileFrozen: true })
    .input(z.strictObject({ name: existingNameInput('Name of the company, to confirm').optional() }).optional())
    .output(CompanyOutput)
    .mutation(async ({ ctx: { session, services, requestId }, input }) => {
      const row = await setCompanyClosed(session, { closed: false, name: input?.name });
      services?.report?.({ company: row.id, requestId }, 'company: opened again');
      return toCompanyOutput(row);
    }),

  freeze: operatorCompanyProcedure
    .meta({ description: 'Freeze a company: it is read-only, and its jobs wait', worksWhileFrozen: true })
    .input(noInput)
    .output(CompanyOutput)
    .mutation(async ({ ctx: { session, services, requestId } }) => {
      const row = await freeze(session);
      services?.report?.({ company: row.id, requestId }, 'company: frozen');
      return toCompanyOutput(row);
    }),

  unfreeze: operatorCompanyProcedure
    .meta({ description: 'Unfreeze a company, so that its jobs continue', worksWhileFrozen: true })
    .input(noInput)
    .output(CompanyOutput)
    .mutation(async ({ ctx: { session, services, requestId } }) => {
      const row = await unfreeze(session);
      services?.report?.({ company: row.id, requestId }, 'company: unfrozen');
      return toCompanyOutput(row);
    }),
});

/** Companies, which only the operator may create, read, close, freeze, move and erase. See docs/contract.md, sections 7, 23 and 26. */
export const company = mergeRouters(companies, eraseSteps, move);

const SettingsChanges = z.strictObject({
  name: nameInput('Company name').optional(),
  timeZone: timeZoneInput.optional(),
  lockClosed: booleanInput
    .meta({ description: 'True to lock closed tasks with their comments and evidence; only an admin reopens one' })
    .optional(),
});

const SettingsOutput = z.object({
  name: textOutput(MAX_NAME_LENGTH, 'Acme'),
  timeZone: timeZoneOutput,
  lockClosed: z.boolean(),
});

/** First version that locks closed tasks. */
const LOCK_VERSION = '0.19.0';

/** Settings of the company that its admins change. Contract, section 18. */
export const settings = router({
  get: managementProcedure('management:read')
    .meta({ description: 'Show the name and the time zone of the company, and if closed tasks are locked' })
    .input(noInput)
    .output(SettingsOutput)
    .query(({ ctx }) => ctx.session.one(ownCompany, {})),

  update: managementProcedure('management:write')
    .meta({ description: 'Change the name or the time zone of the company, or lock closed tasks' })
    .input(SettingsChanges)
    .output(SettingsOutput)
    .mutation(async ({ ctx: { session }, input: { name = null, timeZone = null, lockClosed = null } }) => {
      if (lockClosed === true) await session.requireVersion(LOCK_VERSION);
      const updated = await session.first(updateSettings, { name, timeZone, lockClosed });
      return updated ?? session.one(ownCompany, {});
    }),
});
