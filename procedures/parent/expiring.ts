import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { EXPIRING_DAYS, MAX_EVIDENCE } from '../../entities/evidence/evidence.ts';
import type { EvidenceFilter, evidenceFilters } from '../../entities/evidence/expiring.ts';
import { integerOutput } from '../../entities/fields/schemas.ts';
import { addDays, todayOf } from '../task/due.ts';

/** First day that evidence must reach not to be expiring: it is valid for these days from today in the time zone of the company. */
export const expiringBefore = async (session: Session): Promise<string> =>
  addDays(await todayOf(session), EXPIRING_DAYS);

/** The parameters of the filter by evidence. */
export async function toEvidenceFilter(
  session: Session,
  evidence: z.output<typeof evidenceFilters.evidence.schema> | undefined,
): Promise<EvidenceFilter> {
  const expiresBefore = evidence === 'expiring' ? await expiringBefore(session) : null;
  return { hasEvidence: evidence === undefined ? null : evidence !== 'none', expiresBefore };
}

/** The number of pieces of evidence of a task or a vendor. */
export const evidenceCountOutput = {
  evidenceCount: integerOutput(0, MAX_EVIDENCE, 'Pieces of evidence now; null with `asOf`').nullable(),
};
