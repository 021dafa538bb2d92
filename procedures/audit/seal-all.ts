import { setTimeout as wait } from 'node:timers/promises';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { SEAL_BATCH_SIZE, sealAuditLog } from '../../entities/audit/seal-statements.ts';
import { hasUnsealedEvents } from '../../entities/company/closing.ts';

/** Milliseconds for which the last events may wait for their seals: another process may be sealing them. */
const SEAL_WAIT_MS = 5000;
const SEAL_POLL_MS = 50;

/** Seals every event of the company that is committed. @throws ApiError 503 if events stay unsealed */
export async function sealAll(session: Session): Promise<void> {
  for (const end = performance.now() + SEAL_WAIT_MS; ;) {
    const { sealed } = await session.one(sealAuditLog, {});
    if (sealed === SEAL_BATCH_SIZE) continue;
    if (!(await session.one(hasUnsealedEvents, {})).unsealed) return;
    if (performance.now() > end)
      throw new ApiError('unavailable', 'The audit log is not sealed yet. Try again shortly.');
    await wait(SEAL_POLL_MS);
  }
}
