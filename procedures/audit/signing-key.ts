import type { AnySession } from '../core/context.ts';
import { recordSigningKey } from '../../entities/signing-key/signing-key.ts';
import type { SigningKeys } from '../core/signing.ts';
import type { IntervalJob } from '../jobs/job.ts';

/** Records the public key of this process, so that its signatures can be checked also after a rotation. */
export async function recordCurrentKey(session: AnySession, signing: SigningKeys | undefined): Promise<void> {
  if (signing !== undefined) await session.run(recordSigningKey, signing.current);
}

/** Records the key again, because a failover or a restore may have lost it, and a read-only database does not take it. */
export const recordingKey: IntervalJob = {
  kind: 'interval',
  name: 'record-signing-key',
  needs: 'signing',
  failure: 'signing key: recording failed',
  intervalMs: 60_000,
  startsIdle: true,
  run: (session, { signing }) => recordCurrentKey(session, signing),
};
