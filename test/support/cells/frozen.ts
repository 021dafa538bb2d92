import { Session } from '../../../database/session.ts';
import { setFrozen } from '../../../entities/company/freezing.ts';
import { database } from '../database/database.ts';

/** Freezes or unfreezes a company without the command, which needs PostgreSQL, and without waiting for writes under way. */
export async function setCompanyFrozen({ id }: { id: number }, frozen: boolean): Promise<void> {
  await new Session(database, null, 'freeze').asOperator(id).run(setFrozen, { frozen });
  database.apiKeyCache.invalidate();
}
