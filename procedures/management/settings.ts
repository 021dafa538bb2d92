import { z } from 'zod';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import { ownCompany, updateSettings } from '../../entities/company/statements.ts';
import { nameInput, noInput, textOutput } from '../../entities/fields/schemas.ts';
import { managementProcedure, router } from '../core/trpc.ts';
import { timeZoneInput, timeZoneOutput } from '../schemas/time-zone.ts';

const SettingsChanges = z.strictObject({
  name: nameInput('Company name').optional(),
  timeZone: timeZoneInput.optional(),
});

const SettingsOutput = z.object({ name: textOutput(MAX_NAME_LENGTH, 'Acme'), timeZone: timeZoneOutput });

/** Settings of the company that its admins change. Contract, section 18. */
export const settings = router({
  get: managementProcedure('management:read')
    .meta({ description: 'Show the name and the time zone of the company' })
    .input(noInput)
    .output(SettingsOutput)
    .query(({ ctx }) => ctx.session.one(ownCompany, {})),

  update: managementProcedure('management:write')
    .meta({ description: 'Change the name or the time zone of the company' })
    .input(SettingsChanges)
    .output(SettingsOutput)
    .mutation(async ({ ctx: { session }, input: { name = null, timeZone = null } }) => {
      const updated = await session.first(updateSettings, { name, timeZone });
      return updated ?? session.one(ownCompany, {});
    }),
});
