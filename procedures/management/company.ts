import { z } from 'zod';
import { LEAKED_KEY_POLICIES } from '../../entities/company.ts';
import { notFound } from '../../entities/api-error.ts';
import { insertCompany, listCompanies, updateCompany } from '../../entities/statements/company.ts';
import type { CompanyRow } from '../../entities/statements/company.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import { bodyId, expected, timestampOutput, nameInput, noInput } from '../schemas/fields.ts';
import { operatorProcedure, router } from '../core/trpc.ts';

const leakedKeys = z
  .enum(LEAKED_KEY_POLICIES, expected(`one of ${LEAKED_KEY_POLICIES.join(', ')}`))
  .meta({ description: 'What becomes of a key found in public: it is disabled, or only reported' });

const CompanyOutput = z.object({ id: z.int(), name: z.string(), leakedKeys, createdAt: timestampOutput });

const toCompanyOutput = ({ id, name: companyName, leaked_keys, created_at }: CompanyRow) => ({
  id,
  name: companyName,
  leakedKeys: leaked_keys,
  createdAt: toIso(created_at),
});

/** Companies, which only the operator makes and sees. Contract, section 7. */
export const company = router({
  create: operatorProcedure
    .meta({ description: 'Create a company' })
    .input(z.strictObject({ name: nameInput('Company name') }))
    .output(CompanyOutput)
    .mutation(async ({ ctx, input }) => toCompanyOutput(await ctx.session.one(insertCompany, input))),

  update: operatorProcedure
    .meta({ description: 'Choose what becomes of a company’s keys that are found in public' })
    .input(z.strictObject({ id: bodyId('Id of the company'), leakedKeys }))
    .output(CompanyOutput)
    .mutation(async ({ ctx, input: { id, ...changes } }) => {
      const row = await ctx.session.asOperator(id).first(updateCompany, changes);
      if (row === undefined) throw notFound('id');
      return toCompanyOutput(row);
    }),

  list: operatorProcedure
    .meta({ description: 'List all companies' })
    .input(noInput)
    .output(z.array(CompanyOutput))
    .query(async ({ ctx }) => (await ctx.session.run(listCompanies, {})).map(toCompanyOutput)),
});
