import { noInput } from '../../entities/fields/schemas.ts';
import { toIsoOrNull } from '../../entities/statements/change-metadata.ts';
import { findNotifications, updateNotifications } from '../../entities/person/notifications.ts';
import { accountProcedure, router } from '../core/trpc.ts';
import { NotificationChanges, NotificationsOutput } from './schemas.ts';

/** Mails that a person gets, for all companies. Contract, section 18. */
export const notifications = router({
  get: accountProcedure
    .meta({ description: 'Show what comes by mail' })
    .input(noInput)
    .output(NotificationsOutput)
    .query(async ({ ctx: { session, webSession } }) => {
      const { refusedAt, ...kinds } = await session.one(findNotifications, { person: webSession.person });
      return { ...kinds, refusedAt: toIsoOrNull(refusedAt) };
    }),

  update: accountProcedure
    .meta({
      description: 'Change what comes by mail; a mailbox that rejected mails is tried again',
      worksWhileFrozen: true,
    })
    .input(NotificationChanges)
    .output(NotificationsOutput)
    .mutation(async ({ ctx: { session, webSession }, input }) => {
      const { assigned = null, mentioned = null, commented = null, summary = null } = input;
      const changes = { person: webSession.person, assigned, mentioned, commented, summary };
      const { refusedAt, ...kinds } = await session.one(updateNotifications, changes);
      return { ...kinds, refusedAt: toIsoOrNull(refusedAt) };
    }),
});
