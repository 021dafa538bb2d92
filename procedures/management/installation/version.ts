import { z } from 'zod';
import { VERSION } from '../../../database/version.ts';
import { noInput } from '../../../entities/fields/schemas.ts';
import { readDataVersion } from '../../../entities/version/statements.ts';
import { operatorProcedure } from '../../core/trpc.ts';

const Version = z.string();

/** Versions of the service and of the data. Contract, section 25. */
export const version = operatorProcedure
  .meta({ description: 'Version of the service, of the data, and the oldest that can run on them' })
  .input(noInput)
  .output(
    z.object({
      service: Version.meta({ description: 'Version of the code' }),
      data: Version.meta({ description: 'Newest version that has run on the data' }),
      oldest: Version.meta({ description: 'Oldest version that can run on the data' }),
    }),
  )
  .query(async ({ ctx }) => ({ service: VERSION, ...(await ctx.session.one(readDataVersion, {})) }));
