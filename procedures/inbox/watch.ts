import { found } from '../../entities/api-error.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { findWatching, setWatching } from '../../entities/inbox/watching.ts';
import { accountProcedure, router } from '../core/trpc.ts';
import { parentFields, readParent } from '../parent/parent.ts';
import { WatchInput, WatchOutput, WatchQuery } from './schemas.ts';

/** Tasks and vendors that a member watches. Contract, section 18. */
export const watch = router({
  get: accountProcedure
    .meta({ description: 'Show if you watch a task or a vendor' })
    .input(WatchQuery)
    .output(WatchOutput)
    .query(async ({ ctx: { session }, input }) => {
      await readParent(session, input);
      return session.one(findWatching, parentFields(input));
    }),

  set: accountProcedure
    .meta({ description: 'Watch a task or a vendor, or stop watching it' })
    .input(WatchInput)
    .output(WatchOutput)
    .mutation(async ({ ctx: { session }, input }) => {
      await readParent(session, input);
      const { watching } = input;
      const row = await session.first(setWatching, { ...parentFields(input), uniqueId: newUniqueId(), watching });
      return found(row, input.taskUniqueId === undefined ? 'vendor' : 'task');
    }),
});
