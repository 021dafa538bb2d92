import { findEndingMembers } from '../../entities/member/management.ts';
import { unlessFrozen } from '../core/frozen.ts';
import type { IntervalJob } from '../jobs/job.ts';
import { isOver, todayIn } from '../schemas/time-zone.ts';
import { endMember } from './access.ts';

/**
 * Ends memberships whose last day is over, as the operator. Their access has ended with the day already. A member who gets another last
 * day meanwhile stays. Contract, section 28.
 */
export const endingMemberships: IntervalJob = {
  kind: 'interval',
  name: 'end-memberships',
  failure: 'members: ending memberships failed',
  intervalMs: 20_000,
  async run(session, { signal, warn, now = () => new Date() }) {
    // No time zone is a day behind UTC and a day ahead of it at once: a day that is over anywhere is today or earlier in UTC.
    for (const { company, uniqueId, endsAt, timeZone } of await session.run(findEndingMembers, {
      day: todayIn('UTC', now()),
    })) {
      if (signal.aborted) return;
      if (!isOver(endsAt, timeZone, now())) continue;
      const work = endMember(session.asOperator(company), uniqueId, (member) =>
        isOver(member.ends_at, timeZone, now()),
      );
      // oxlint-disable-next-line no-await-in-loop -- one after the other, so that requests get connections in between
      await unlessFrozen(work).catch((error: unknown) => warn(error, 'members: ending a membership failed'));
    }
  },
};
