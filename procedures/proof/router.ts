import { z } from 'zod';
import { proofProcedure, router } from '../core/trpc.ts';
import { FileContent } from '../schemas/file-content.ts';
import { openapi } from './openapi.ts';
import { createProof, listProofs, readProgress, readProof, readProofContent, removeProof } from './proofs.ts';
import { NewProof, ProofId, ProofOutput, ProofPage, ProofProgress, ProofQuery } from './schemas.ts';

const BASE_PATH = '/external/proof';
const ITEM_PATH = `${BASE_PATH}/{proof}` as const;

/** Procedures that only REST has, because a file is the response. */
export const proofFiles = router({
  content: proofProcedure
    .meta({
      mcp: { exclude: 'A file does not fit into the result of a tool: download it over REST.' },
      session: true,
      openapi: { method: 'GET', path: `${ITEM_PATH}/content`, ...openapi.content },
      response: { kind: 'bytes' },
    })
    .input(ProofId)
    .output(FileContent)
    .query(({ ctx, input }) => readProofContent(ctx, input.proof)),
});

/** Proofs of the company. Contract, section 20. */
export const proof = router({
  create: proofProcedure
    .meta({
      mcp: { isAdditive: true },
      openapi: { method: 'POST', path: `${BASE_PATH}/new`, ...openapi.create },
      response: { kind: 'json', location: `${BASE_PATH}/{uniqueId}/item`, status: 202 },
    })
    .input(NewProof)
    .output(ProofOutput)
    .mutation(({ ctx, input }) => createProof(ctx, input)),

  list: proofProcedure
    .meta({ openapi: { method: 'GET', path: `${BASE_PATH}/list`, ...openapi.list } })
    .input(ProofQuery.optional())
    .output(ProofPage)
    .query(({ ctx, input = {} }) => listProofs(ctx.session, input)),

  get: proofProcedure
    .meta({ openapi: { method: 'GET', path: `${ITEM_PATH}/item`, ...openapi.get } })
    .input(ProofId)
    .output(ProofOutput)
    .query(({ ctx, input }) => readProof(ctx.session, input.proof)),

  progress: proofProcedure
    .meta({ mcp: { exclude: 'It belongs to the application, not to the API; `proof_get` reads the state.' } })
    .input(ProofId)
    .output(ProofProgress)
    .query(({ ctx, input }) => readProgress(ctx.session, input.proof)),

  delete: proofProcedure
    .meta({ openapi: { method: 'DELETE', path: `${ITEM_PATH}/delete`, ...openapi.delete } })
    .input(ProofId)
    .output(z.void())
    .mutation(({ ctx, input }) => removeProof(ctx, input.proof)),
});
