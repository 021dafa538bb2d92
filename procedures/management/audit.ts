import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { verifyChainBatch, verifyEventBatch } from '../../entities/audit/seal-statements.ts';
import type { ChainBatch, EventBatch, InvalidRow } from '../../entities/audit/seal-statements.ts';
import { expected, timestampOutput } from '../../entities/fields/schemas.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import { CheckpointInput, SEAL_WAIT_MS, checkpointError } from '../audit/checkpoint.ts';
import { EventPage, EventQuery, listEvents } from '../audit/events.ts';
import { sealWaiting } from '../audit/sealing.ts';
import { managementProcedure, router } from '../core/trpc.ts';

/** Rows that one statement verifies. Limits memory, and the time for which the embedded database blocks other requests. */
const BATCH_SIZE = 500;
const HASH_PATTERN = /^[0-9a-f]{64}$/;

const FirstBadRow = z.object({
  seq: z.number().nullable().meta({ description: 'Sequence number in the chain; null for an unsealed event' }),
  eventId: z.number(),
  uniqueId: z.string().nullable().meta({ description: 'Public id of the event; null if the event is missing' }),
  action: z.string().nullable(),
});

const VerificationOutput = z.object({
  intact: z.boolean(),
  reason: z.string().nullable().meta({ description: 'The first error in one line; null if the audit log is intact' }),
  firstBad: FirstBadRow.nullable().meta({ description: 'The first invalid row' }),
  sealed: z.int().meta({ description: 'Number of sealed events' }),
  unsealed: z.int().meta({ description: 'Number of unsealed events, which the chain does not protect yet' }),
  unsealedSince: timestampOutput.nullable().meta({ description: 'Time of the oldest unsealed event' }),
  head: z
    .object({ seq: z.number(), hash: z.string(), at: timestampOutput.nullable() })
    .nullable()
    .meta({ description: 'The last seal of the chain, to be stored outside the database; null before the first seal' }),
});

const VerifyInput = z.strictObject({
  head: z
    .string(expected('text'))
    .toLowerCase()
    .regex(HASH_PATTERN, 'expected 64 hexadecimal digits')
    .optional()
    .meta({ description: 'Hash of a head stored earlier, which must be in the chain' }),
  checkpoint: CheckpointInput.optional().meta({
    description: 'Checkpoint stored earlier, which the log must continue unchanged',
  }),
});

/** Audit log of a company and its chain of seals. See docs/contract.md, sections 6 and 7. */
export const audit = router({
  list: managementProcedure('audit:read')
    .meta({ description: 'List audit events, newest first' })
    .input(EventQuery)
    .output(EventPage)
    .query(({ ctx, input: query }) => listEvents(ctx.session, 'management.audit.list', query)),

  verify: managementProcedure('management:read')
    .meta({
      description: 'Recompute the chain of the audit log, and report the first invalid row',
      exitCodeField: 'intact',
      worksWhileFrozen: true,
    })
    .input(VerifyInput)
    .output(VerificationOutput)
    .mutation(({ ctx, input }) => verifyLog(ctx.session.withoutDeadline(), input)),
});

/** Recomputes the chain of the session's company. */
export async function verifyLog(
  session: Session,
  { head: knownHead, checkpoint }: z.output<typeof VerifyInput>,
): Promise<z.output<typeof VerificationOutput>> {
  const headFound = knownHead === undefined;
  const chain: ChainState = { sealed: 0, lastSeq: '0', head: null, firstBad: null, headFound };
  await verifyChain(session, chain, knownHead);
  // New seals must not extend an invalid chain.
  if (chain.firstBad === null) await sealRemaining(session, chain, knownHead);
  const eventCheck = await verifyEvents(session);
  const firstBadRow = chain.firstBad ?? eventCheck.bad;
  const missingHeadReason = chain.headFound
    ? checkpoint && (await checkpointError(session, checkpoint))
    : `head: ${knownHead} is not in the chain: the events that it sealed were deleted or rewritten`;
  const reason = firstBadRow === null ? (missingHeadReason ?? null) : describeError(firstBadRow);
  const { sealed, head } = chain;
  return { intact: reason === null, reason, firstBad: firstBadRow, sealed, ...eventCheck.end, head };
}

/** Progress of a verification. */
interface ChainState {
  sealed: number;
  /** Sequence number of the last verified seal. */
  lastSeq: string;
  head: { seq: number; hash: string; at: string | null } | null;
  firstBad: InvalidRow | null;
  /** True if the verified part of the chain contains the expected head. */
  headFound: boolean;
}

/** Verifies each seal against the previous seal and its event, in batches, starting after the last verified seal. */
async function verifyChain(session: Session, chain: ChainState, knownHead = ''): Promise<void> {
  for (let rowCount = BATCH_SIZE; rowCount === BATCH_SIZE; chain.sealed += rowCount) {
    const input = { after: chain.lastSeq, hash: chain.head?.hash ?? '', expectedHead: knownHead, limit: BATCH_SIZE };
    const batch: ChainBatch = await session.one(verifyChainBatch, input);
    ({ rowCount } = batch);
    chain.firstBad ??= batch.firstInvalid;
    chain.headFound ||= batch.headFound;
    if (batch.seq !== null && batch.hash !== null) {
      chain.lastSeq = batch.seq;
      chain.head = { seq: Number(batch.seq), hash: batch.hash, at: batch.occurredAt && toIso(batch.occurredAt) };
    }
  }
}

/** Seals the remaining events and verifies the new seals, so that as few events as possible stay unprotected. */
async function sealRemaining(session: Session, chain: ChainState, knownHead?: string): Promise<void> {
  await sealWaiting(session, SEAL_WAIT_MS);
  await verifyChain(session, chain, knownHead);
}

/** Verifies that each event has a seal, in batches. */
async function verifyEvents(session: Session) {
  let unsealed = 0;
  let unsealedSince: string | null = null;
  let firstBadRow: InvalidRow | null = null;
  let after: number | null = null;
  for (let rowCount = BATCH_SIZE; rowCount === BATCH_SIZE;) {
    const batch: EventBatch = await session.one(verifyEventBatch, { after, limit: BATCH_SIZE });
    ({ rowCount, id: after } = batch);
    firstBadRow ??= batch.firstInvalid;
    unsealed += batch.unsealed;
    unsealedSince ??= batch.unsealedSince && toIso(batch.unsealedSince);
  }
  return { bad: firstBadRow, end: { unsealed, unsealedSince } };
}

function describeError({ error, seq, eventId: id, action }: InvalidRow): string {
  if (error === 'missing_seal') return `seq ${seq}: previous seals are missing`;
  if (error === 'missing_event') return `seq ${seq}: event ${id} is missing`;
  if (error === 'modified') return `seq ${seq}: event ${id}, ${action}, or its seal was modified`;
  return `event ${id}, ${action}: has no seal, although all events of that time are sealed: it was inserted later, or its seal was deleted`;
}
