import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import {
  SEAL_BATCH_SIZE,
  sealAuditLog,
  verifyChainBatch,
  verifyEventBatch,
} from '../../entities/statements/audit-seal.ts';
import type { InvalidRow, ChainBatch, EventBatch } from '../../entities/statements/audit-seal.ts';
import { toIso } from '../../entities/statements/change-metadata.ts';
import { expected, timestampOutput } from '../schemas/fields.ts';
import { EventPage, EventQuery, listEvents } from '../audit/events.ts';
import { adminProcedure, router } from '../core/trpc.ts';

/** Rows that one statement looks at: what is held in memory, and how long the embedded database serves nobody else. */
const BATCH_SIZE = 2000;
const HASH_PATTERN = /^[0-9a-f]{64}$/;

const FirstBadRow = z.object({
  seq: z.number().nullable().meta({ description: 'Its number in the chain; null for an event that is not sealed' }),
  eventId: z.number(),
  uniqueId: z.string().nullable().meta({ description: 'Of the event; null where it is gone' }),
  action: z.string().nullable(),
});

const VerificationOutput = z.object({
  intact: z.boolean(),
  reason: z.string().nullable().meta({ description: 'What is wrong, in one line; null when nothing is' }),
  firstBad: FirstBadRow.nullable().meta({ description: 'The first row that does not hold' }),
  sealed: z.int().meta({ description: 'Events in the chain' }),
  unsealed: z.int().meta({ description: 'Events not sealed yet, of which the chain proves nothing' }),
  unsealedSince: timestampOutput.nullable().meta({ description: 'When the oldest of them occurred' }),
  head: z
    .object({ seq: z.number(), hash: z.string(), at: timestampOutput.nullable() })
    .nullable()
    .meta({ description: 'The end of the chain, to be kept elsewhere; null before anything is sealed' }),
});

const VerifyInput = z.strictObject({
  head: z
    .string(expected('text'))
    .toLowerCase()
    .regex(HASH_PATTERN, 'expected 64 hexadecimal digits')
    .optional()
    .meta({ description: 'Hash of a head kept elsewhere, which must be in the chain' }),
});

/** The trail of a company and its chain, for its admin. Contract, sections 6 and 7. */
export const audit = router({
  list: adminProcedure
    .meta({ description: 'Read the audit trail, newest first' })
    .input(EventQuery)
    .output(EventPage)
    .query(({ ctx, input: query }) => listEvents(ctx.session, 'management.audit.list', query)),

  verify: adminProcedure
    .meta({
      description: 'Recompute the chain of the audit trail, and name the first bad row',
      exitCodeField: 'intact',
    })
    .input(VerifyInput)
    .output(VerificationOutput)
    .mutation(async ({ ctx, input: { head: knownHead } }) => {
      const session = ctx.session.withoutDeadline();
      const chain: ChainState = {
        sealed: 0,
        lastSeq: '0',
        head: null,
        firstBad: null,
        headFound: knownHead === undefined,
      };
      await verifyChain(session, chain, knownHead);
      // What does not hold is not built upon.
      if (chain.firstBad === null) await sealRemaining(session, chain, knownHead);
      const eventCheck = await verifyEvents(session);
      const firstBadRow = chain.firstBad ?? eventCheck.bad;
      const missingHeadReason = chain.headFound
        ? null
        : `head: ${knownHead} is not in the chain: what it sealed was removed or rewritten`;
      const reason = firstBadRow === null ? missingHeadReason : describeFault(firstBadRow);
      const { sealed, head } = chain;
      return {
        intact: reason === null,
        reason,
        firstBad: firstBadRow && toFirstBadRow(firstBadRow),
        sealed,
        ...eventCheck.end,
        head,
      };
    }),
});

/** What a walk along the chain has seen so far. */
interface ChainState {
  sealed: number;
  /** Number of the head. */
  lastSeq: string;
  head: { seq: number; hash: string; at: string | null } | null;
  firstBad: InvalidRow | null;
  /** Whether the head kept elsewhere was met. */
  headFound: boolean;
}

/** Goes on from where the walk stopped: every seal against the one before it and its event, part by part. */
async function verifyChain(session: Session, chain: ChainState, knownHead = ''): Promise<void> {
  for (let walked = BATCH_SIZE; walked === BATCH_SIZE; chain.sealed += walked) {
    const after = { after: chain.lastSeq, hash: chain.head?.hash ?? '' };
    const batch: ChainBatch = await session.one(verifyChainBatch, {
      ...after,
      expectedHead: knownHead,
      limit: BATCH_SIZE,
    });
    ({ rowCount: walked } = batch);
    chain.firstBad ??= batch.firstInvalid;
    chain.headFound ||= batch.headFound;
    if (batch.seq !== null && batch.hash !== null) {
      chain.lastSeq = batch.seq;
      chain.head = { seq: Number(batch.seq), hash: batch.hash, at: batch.occurredAt && toIso(batch.occurredAt) };
    }
  }
}

/** Seals what is not, so that as little as possible is left unproven, and walks along that too. */
async function sealRemaining(session: Session, chain: ChainState, knownHead?: string): Promise<void> {
  const of = session.principal.company;
  for (let sealed = SEAL_BATCH_SIZE; sealed === SEAL_BATCH_SIZE;)
    ({ sealed } = await session.one(sealAuditLog, { of }));
  await verifyChain(session, chain, knownHead);
}

/** Every event for its seal, part by part. */
async function verifyEvents(session: Session) {
  let unsealed = 0;
  let unsealedSince: string | null = null;
  let firstBadRow: InvalidRow | null = null;
  let after: number | null = null;
  for (let walked = BATCH_SIZE; walked === BATCH_SIZE;) {
    const batch: EventBatch = await session.one(verifyEventBatch, { after, limit: BATCH_SIZE });
    ({ rowCount: walked, id: after } = batch);
    firstBadRow ??= batch.firstInvalid;
    unsealed += batch.unsealed;
    unsealedSince ??= batch.unsealedSince && toIso(batch.unsealedSince);
  }
  return { bad: firstBadRow, end: { unsealed, unsealedSince } };
}

function describeFault({ error: fault, seq, event_id: id, action }: InvalidRow): string {
  if (fault === 'missing_seal') return `seq ${seq}: the seals before it are gone`;
  if (fault === 'missing_event') return `seq ${seq}: its event ${id} is gone`;
  if (fault === 'modified')
    return `seq ${seq}: event ${id}, ${action}, is not what was sealed, or the seal was changed`;
  return `event ${id}, ${action}: is not sealed, though all of its time are: it was put in later, or its seal removed`;
}

const toFirstBadRow = ({ seq, event_id: eventId, unique_id: uniqueId, action }: InvalidRow) => ({
  seq,
  eventId,
  uniqueId,
  action,
});
