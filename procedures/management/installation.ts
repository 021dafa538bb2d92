import { z } from 'zod';
import { VERSION } from '../../database/version.ts';
import { readDataVersion } from '../../entities/version/data-version.ts';
import { ApiError } from '../../entities/api-error.ts';
import { listSigningKeys, recordSigningKey } from '../../entities/signing-key/signing-key.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import { noInput, timestampOutput } from '../../entities/fields/schemas.ts';
import { operatorProcedure, router } from '../core/trpc.ts';
import { servicesOf, requireSigning } from '../core/services.ts';
import { testMail } from '../mail/account-mails.ts';
import { emailInput } from '../schemas/people.ts';

const Version = z.string();

/** Versions of the service and of the data. Contract, section 25. */
export const version = operatorProcedure
  .meta({
    description: 'Show the version of the service, that of the data, and the oldest version that can run on the data',
  })
  .input(noInput)
  .output(
    z.object({
      service: Version.meta({ description: 'Version of the code' }),
      data: Version.meta({ description: 'Newest version that has run on the data' }),
      oldest: Version.meta({ description: 'Oldest version that can run on the data' }),
    }),
  )
  .query(async ({ ctx }) => ({ service: VERSION, ...(await ctx.session.one(readDataVersion, {})) }));

/** Mails of the service. */
export const mail = router({
  test: operatorProcedure
    .meta({ description: 'Send a test email' })
    .input(z.strictObject({ to: emailInput }))
    .output(z.object({ sent: z.literal(true) }))
    .mutation(async ({ ctx, input: { to } }) => {
      const { tryMail, appUrl } = servicesOf(ctx);
      if (tryMail === undefined) throw new ApiError('unprocessable', 'SMTP_URL: required to send email');
      const outcome = await tryMail(testMail(to, appUrl()));
      if (outcome.result === 'sent') return { sent: true };
      const problem =
        outcome.result === 'rejected' ? 'to: the mailbox does not exist' : 'SMTP_URL: the mail was not sent';
      throw new ApiError('unprocessable', `${problem} (${outcome.reason})`);
    }),
});

/** The keys that sign proofs and checkpoints. Contract, section 20. */
export const signingKey = router({
  rotate: operatorProcedure
    .meta({ description: 'Make a new signing key. Signatures of old keys stay valid' })
    .input(noInput)
    .output(z.object({ keyId: z.string() }))
    .mutation(async ({ ctx: { session, services, requestId } }) => {
      const { signing, report } = servicesOf({ services });
      const { keyId: before } = requireSigning({ signing });
      if (signing?.rotate === undefined)
        throw new ApiError('conflict', 'SIGNING_KEY: has the key; set another value and restart every process');
      const { keyId } = await signing.rotate((key) => session.run(recordSigningKey, key));
      report?.({ before, keyId, requestId }, 'signing key: rotated');
      return { keyId };
    }),

  list: operatorProcedure
    .meta({ description: 'List the keys of the installation, newest first' })
    .input(noInput)
    .output(z.array(z.object({ keyId: z.string(), createdAt: timestampOutput, isCurrent: z.boolean() })))
    .query(async ({ ctx: { session, services } }) => {
      const current = services?.signing?.current.keyId;
      const rows = await session.run(listSigningKeys, {});
      return rows.map(({ keyId, createdAt }) => ({
        keyId,
        createdAt: toIso(createdAt),
        isCurrent: keyId === current,
      }));
    }),
});
