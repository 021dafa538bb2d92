import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError, found, notFound } from '../../entities/api-error.ts';
import { findFile } from '../../entities/file/statements.ts';
import { LAST_ID, isUniqueId, newUniqueId } from '../../entities/ids.ts';
import { MAX_OPEN_PROOFS } from '../../entities/proof/proof.ts';
import { hasEventUntil } from '../../entities/proof/reading.ts';
import {
  deleteProof,
  findKnownFrameworks,
  findProof,
  findProofFile,
  findProofProgress,
  insertProof,
  lockProofs,
  markProofDeleted,
  pageProofs,
  toProofRecord,
} from '../../entities/proof/statements.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import type { Context } from '../core/context.ts';
import { requireNoIfMatch } from '../schemas/entity-tag.ts';
import { requireScopes } from '../core/permissions.ts';
import { requireSigning, servicesOf } from '../core/services.ts';
import { storageOf } from '../evidence/upload.ts';
import { readPage } from '../schemas/cursor.ts';
import type { FileContent } from '../schemas/file-content.ts';
import type { PageRequest } from '../schemas/pagination.ts';
import type { NewProof, ProofProgress } from './schemas.ts';
import { fileNameOf } from './verify/verify.mjs';

type ProofContext = Pick<Context, 'address' | 'services'> & { session: Session };

/** @throws ApiError 403 without the scope for the files of evidence */
const requireFiles = ({ session, address }: ProofContext) =>
  requireScopes(session.principal, ['evidence:read'], address);

/** Queues a proof. @throws ApiError 422 for a wrong period, an unknown framework, too many open ones, a server without a key */
export async function createProof(ctx: ProofContext, input: z.infer<typeof NewProof>) {
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
    const inserted = await inside.first(insertProof, { uniqueId, from, asOf, frameworks, evidence });
    if (inserted === undefined)
      throw new ApiError('unprocessable', `proof: ${MAX_OPEN_PROOFS} are queued or running; delete one, or wait`);
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
export async function readProof(session: Session, uniqueId: string) {
  return toProofRecord(found(isUniqueId(uniqueId) ? await session.first(findProof, { uniqueId }) : undefined, 'proof'));
}

/** A page of the proofs of the company, newest first. */
export async function listProofs(session: Session, request: PageRequest) {
  const { rows, nextCursor } = await readPage(session, {
    list: ['proof.list', {}],
    request,
    fetch: ([before = LAST_ID], limit) => session.run(pageProofs, { before, limit }),
    positionOf: ({ uniqueId }) => [uniqueId],
  });
  return { items: rows.map(toProofRecord), nextCursor };
}

/** Share of the work that is done, and the time left if the rest is as fast. @throws ApiError 404 */
export async function readProgress(session: Session, uniqueId: string): Promise<z.infer<typeof ProofProgress>> {
  const { percent, runningSeconds } = found(await session.first(findProofProgress, { uniqueId }), 'proof');
  const secondsLeft =
    runningSeconds === null || percent === 0 ? null : Math.round((runningSeconds * (100 - percent)) / percent);
  return { percent, secondsLeft };
}

/** The ZIP of a proof. @throws ApiError 404 until it is done, 403 for one with files without their scope */
export async function readProofContent(ctx: ProofContext, uniqueId: string): Promise<z.infer<typeof FileContent>> {
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

/** Deletes a proof, or cancels it. Its ZIP goes within a minute. @throws ApiError 404 */
export async function removeProof(
  ctx: Pick<Context, 'ifMatch'> & { session: Session },
  uniqueId: string,
): Promise<void> {
  requireNoIfMatch(ctx, 'a proof');
  if (!isUniqueId(uniqueId)) throw notFound('proof');
  await ctx.session.transaction(async (inside) => {
    found(await inside.first(markProofDeleted, { uniqueId }), 'proof');
    await inside.run(deleteProof, { uniqueId });
  });
}
