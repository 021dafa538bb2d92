import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { EXPIRING_DAYS } from '../../entities/evidence/evidence.ts';
import { evidenceStatements, pageAllEvidence } from '../../entities/evidence/statements.ts';
import { LAST_ID } from '../../entities/ids.ts';
import { readPage } from '../schemas/cursor.ts';
import { addDays, todayOf } from '../task/due.ts';
import type { AllEvidenceQuery } from './schemas.ts';

/** Date before which expiring evidence ends. */
export const expiresBefore = (today: string) => addDays(today, EXPIRING_DAYS);

/** A page of the evidence of the company that the principal reaches. */
export async function listAllEvidence(
  session: Session,
  { expiring = false, ...request }: z.infer<typeof AllEvidenceQuery>,
) {
  const before = expiring ? expiresBefore(await todayOf(session)) : null;
  const { rows, nextCursor } = await readPage(session, {
    list: ['evidence.list-all', { expiring }],
    request,
    fetch: ([beforeId = LAST_ID], limit) => session.run(pageAllEvidence, { beforeId, expiresBefore: before, limit }),
    positionOf: ({ uniqueId }) => [uniqueId],
  });
  return { items: rows.map(evidenceStatements.toRecord), nextCursor };
}
