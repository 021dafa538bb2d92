import { z } from 'zod';
import type { Session } from '../../entities/database/session.ts';
import { SEALED_AT_ONCE, sealAudit, walkChain, walkTrail } from '../../entities/statements/audit-seal.ts';
import type { BadRow, ChainPart, TrailPart } from '../../entities/statements/audit-seal.ts';
import { toIso } from '../../entities/statements/stamps.ts';
import { expects, moment } from '../shapes.ts';
import { EventPage, EventQuery, listEvents } from '../trail.ts';
import { adminProcedure, router } from '../trpc.ts';

/** Rows that one statement looks at: what is held in memory, and how long the embedded database serves nobody else. */
const PART = 2000;
const HASH = /^[0-9a-f]{64}$/;

const FirstBad = z.object({
  seq: z.number().nullable().meta({ description: 'Its number in the chain; null for an event that is not sealed' }),
  eventId: z.number(),
  uniqueId: z.string().nullable().meta({ description: 'Of the event; null where it is gone' }),
  action: z.string().nullable(),
});

const Verified = z.object({
  intact: z.boolean(),
  reason: z.string().nullable().meta({ description: 'What is wrong, in one line; null when nothing is' }),
  firstBad: FirstBad.nullable().meta({ description: 'The first row that does not hold' }),
  sealed: z.int().meta({ description: 'Events in the chain' }),
  unsealed: z.int().meta({ description: 'Events not sealed yet, of which the chain proves nothing' }),
  unsealedSince: moment.nullable().meta({ description: 'When the oldest of them occurred' }),
  head: z
    .object({ seq: z.number(), hash: z.string(), at: moment.nullable() })
    .nullable()
    .meta({ description: 'The end of the chain, to be kept elsewhere; null before anything is sealed' }),
});

const input = z.strictObject({
  head: z
    .string(expects('text'))
    .toLowerCase()
    .regex(HASH, 'expected 64 hexadecimal digits')
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
    .meta({ description: 'Recompute the chain of the audit trail, and name the first bad row', mustHold: 'intact' })
    .input(input)
    .output(Verified)
    .mutation(async ({ ctx, input: { head: kept } }) => {
      const session = ctx.session.unhurried();
      const chain: Chain = { sealed: 0, end: '0', head: null, bad: null, found: kept === undefined };
      await alongChain(session, chain, kept);
      // What does not hold is not built upon.
      if (chain.bad === null) await sealMore(session, chain, kept);
      const trail = await alongTrail(session);
      const bad = chain.bad ?? trail.bad;
      const lost = chain.found ? null : `head: ${kept} is not in the chain: what it sealed was removed or rewritten`;
      const reason = bad === null ? lost : reasonOf(bad);
      const { sealed, head } = chain;
      return { intact: reason === null, reason, firstBad: bad && firstBad(bad), sealed, ...trail.end, head };
    }),
});

/** What a walk along the chain has seen so far. */
interface Chain {
  sealed: number;
  /** Number of the head. */
  end: string;
  head: { seq: number; hash: string; at: string | null } | null;
  bad: BadRow | null;
  /** Whether the head kept elsewhere was met. */
  found: boolean;
}

/** Goes on from where the walk stopped: every seal against the one before it and its event, part by part. */
async function alongChain(session: Session, chain: Chain, kept = ''): Promise<void> {
  for (let walked = PART; walked === PART; chain.sealed += walked) {
    const after = { after: chain.end, hash: chain.head?.hash ?? '' };
    const part: ChainPart = await session.only(walkChain, { ...after, wanted: kept, most: PART });
    ({ walked } = part);
    chain.bad ??= part.bad;
    chain.found ||= part.found;
    if (part.seq !== null && part.hash !== null) {
      chain.end = part.seq;
      chain.head = { seq: Number(part.seq), hash: part.hash, at: part.at && toIso(part.at) };
    }
  }
}

/** Seals what is not, so that as little as possible is left unproven, and walks along that too. */
async function sealMore(session: Session, chain: Chain, kept?: string): Promise<void> {
  const of = session.principal.company;
  for (let sealed = SEALED_AT_ONCE; sealed === SEALED_AT_ONCE;) ({ sealed } = await session.only(sealAudit, { of }));
  await alongChain(session, chain, kept);
}

/** Every event for its seal, part by part. */
async function alongTrail(session: Session) {
  let unsealed = 0;
  let unsealedSince: string | null = null;
  let bad: BadRow | null = null;
  let after: number | null = null;
  for (let walked = PART; walked === PART;) {
    const part: TrailPart = await session.only(walkTrail, { after, most: PART });
    ({ walked, id: after } = part);
    bad ??= part.bad;
    unsealed += part.unsealed;
    unsealedSince ??= part.since && toIso(part.since);
  }
  return { bad, end: { unsealed, unsealedSince } };
}

function reasonOf({ fault, seq, event_id: id, action }: BadRow): string {
  if (fault === 'gap') return `seq ${seq}: the seals before it are gone`;
  if (fault === 'missing') return `seq ${seq}: its event ${id} is gone`;
  if (fault === 'changed') return `seq ${seq}: event ${id}, ${action}, is not what was sealed, or the seal was changed`;
  return `event ${id}, ${action}: is not sealed, though all of its time are: it was put in later, or its seal removed`;
}

const firstBad = ({ seq, event_id: eventId, unique_id: uniqueId, action }: BadRow) => ({
  seq,
  eventId,
  uniqueId,
  action,
});
