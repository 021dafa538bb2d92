import { z } from 'zod';
import {
  ActorOutput,
  EXAMPLE_IDS,
  createdAtOutput,
  expected,
  idOutput,
  integerOutput,
  listOutput,
  textOutput,
  timestampInput,
  timestampOutput,
  uniqueIdInput,
  uniqueIdOutput,
} from '../../entities/fields/schemas.ts';
import { MAX_PROOF_REASON_LENGTH, PROOF_STATES } from '../../entities/proof/proof.ts';
import { frameworksInput } from '../schemas/frameworks.ts';
import { pageOutput, pagination } from '../schemas/pagination.ts';

const SHA256 = { pattern: '^[0-9a-f]{64}$' };
const EXAMPLE_SHA256 = '5b17dbbf0bb1c5d7d3ed9ec4a0a1a1a2f0e3f1ff2f0ab3b6f1c1d8c1f6a5d0e4';
const int64 = { format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };

export const NewProof = z
  .strictObject({
    from: timestampInput.nullish().meta({ description: 'Start of the period; by default the beginning of the log' }),
    asOf: timestampInput.optional().meta({ description: 'End of the period, not in the future; by default now' }),
    frameworks: frameworksInput(
      'Frameworks of the tasks in it; null for all. Vendors and events are whole.',
    ).optional(),
    evidence: z
      .boolean(expected('a boolean'))
      .default(true)
      .meta({ description: 'False leaves out the files of evidence' }),
  })
  .meta({ examples: [{ evidence: true }] });

export const ProofId = z.strictObject({ proof: uniqueIdInput('The proof’s uniqueId', EXAMPLE_IDS.proof) });

const fields = z.object({
  uniqueId: uniqueIdOutput.meta({ examples: [EXAMPLE_IDS.proof] }),
  state: z.enum(PROOF_STATES).meta({ description: 'Progress; only a proof that is `done` has content' }),
  from: timestampOutput
    .nullable()
    .meta({ description: 'Start of the period; null for the beginning of the log', examples: [null] }),
  asOf: timestampOutput.meta({ description: 'End of the period, and time of the registers in it' }),
  frameworks: listOutput(idOutput)
    .nullable()
    .meta({ description: 'Frameworks of the tasks in it; null for all', examples: [null] }),
  evidence: z.boolean().meta({ description: 'True if it contains the files of evidence' }),
  size: z
    .int()
    .nullable()
    .meta({ ...int64, description: 'Size of the ZIP in bytes; null until it is done', examples: [183_402] }),
  sha256: textOutput(64, EXAMPLE_SHA256, 'SHA-256 of the ZIP, in hexadecimal digits; null until it is done')
    .meta(SHA256)
    .nullable(),
  sequence: z
    .int()
    .nullable()
    .meta({
      ...int64,
      description: 'Number of the last event in it, in the change feed; null until it is done',
      examples: [4821],
    }),
  hash: textOutput(64, EXAMPLE_SHA256, 'Hash of the seal of that event; null until it is done').meta(SHA256).nullable(),
  createdAt: createdAtOutput,
  createdBy: ActorOutput.meta({ description: 'User who ordered it' }),
  endedAt: timestampOutput.nullable().meta({ description: 'Time at which it was done or failed; null before' }),
  reason: textOutput(
    MAX_PROOF_REASON_LENGTH,
    'The time-stamp server did not respond',
    'Reason of a failure; null without one',
  )
    .nullable()
    .meta({ examples: [null] }),
});

export const ProofOutput = fields.meta({
  id: 'Proof',
  description: 'A ZIP for auditors, which is made in the background',
});

export const ProofQuery = z.strictObject(pagination);
export const ProofPage = pageOutput(ProofOutput).meta({ id: 'Proofs', description: 'A page of proofs' });

export const ProofProgress = z.object({
  percent: integerOutput(0, 100, 'Share of the work that is done'),
  secondsLeft: z.number().nullable().meta({ description: 'Null while nothing is known' }),
});
