import { z } from 'zod';
import { ApiError } from '../../entities/api-error.ts';
import { noInput } from '../../entities/fields/schemas.ts';
import { beginTotp, confirmTotp, disableTotp } from '../../entities/person/second-factor.ts';
import { requireEncryption, servicesOf } from '../core/services.ts';
import { credentialProcedure, router } from '../core/trpc.ts';
import { SignInError } from '../sign-in/attempts.ts';
import { openTotpSecret, sealTotpSecret, withoutSeparators, generateRecoveryCodes } from '../sign-in/second-factor.ts';
import { findTotpStep, generateTotpSecret, isTotpCode, totpKey } from '../sign-in/totp.ts';
import { changeCredentials, readPerson, requirePassword, requireSecret, toAccount } from './person.ts';
import { CurrentPassword, RecoveryCodesOutput, TotpCode, TotpKeyOutput } from './schemas.ts';

/** The second factor of the sign-in with a password. Contract, section 16. */
export const totp = router({
  begin: credentialProcedure
    .meta({
      description: 'Create a secret for an authenticator app; it replaces one that is not confirmed',
      worksWhileFrozen: true,
    })
    .input(noInput)
    .output(TotpKeyOutput)
    .mutation(async ({ ctx }) => {
      const services = servicesOf(ctx);
      const encryption = requireEncryption(services);
      const { unique_id: person, email, password } = await readPerson(ctx);
      if (password === null)
        throw new ApiError('unprocessable', 'totp: belongs to a password, which this account does not have');
      const bytes = generateTotpSecret();
      const stored = await ctx.session.first(beginTotp, { person, secret: sealTotpSecret(encryption, person, bytes) });
      if (stored === undefined) throw ALREADY_CONFIRMED;
      return totpKey(bytes, { issuer: new URL(services.appUrl()).hostname, account: email });
    }),

  confirm: credentialProcedure
    .meta({
      description: 'Turn the second factor on with a code of the app; recovery codes are shown only once',
    })
    .input(TotpCode)
    .output(RecoveryCodesOutput)
    .mutation(async ({ ctx, input: { code } }) => {
      const encryption = requireEncryption(servicesOf(ctx));
      const row = await readPerson(ctx);
      const { unique_id: person, totp_secret: secret } = row;
      if (row.totp_confirmed_at !== null) throw ALREADY_CONFIRMED;
      if (secret === null) throw new ApiError('conflict', 'totp: begin first');
      const { bytes } = openTotpSecret(encryption, person, secret);
      const text = withoutSeparators(code);
      const step = isTotpCode(text) ? findTotpStep(bytes, text, Date.now()) : undefined;
      const wrongCode = 'code: expected the current code of the app';
      const error = new SignInError('wrong_code', 'unprocessable', wrongCode, person);
      await requireSecret(ctx, row, error, async () => step !== undefined);
      if (step === undefined) throw new Error('totp: expected a step for an accepted code');
      const { codes, hashes } = generateRecoveryCodes();
      const codeHashes = hashes.map((hash) => hash.toString('hex'));
      await changeCredentials(ctx, toAccount(row), 'totpEnable', async (inside) => {
        const stored = await inside.first(confirmTotp, { person, secret, step, codeHashes });
        if (stored === undefined)
          throw new ApiError('conflict', 'totp: the secret was confirmed or replaced meanwhile');
      });
      return { recoveryCodes: codes };
    }),

  disable: credentialProcedure
    .meta({ description: 'Turn the second factor off and delete the recovery codes' })
    .input(CurrentPassword)
    .output(z.void())
    .mutation(async ({ ctx, input }) => {
      const person = await readPerson(ctx);
      await requirePassword(ctx, person, 'password', input.password);
      // Without one nothing changes, and there is nothing to tell.
      if (person.totp_secret === null) return;
      await changeCredentials(ctx, toAccount(person), 'totpDisable', (inside) =>
        inside.run(disableTotp, { person: person.unique_id }),
      );
    }),
});

const ALREADY_CONFIRMED = new ApiError('conflict', 'totp: is on already; disable it first');
