import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { countLockedTasks } from '../../entities/task/locking.ts';

/** @throws ApiError 409 for a vendor or a requirement that closed and locked tasks reference, because its deletion would change them */
export async function requireNoLockedTasks(
  session: Session,
  type: 'vendor' | 'requirement',
  uniqueId: string,
): Promise<void> {
  const { total } = await session.one(countLockedTasks, { uniqueId });
  if (total > 0)
    throw new ApiError(
      'conflict',
      `${type}: ${total} closed and locked tasks are linked to it; an admin can reopen them by changing only their status`,
    );
}
