import { z } from 'zod';
import { found } from '../../entities/api-error.ts';
import { isUniqueId } from '../../entities/ids.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import { deletePasskey } from '../../entities/person/passkey-statements.ts';
import { servicesOf } from '../core/services.ts';
import { credentialProcedure, router } from '../core/trpc.ts';
import { noInput } from '../schemas/fields.ts';
import { CreationOptionsOutput, RegistrationResponseInput } from '../passkey/schemas.ts';
import { readPerson } from './person.ts';
import { ItemId, PasskeyOutput } from './schemas.ts';

/** Imports the protocol at the first call, which keeps the start fast. */
const loadRegistration = () => import('../passkey/registration.ts');

/** The passkeys of an account. Contract, section 16. */
export const passkey = router({
  begin: credentialProcedure
    .meta({ description: 'Options of `navigator.credentials.create` for a new passkey', worksWhileFrozen: true })
    .input(noInput)
    .output(CreationOptionsOutput)
    .mutation(async ({ ctx }) => {
      const { beginPasskeyRegistration } = await loadRegistration();
      const options = await beginPasskeyRegistration(ctx.session, servicesOf(ctx), await readPerson(ctx));
      return CreationOptionsOutput.parse(options);
    }),

  confirm: credentialProcedure
    .meta({ description: 'Register the passkey that the browser created', worksWhileFrozen: true })
    .input(z.strictObject({ response: RegistrationResponseInput }))
    .output(PasskeyOutput)
    .mutation(async ({ ctx, input: { response } }) => {
      const { registerPasskey } = await loadRegistration();
      const { person } = ctx.webSession;
      const row = await registerPasskey(ctx.session, servicesOf(ctx), person, response);
      return { uniqueId: row.unique_id, createdAt: toIso(row.created_at), lastUsedAt: null };
    }),

  remove: credentialProcedure
    .meta({ description: 'Remove a passkey', worksWhileFrozen: true })
    .input(ItemId)
    .output(z.void())
    .mutation(async ({ ctx: { session, webSession }, input: { uniqueId } }) => {
      const target = { uniqueId, person: webSession.person };
      found(isUniqueId(uniqueId) ? await session.first(deletePasskey, target) : undefined, 'passkey');
    }),
});
