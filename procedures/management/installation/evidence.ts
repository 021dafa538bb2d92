import { z } from 'zod';
import { STORES } from '../../../entities/file/file.ts';
import { FIRST_ID } from '../../../entities/ids.ts';
import { operatorProcedure, router } from '../../core/trpc.ts';
import { moveFiles, removeMoved } from '../../evidence/moving.ts';
import { storageOf } from '../../evidence/upload.ts';
import { findUnknown, verifyFiles } from '../../evidence/verification.ts';
import { enumInput, pathId, textInput } from '../../schemas/fields.ts';

/** Position after a file; the beginning without its fields. */
const Position = z.strictObject({
  afterCompany: pathId('Company of the last verified file').default(0),
  afterId: textInput('the id of a file', 36).default(FIRST_ID),
});

export const ProblemOutput = z.object({
  company: z.int(),
  uniqueId: z.string().meta({ description: 'Name of the file in its store', isStep: true }),
  store: z.enum(STORES),
  problem: z.enum(['missing', 'different', 'too many']),
});

export const VerifiedOutput = z.object({
  files: z.int(),
  bytes: z.number(),
  problems: z.array(ProblemOutput),
  next: z.object({ afterCompany: z.int(), afterId: z.string() }).nullable(),
});

export const MovedOutput = z.object({ moved: z.int(), isDone: z.boolean() });

/** The files of all companies in their stores. `npm run manage -- evidence` calls these step by step. */
export const evidence = router({
  verify: operatorProcedure
    .meta({ description: 'Compare some files with their size and SHA-256', isStep: true })
    .input(z.strictObject({ position: Position }))
    .output(VerifiedOutput)
    .mutation(({ ctx, input: { position } }) =>
      verifyFiles(ctx.session.withoutDeadline(), storageOf(ctx.services), position),
    ),

  unknown: operatorProcedure
    .meta({ description: 'List what a store has too many', isStep: true })
    .input(z.strictObject({ store: enumInput(STORES) }))
    .output(z.array(ProblemOutput))
    .mutation(({ ctx, input: { store } }) =>
      findUnknown(ctx.session.withoutDeadline(), storageOf(ctx.services), store),
    ),

  stores: operatorProcedure
    .meta({ description: 'List the stores that the service reaches; the first is that of today', isStep: true })
    .input(z.strictObject({}).optional())
    .output(z.array(z.enum(STORES)))
    .mutation(({ ctx }) => {
      const storage = storageOf(ctx.services);
      return [storage.current, ...STORES.filter((name) => name !== storage.current && storage.has(name))];
    }),

  move: operatorProcedure
    .meta({ description: 'Move some files to the store of today', isStep: true })
    .input(z.strictObject({}).optional())
    .output(MovedOutput)
    .mutation(({ ctx }) => moveFiles(ctx.session.withoutDeadline(), storageOf(ctx.services))),

  removeMoved: operatorProcedure
    .meta({ description: 'Remove bytes that were moved to the store of today', isStep: true })
    .input(z.strictObject({}).optional())
    .output(z.object({ removed: z.int() }))
    .mutation(async ({ ctx }) => ({
      removed: await removeMoved(ctx.session.withoutDeadline(), storageOf(ctx.services)),
    })),
});
