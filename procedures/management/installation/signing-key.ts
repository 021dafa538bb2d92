import { z } from 'zod';
import { ApiError } from '../../../entities/api-error.ts';
import { noInput, timestampOutput } from '../../../entities/fields/schemas.ts';
import { listSigningKeys, recordSigningKey } from '../../../entities/signing-key/statements.ts';
import { toIso } from '../../../entities/statements/change-metadata.ts';
import { requireSigning, servicesOf } from '../../core/services.ts';
import { operatorProcedure, router } from '../../core/trpc.ts';

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
