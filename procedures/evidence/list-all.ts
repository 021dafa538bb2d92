import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { evidenceStatements, pageAllEvidence } from '../../entities/evidence/statements.ts';
import { LAST_ID } from '../../entities/ids.ts';
import { readPage } from '../schemas/cursor.ts';
import { expiringBefore } from '../parent/expiring.ts';
import type { AllEvidenceQuery } from './schemas.ts';

/** A page of the evidence of the company that the principal reaches. */
export async function listAllEvidence(
  session: Session,
  { expiring = false, ...request }: z.infer<typeof AllEvidenceQuery>,
) {
  const expiresBefore = expiring ? await expiringBefore(session) : null;
  const { rows, nextCursor } = await readPage(session, {
    list: ['evidence.list-all', { expiring }],
    request,
    fetch: ([beforeId = LAST_ID], limit) => session.run(pageAllEvidence, { beforeId, expiresBefore, limit }),
    positionOf: ({ uniqueId }) => [uniqueId],
  });
  return { items: rows.map(evidenceStatements.toRecord), nextCursor };
}
