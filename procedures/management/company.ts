import { z } from 'zod';
import { LEAKED_KEYS } from '../../entities/company.ts';
import { notFound } from '../../entities/refusal.ts';
import { insertCompany, listCompanies, updateCompany } from '../../entities/statements/company.ts';
import type { CompanyRow } from '../../entities/statements/company.ts';
import { toIso } from '../../entities/statements/stamps.ts';
import { bodyId, expects, moment, name, nothing } from '../shapes.ts';
import { operatorProcedure, router } from '../trpc.ts';

const leakedKeys = z
  .enum(LEAKED_KEYS, expects(`one of ${LEAKED_KEYS.join(', ')}`))
  .meta({ description: 'What becomes of a key found in public: it is disabled, or only reported' });

const CompanyObject = z.object({ id: z.int(), name: z.string(), leakedKeys, createdAt: moment });

const toCompany = ({ id, name: called, leaked_keys, created_at }: CompanyRow) => ({
  id,
  name: called,
  leakedKeys: leaked_keys,
  createdAt: toIso(created_at),
});

/** Companies, which only the operator makes and sees. Contract, section 7. */
export const company = router({
  create: operatorProcedure
    .meta({ description: 'Create a company' })
    .input(z.strictObject({ name: name('Company name') }))
    .output(CompanyObject)
    .mutation(async ({ ctx, input }) => toCompany(await ctx.session.only(insertCompany, input))),

  update: operatorProcedure
    .meta({ description: 'Choose what becomes of a company’s keys that are found in public' })
    .input(z.strictObject({ id: bodyId('Id of the company'), leakedKeys }))
    .output(CompanyObject)
    .mutation(async ({ ctx, input: { id, ...wishes } }) => {
      const row = await ctx.session.asOperator(id).first(updateCompany, wishes);
      if (row === undefined) throw notFound('id');
      return toCompany(row);
    }),

  list: operatorProcedure
    .meta({ description: 'List all companies' })
    .input(nothing)
    .output(z.array(CompanyObject))
    .query(async ({ ctx }) => (await ctx.session.run(listCompanies, {})).map(toCompany)),
});
