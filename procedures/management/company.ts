import { z } from 'zod';
import { found } from '../../entities/api-error.ts';
import { LEAKED_KEY_POLICIES } from '../../entities/company/company.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import { insertCompany, listCompanies, updateCompany } from '../../entities/company/statements.ts';
import type { CompanyRow } from '../../entities/company/statements.ts';
import { operatorProcedure, router } from '../core/trpc.ts';
import { bodyId, enumInput, nameInput, noInput, timestampOutput } from '../schemas/fields.ts';

const leakedKeys = enumInput(LEAKED_KEY_POLICIES).meta({
  description: 'Policy for leaked API keys: disable them, or only report them',
});

const CompanyOutput = z.object({ id: z.int(), name: z.string(), leakedKeys, createdAt: timestampOutput });

const toCompanyOutput = (row: CompanyRow) => ({ ...row, createdAt: toIso(row.createdAt) });

/** Companies, which only the operator may create and read. See docs/contract.md, section 7. */
export const company = router({
  create: operatorProcedure
    .meta({ description: 'Create a company' })
    .input(z.strictObject({ name: nameInput('Company name') }))
    .output(CompanyOutput)
    .mutation(async ({ ctx, input }) => toCompanyOutput(await ctx.session.one(insertCompany, input))),

  update: operatorProcedure
    .meta({ description: 'Set the policy of a company for leaked API keys' })
    .input(z.strictObject({ id: bodyId('Id of the company'), leakedKeys }))
    .output(CompanyOutput)
    .mutation(async ({ ctx, input: { id, ...changes } }) => {
      const row = await ctx.session.asOperator(id).first(updateCompany, changes);
      return toCompanyOutput(found(row, 'id'));
    }),

  list: operatorProcedure
    .meta({ description: 'List all companies' })
    .input(noInput)
    .output(z.array(CompanyOutput))
    .query(async ({ ctx }) => (await ctx.session.run(listCompanies, {})).map(toCompanyOutput)),
});
