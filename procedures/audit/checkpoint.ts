import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { expected, idOutput, textOutput, timestampInput, timestampOutput } from '../../entities/fields/schemas.ts';
import { MAX_ID } from '../../entities/ids.ts';
import { findHead, findSealHash } from '../../entities/audit/checkpoint.ts';
import type { Checkpoint } from '../../entities/audit/checkpoint.ts';
import { listSigningKeys } from '../../entities/signing-key/signing-key.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import { isSignedByAny } from '../core/signing.ts';
import type { Signing } from '../core/signing.ts';
import { sealWaiting } from './sealing.ts';

/** Milliseconds for which a checkpoint waits for seals of another process. */
export const SEAL_WAIT_MS = 500;

const HASH = '^[0-9a-f]{64}$';
const SIGNATURE = '^[A-Za-z0-9+/]{86}==$';
const KEY_ID = '^[A-Za-z0-9_-]{43}$';
const EXAMPLE = {
  hash: '9f2c5a0d6b7e41388a1f4c0e2d9b6a7354f1c8e0b2d7a6934c5e8f1029384756',
  signature: 'ViL7Wq0m3kX9cT2uZbN5oY8sHfJ1rGdP4eAvCxQwEyUtInMbKlOhRzSaDjFgVpB6L0c7X5m2T9kWqYu3Z8NsCg==',
  keyId: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
};

/** The head of the audit log, signed. */
export const CheckpointOutput = z
  .object({
    company: idOutput.meta({ description: 'Id of the company', examples: [1] }),
    sequence: z
      .int()
      .meta({ format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
      .meta({ description: 'Number of the last event, as in the change feed', examples: [4812] }),
    hash: textOutput(64, EXAMPLE.hash, 'Hash of its seal').meta({ pattern: HASH }),
    at: timestampOutput.meta({ description: 'Time of the last event' }),
    signature: textOutput(
      88,
      EXAMPLE.signature,
      'Ed25519 in base64, over the JSON of `{company, sequence, hash, at}` in this order without spaces',
    ).meta({ pattern: SIGNATURE }),
    keyId: textOutput(43, EXAMPLE.keyId, '`kid` of the key in `/.well-known/signing-keys.json`').meta({
      pattern: KEY_ID,
    }),
  })
  .meta({ id: 'AuditCheckpoint', description: 'The head of the audit log, signed' });

/** The checkpoint in the examples of the document. */
export const EXAMPLE_CHECKPOINT: Checkpoint = {
  company: 1,
  sequence: 4812,
  at: '2026-11-21T09:58:12.004Z',
  ...EXAMPLE,
};

const patternInput = (pattern: string, expectation: string) =>
  z.string(expected(expectation)).regex(new RegExp(pattern), `expected ${expectation}`);

/** A checkpoint that was stored elsewhere. */
export const CheckpointInput = z.strictObject({
  company: z.int(expected('an integer from 1')).min(1, expected('an integer from 1')).max(MAX_ID),
  sequence: z.int(expected('an integer from 1')).min(1, expected('an integer from 1')),
  hash: patternInput(HASH, '64 hexadecimal digits'),
  at: timestampInput,
  signature: patternInput(SIGNATURE, '64 bytes in base64'),
  keyId: patternInput(KEY_ID, 'the kid of a key'),
});

/** Text that a checkpoint signs. */
const signedText = ({ company, sequence, hash, at }: Omit<Checkpoint, 'signature' | 'keyId'>) =>
  Buffer.from(JSON.stringify({ company, sequence, hash, at }));

/**
 * Seals the events that wait, and signs the head of the audit log of the company.
 * @throws ApiError `unavailable` while nothing is sealed
 */
export async function readCheckpoint(session: Session, signing: Signing): Promise<Checkpoint> {
  await sealWaiting(session, SEAL_WAIT_MS);
  const row = await session.first(findHead, {});
  if (row === undefined) throw new ApiError('unavailable', 'The audit log is being sealed. Try again shortly.');
  const { sequence, hash, at } = row;
  if (at === null) throw new Error(`seal ${sequence}: expected its event`);
  const head = { company: session.principal.company, sequence, hash, at: toIso(at) };
  return { ...head, signature: signing.sign(signedText(head)).toString('base64'), keyId: signing.keyId };
}

/**
 * Compares the sealed log with a checkpoint of it.
 * @returns the first difference; null if the log continues the checkpoint unchanged
 */
export async function checkpointError(session: Session, checkpoint: Checkpoint): Promise<string | null> {
  const { company } = session.principal;
  const { sequence, hash, signature } = checkpoint;
  if (checkpoint.company !== company)
    return `checkpoint: belongs to company ${checkpoint.company}, but this is company ${company}`;
  const keys = await session.run(listSigningKeys, {});
  if (!isSignedByAny(signedText(checkpoint), Buffer.from(signature, 'base64'), keys))
    return 'checkpoint: was not signed with a key of this installation';
  const seal = await session.first(findSealHash, { sequence });
  if (seal === undefined) {
    const head = (await session.first(findHead, {}))?.sequence ?? 0;
    return `checkpoint: sequence ${sequence} is after the head, ${head}: the events after ${head} were lost or deleted`;
  }
  if (seal.hash !== hash)
    return `checkpoint: the log has another hash at sequence ${sequence}: events up to it were lost, deleted or rewritten`;
  return null;
}
