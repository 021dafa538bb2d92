import type { Session } from '../../database/session.ts';
import { EXPIRING_DAYS, MAX_EVIDENCE } from '../../entities/evidence/evidence.ts';
import type { EvidenceFilter } from '../../entities/evidence/expiring.ts';
import { enumInput, forModels, integerOutput } from '../../entities/fields/schemas.ts';
import { addDays, todayOf } from '../task/due.ts';

/** First day that evidence must reach not to be expiring: it is valid for these days from today in the time zone of the company. */
export const expiringBefore = async (session: Session): Promise<string> =>
  addDays(await todayOf(session), EXPIRING_DAYS);

const EVIDENCE_FILTERS = ['none', 'some', 'expiring'] as const;

/** Filter of a list of tasks or vendors by their evidence. Contract, section 19. */
export const evidenceFilterInput = {
  evidence: enumInput(EVIDENCE_FILTERS)
    .meta({
      description:
        `\`none\`: without evidence; \`some\`: with evidence; \`expiring\`: all of it is valid for less than ${EXPIRING_DAYS} days, or no longer. ` +
        'Today is that of the time zone of the company.',
      examples: ['expiring'],
    })
    .register(forModels, { description: undefined })
    .optional(),
};

/** The filter of a statement. */
export async function toEvidenceFilter(
  session: Session,
  evidence: (typeof EVIDENCE_FILTERS)[number] | undefined,
): Promise<EvidenceFilter> {
  const expiresBefore = evidence === 'expiring' ? await expiringBefore(session) : null;
  return { hasEvidence: evidence === undefined ? null : evidence !== 'none', expiresBefore };
}

/** The number of pieces of evidence of a task or a vendor. */
export const evidenceCountOutput = {
  evidenceCount: integerOutput(0, MAX_EVIDENCE, 'Pieces of evidence now; null with `asOf`').nullable(),
};
