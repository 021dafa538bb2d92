import { Session } from '../../../database/session.ts';
import { SEAL_BATCH_SIZE, sealAuditLog } from '../../../entities/audit/seal-statements.ts';
import { fanOutItems, findInboxCompanies } from '../../../entities/inbox/fan-out.ts';
import { database } from '../database/database.ts';

/** Seals the events of a company and adds their items to the inboxes, as the jobs of a server do. */
export async function fanOut({ id }: { id: number }): Promise<void> {
  const all = new Session(database, null, 'test');
  const session = all.asOperator(id);
  for (let sealed = SEAL_BATCH_SIZE; sealed === SEAL_BATCH_SIZE;) ({ sealed } = await session.one(sealAuditLog, {}));
  await all.run(findInboxCompanies, {});
  for (let moved = true; moved;) ({ moved } = await session.one(fanOutItems, { hasMail: false }));
}
