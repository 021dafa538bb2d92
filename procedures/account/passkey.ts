import { z } from 'zod';
import { found } from '../../entities/api-error.ts';
import { noInput } from '../../entities/fields/schemas.ts';
import { isUniqueId } from '../../entities/ids.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import { deletePasskey } from '../../entities/person/passkey-statements.ts';
import { servicesOf } from '../core/services.ts';
import { credentialProcedure, router } from '../core/trpc.ts';
import { CreationOptionsOutput, RegistrationResponseInput } from '../passkey/schemas.ts';
import { changeCredentials, readPerson, toAccount } from './person.ts';
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
    .meta({ description: 'Register the passkey that the browser created' })
    .input(z.strictObject({ response: RegistrationResponseInput }))
    .output(PasskeyOutput)
    .mutation(async ({ ctx, input: { response } }) => {
      const { registerPasskey } = await loadRegistration();
      const account = toAccount(await readPerson(ctx));
      const row = await changeCredentials(ctx, account, 'passkeyAdd', (inside) =>
        registerPasskey(inside, servicesOf(ctx), account.person, response),
      );
      return { uniqueId: row.unique_id, createdAt: toIso(row.created_at), lastUsedAt: null };
    }),

  remove: credentialProcedure
    .meta({ description: 'Remove a passkey' })
    .input(ItemId)
    .output(z.void())
    .mutation(async ({ ctx, input: { uniqueId } }) => {
      const account = toAccount(await readPerson(ctx));
      await changeCredentials(ctx, account, 'passkeyRemove', async (inside) => {
        const target = { uniqueId, person: account.person };
        found(isUniqueId(uniqueId) ? await inside.first(deletePasskey, target) : undefined, 'passkey');
      });
    }),
});
