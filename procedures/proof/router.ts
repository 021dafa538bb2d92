import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError, found, notFound } from '../../entities/api-error.ts';
import { findFile } from '../../entities/file/statements.ts';
import { LAST_ID, isUniqueId, newUniqueId } from '../../entities/ids.ts';
import {
  MAX_OPEN_PROOFS,
  MAX_PROOFS,
  PROOF_RETENTION_DAYS,
  MAX_PROOF_REASON_LENGTH,
  PROOF_STATES,
  deleteProof,
  findKnownFrameworks,
  findProof,
  findProofFile,
  findProofProgress,
  countProofs,
  insertProof,
  lockProofs,
  markProofDeleted,
  pageProofs,
  toProofRecord,
} from '../../entities/proof/proof.ts';
import { hasEventUntil } from '../../entities/proof/reading.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import {
  ActorOutput,
  EXAMPLE_IDS,
  createdAtOutput,
  expected,
  timestampInput,
  timestampOutput,
  uniqueIdInput,
  uniqueIdOutput,
  idOutput,
  integerOutput,
  listOutput,
  textOutput,
} from '../../entities/fields/schemas.ts';
import { proofProcedure, router } from '../core/trpc.ts';
import { FileContent } from '../schemas/file-content.ts';
import type { Context } from '../core/context.ts';
import { requireNoIfMatch } from '../schemas/entity-tag.ts';
import { requireScopes } from '../core/permissions.ts';
import { requireSigning, servicesOf } from '../core/services.ts';
import { storageOf } from '../evidence/upload.ts';
import { readPage } from '../schemas/cursor.ts';
import type { PageRequest } from '../schemas/pagination.ts';
import { pageOutput, pagination } from '../schemas/pagination.ts';
import { operationTexts } from '../document/resource-texts.ts';
import { frameworksInput } from '../schemas/frameworks.ts';
import { fileNameOf } from './verify/verify.mjs';

type ProofContext = Pick<Context, 'address' | 'services'> & { session: Session };

/** @throws ApiError 403 without the scope for the files of evidence */
const requireFiles = ({ session, address }: ProofContext) =>
  requireScopes(session.principal, ['evidence:read'], address);

const SHA256 = { pattern: '^[0-9a-f]{64}$' };
const EXAMPLE_SHA256 = '5b17dbbf0bb1c5d7d3ed9ec4a0a1a1a2f0e3f1ff2f0ab3b6f1c1d8c1f6a5d0e4';
const int64 = { format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };

const NewProof = z
  .strictObject({
    from: timestampInput.nullish().meta({ description: 'Start of the period; by default the beginning of the log' }),
    asOf: timestampInput.optional().meta({ description: 'End of the period, not in the future; by default now' }),
    frameworks: frameworksInput(
      'Frameworks of the tasks and requirements in it; null for all. Vendors and events are always complete.',
    ).optional(),
    evidence: z
      .boolean(expected('a boolean'))
      .default(true)
      .meta({ description: 'False leaves out the evidence files' }),
  })
  .meta({ examples: [{ evidence: true }] });

const ProofId = z.strictObject({ proof: uniqueIdInput('The proof’s uniqueId', EXAMPLE_IDS.proof) });

const fields = z.object({
  uniqueId: uniqueIdOutput.meta({ examples: [EXAMPLE_IDS.proof] }),
  state: z.enum(PROOF_STATES).meta({ description: 'Progress; only a proof that is `done` has content' }),
  from: timestampOutput
    .nullable()
    .meta({ description: 'Start of the period; null for the beginning of the log', examples: [null] }),
  asOf: timestampOutput.meta({ description: 'End of the period, and time of the registers in it' }),
  frameworks: listOutput(idOutput)
    .nullable()
    .meta({ description: 'Frameworks of the tasks and requirements in it; null for all', examples: [null] }),
  evidence: z.boolean().meta({ description: 'True if it contains the evidence files' }),
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
  createdBy: ActorOutput.meta({ description: 'User who requested it' }),
  endedAt: timestampOutput.nullable().meta({ description: 'Time at which it was done or failed; null before' }),
  reason: textOutput(
    MAX_PROOF_REASON_LENGTH,
    'The time-stamp server did not respond',
    'Reason of a failure; null without one',
  )
    .nullable()
    .meta({ examples: [null] }),
});

const ProofOutput = fields.meta({
  id: 'Proof',
  description: 'A ZIP for auditors, which is made in the background',
});

const ProofQuery = z.strictObject(pagination);
const ProofPage = pageOutput(ProofOutput).meta({ id: 'Proofs', description: 'A page of proofs' });

const ProofProgress = z.object({
  percent: integerOutput(0, 100, 'Share of the work that is done'),
  secondsLeft: z.number().nullable().meta({ description: 'Null while nothing is known' }),
});

/** Queues a proof. @throws ApiError 422 for a wrong period, an unknown framework, too many open ones, a server without a key */
async function createProof(ctx: ProofContext, input: z.infer<typeof NewProof>) {
  const { from = null, frameworks = null, evidence } = input;
  if (evidence) requireFiles(ctx);
  requireSigning(servicesOf(ctx));
  const uniqueId = newUniqueId();
  return ctx.session.transaction(async (inside) => {
    const now = toIso((await inside.one(lockProofs, {})).now);
    const asOf = input.asOf ?? now;
    if (asOf > now) throw new ApiError('unprocessable', `asOf: ${asOf} is in the future`);
    if (from !== null && from > asOf) throw new ApiError('unprocessable', `asOf: ${asOf} is before from ${from}`);
    if (!(await inside.one(hasEventUntil, { asOf })).exists)
      throw new ApiError('unprocessable', `asOf: the audit log begins after ${asOf}`);
    await requireKnownFrameworks(inside, frameworks);
    const { open, all } = await inside.one(countProofs, {});
    if (open >= MAX_OPEN_PROOFS)
      throw new ApiError('unprocessable', `proof: ${MAX_OPEN_PROOFS} are queued or running; delete one, or wait`);
    if (all >= MAX_PROOFS)
      throw new ApiError('unprocessable', `proof: a company has at most ${MAX_PROOFS} proofs; delete one`);
    await inside.one(insertProof, { uniqueId, from, asOf, frameworks, evidence });
    return toProofRecord(await inside.one(findProof, { uniqueId }));
  });
}

async function requireKnownFrameworks(session: Session, frameworks: readonly number[] | null): Promise<void> {
  if (frameworks === null) return;
  const known = new Set((await session.run(findKnownFrameworks, { frameworks })).map(({ id }) => id));
  const unknown = frameworks.find((id) => !known.has(id));
  if (unknown !== undefined) throw new ApiError('unprocessable', `frameworks: ${unknown} is unknown`);
}

/** @throws ApiError 404 */
async function readProof(session: Session, uniqueId: string) {
  return toProofRecord(found(isUniqueId(uniqueId) ? await session.first(findProof, { uniqueId }) : undefined, 'proof'));
}

/** A page of the proofs of the company, newest first. */
async function listProofs(session: Session, request: PageRequest) {
  const { rows, nextCursor } = await readPage(session, {
    list: ['proof.list', {}],
    request,
    fetch: ([before = LAST_ID], limit) => session.run(pageProofs, { before, limit }),
    positionOf: ({ uniqueId }) => [uniqueId],
  });
  return { items: rows.map(toProofRecord), nextCursor };
}

/** Share of the work that is done, and the time left if the rest is as fast. @throws ApiError 404 */
async function readProgress(session: Session, uniqueId: string): Promise<z.infer<typeof ProofProgress>> {
  const { percent, runningSeconds } = found(await session.first(findProofProgress, { uniqueId }), 'proof');
  const secondsLeft =
    runningSeconds === null || percent === 0 ? null : Math.round((runningSeconds * (100 - percent)) / percent);
  return { percent, secondsLeft };
}

/** The ZIP of a proof. @throws ApiError 404 until it is done, 403 for one with files without their scope */
async function readProofContent(ctx: ProofContext, uniqueId: string): Promise<z.infer<typeof FileContent>> {
  const { session, services } = ctx;
  const proof = isUniqueId(uniqueId) ? await session.first(findProofFile, { uniqueId }) : undefined;
  if (proof === undefined) throw notFound('content');
  if (proof.evidence) requireFiles(ctx);
  const file = found(await session.first(findFile, { uniqueId: proof.fileId }), 'content');
  const bytes = storageOf(services).store(file.store, file.place);
  const key = { company: file.company, uniqueId: file.uniqueId };
  return {
    name: fileNameOf(`${proof.companyName}, proof of ${proof.date}.zip`),
    mediaType: 'application/zip',
    size: proof.size,
    sha256: proof.sha256,
    read: (range) => bytes.read(key, range),
  };
}

/** Deletes a proof, or cancels it. Its ZIP is removed within a minute. @throws ApiError 404 */
async function removeProof(ctx: Pick<Context, 'ifMatch'> & { session: Session }, uniqueId: string): Promise<void> {
  requireNoIfMatch(ctx, 'a proof');
  if (!isUniqueId(uniqueId)) throw notFound('proof');
  await ctx.session.transaction(async (inside) => {
    found(await inside.first(markProofDeleted, { uniqueId }), 'proof');
    await inside.run(deleteProof, { uniqueId });
  });
}

const text = operationTexts('Proofs');

const RIGHTS = 'A key or member that is limited to frameworks gets 403, and so does an editor.';

/** Texts of the operations in the OpenAPI document. */
const openapi = {
  create: {
    ...text(
      'createProof',
      'Make a proof',
      'Makes a signed ZIP, in the background, with the registers at a time and the sealed events of a period. Anybody can check it ' +
        `without this server. At most ${MAX_OPEN_PROOFS} are queued or running, and a company has at most ${MAX_PROOFS}. With files it also needs \`evidence:read\`. ${RIGHTS}`,
    ),
    errorResponses: [422],
  },
  get: text('getProof', 'Read the state of a proof', RIGHTS),
  content: text(
    'getProofContent',
    'Download a proof',
    `Responds 404 until the proof is done. \`Range\` takes one range. A proof with files also needs \`evidence:read\`. ${RIGHTS}`,
  ),
  list: text(
    'listProofs',
    'List the proofs of the company',
    `Newest first, for ${PROOF_RETENTION_DAYS} days. ${RIGHTS}`,
  ),
  delete: text('deleteProof', 'Delete a proof', `A proof that has not ended is canceled. ${RIGHTS}`),
};

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
