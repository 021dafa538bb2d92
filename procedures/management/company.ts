import { z } from 'zod';
import { insertCompany, listCompanies } from '../../entities/statements/company.ts';
import type { CompanyRow } from '../../entities/statements/company.ts';
import { toIso } from '../../entities/statements/stamps.ts';
import { moment, name, nothing } from '../shapes.ts';
import { operatorProcedure, router } from '../trpc.ts';

const CompanyObject = z.object({ id: z.int(), name: z.string(), createdAt: moment });

const toCompany = ({ id, name: called, created_at }: CompanyRow) => ({
  id,
  name: called,
  createdAt: toIso(created_at),
});

/** Companies, which only the operator makes and sees. Contract, section 7. */
export const company = router({
  create: operatorProcedure
    .meta({ description: 'Create a company' })
    .input(z.strictObject({ name: name('Company name') }))
    .output(CompanyObject)
    .mutation(async ({ ctx, input }) => toCompany(await ctx.session.only(insertCompany, input))),

  list: operatorProcedure
    .meta({ description: 'List all companies' })
    .input(nothing)
    .output(z.array(CompanyObject))
    .query(async ({ ctx }) => (await ctx.session.run(listCompanies, {})).map(toCompany)),
});
