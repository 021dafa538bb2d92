import { z } from 'zod';
import { MAX_PLACE_LENGTH, STORES } from '../../entities/file/file.ts';
import { FIRST_ID } from '../../entities/ids.ts';
import { enumInput, pathId, textInput } from '../../entities/fields/schemas.ts';
import { operatorProcedure, router } from '../core/trpc.ts';
import { moveFiles, reachableLocations, removeMoved } from '../evidence/moving.ts';
import { adoptFiles } from '../evidence/places.ts';
import { storageOf } from '../evidence/upload.ts';
import { findUnknown, verifyFiles } from '../evidence/verification.ts';

/** Position after a file; the beginning without its fields. */
const Position = z.strictObject({
  afterCompany: pathId('Company of the last verified file').default(0),
  afterId: textInput('the id of a file', 36).default(FIRST_ID),
});

/** A store, and the bucket and prefix in S3. */
export const LocationOutput = z.object({ store: z.enum(STORES), place: z.string().nullable() });

export const ProblemOutput = z.object({
  company: z.int(),
  uniqueId: z.string().meta({ description: 'Name of the file in its store', isStep: true }),
  ...LocationOutput.shape,
  problem: z.enum(['missing', 'different', 'too many']),
  evidence: z
    .array(
      z.object({
        uniqueId: z.string(),
        name: z.string(),
        resource: z.object({ type: z.string(), uniqueId: z.string() }),
      }),
    )
    .meta({ description: 'Evidence that has the file, with the task or vendor that it belongs to' }),
  proofs: z.array(z.string()).meta({ description: 'uniqueIds of proofs' }),
});

export const VerifiedOutput = z.object({
  files: z.int(),
  bytes: z.number(),
  problems: z.array(ProblemOutput),
  next: z.object({ afterCompany: z.int(), afterId: z.string() }).nullable(),
});

export const AdoptedOutput = z.object({ adopted: z.int() });
export const MovedOutput = z.object({ moved: z.int(), isDone: z.boolean() });

/** The files of all companies in their stores. `npx --no compliance evidence` calls these step by step. */
export const evidence = router({
  verify: operatorProcedure
    .meta({ description: 'Compare some files with their size and SHA-256', isStep: true })
    .input(z.strictObject({ position: Position }))
    .output(VerifiedOutput)
    .mutation(({ ctx, input: { position } }) =>
      verifyFiles(ctx.session.withoutDeadline(), storageOf(ctx.services), position),
    ),

  unknown: operatorProcedure
    .meta({ description: 'List the superfluous files of a store', isStep: true })
    .input(
      z.strictObject({
        store: enumInput(STORES),
        place: textInput('a bucket and a prefix', MAX_PLACE_LENGTH).nullable().default(null),
      }),
    )
    .output(z.array(ProblemOutput))
    .mutation(({ ctx, input }) => findUnknown(ctx.session.withoutDeadline(), storageOf(ctx.services), input)),

  stores: operatorProcedure
    .meta({ description: 'List the stores that the service can reach, the current one first', isStep: true })
    .input(z.strictObject({}).optional())
    .output(z.array(LocationOutput))
    .mutation(({ ctx }) => reachableLocations(ctx.session.withoutDeadline(), storageOf(ctx.services))),

  move: operatorProcedure
    .meta({ description: 'Move some files to the current store', isStep: true })
    .input(z.strictObject({}).optional())
    .output(MovedOutput)
    .mutation(({ ctx }) => moveFiles(ctx.session.withoutDeadline(), storageOf(ctx.services))),

  adopt: operatorProcedure
    .meta({ description: 'Record the current bucket and prefix for some files', isStep: true })
    .input(z.strictObject({}).optional())
    .output(AdoptedOutput)
    .mutation(async ({ ctx }) => ({
      adopted: await adoptFiles(ctx.session.withoutDeadline(), storageOf(ctx.services)),
    })),

  removeMoved: operatorProcedure
    .meta({ description: 'Remove bytes that were moved to the current store', isStep: true })
    .input(z.strictObject({}).optional())
    .output(z.object({ removed: z.int() }))
    .mutation(async ({ ctx }) => ({
      removed: await removeMoved(ctx.session.withoutDeadline(), storageOf(ctx.services)),
    })),
});
