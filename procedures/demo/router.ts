import { z } from 'zod';
import { nameInput } from '../../entities/fields/schemas.ts';
import { ROLES } from '../../entities/member/role.ts';
import { servicesOf } from '../core/services.ts';
import { operatorProcedure, router } from '../core/trpc.ts';
import { createDemoCompany } from './create.ts';

/** A demo company, with the secrets that are shown only once. */
export const DemoOutput = z.object({
  id: z.int(),
  name: z.string(),
  appUrl: z.string().meta({ description: 'Address of the application' }),
  members: z.array(z.object({ name: z.string(), email: z.string(), role: z.enum(ROLES), password: z.string() })),
  keys: z.array(z.object({ name: z.string(), key: z.string() })),
});

export type DemoOutput = z.output<typeof DemoOutput>;

/** Step of `npx --no compliance demo create`. */
export const demo = router({
  create: operatorProcedure
    .meta({ description: 'Create a company with a year of invented data', isStep: true })
    .input(z.strictObject({ name: nameInput('Name of the company') }))
    .output(DemoOutput)
    .mutation(async ({ ctx, input: { name } }) => {
      const services = servicesOf(ctx);
      const { id, ...secrets } = await createDemoCompany(ctx.session, services, name);
      services.report?.({ company: id, requestId: ctx.requestId }, 'company: demo created');
      return { id, name, appUrl: services.appUrl(), ...secrets };
    }),
});
