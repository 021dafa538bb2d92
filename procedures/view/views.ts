import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError, found } from '../../entities/api-error.ts';
import { isUniqueId, newUniqueId } from '../../entities/ids.ts';
import { isAdmin } from '../../entities/principal.ts';
import {
  deleteView,
  insertView,
  lockView,
  lockViews,
  toViewRecord,
  updateView,
} from '../../entities/view/statements.ts';
import { VIEW_LIMITS } from '../../entities/view/view.ts';
import type { NewView, ViewChanges } from './schemas.ts';

/** Creates a view of the member. @throws ApiError 422 above the limit */
export async function createView(session: Session, view: z.infer<typeof NewView>) {
  const row = await session.transaction(async (inside) => {
    await inside.run(lockViews, {});
    return inside.first(insertView, { ...view, uniqueId: newUniqueId() });
  });
  if (row === undefined)
    throw new ApiError('unprocessable', `views: a member has at most ${VIEW_LIMITS.perMember} views`);
  return toViewRecord(row);
}

/** Changes a view. @throws ApiError 404, 403 */
export const changeView = (session: Session, { uniqueId, name, page, query, shared }: z.infer<typeof ViewChanges>) =>
  session.transaction(async (inside) => {
    const before = await lock(inside, uniqueId);
    const changes = { name: name ?? null, page: page ?? null, query: query ?? null, shared: shared ?? null };
    return toViewRecord((await inside.first(updateView, { uniqueId, ...changes })) ?? before);
  });

/** Deletes a view. @throws ApiError 404, 403 */
export const removeView = (session: Session, uniqueId: string): Promise<void> =>
  session.transaction(async (inside) => {
    await lock(inside, uniqueId);
    await inside.run(deleteView, { uniqueId });
  });

/** Locks a view that the member may change. @throws ApiError 404 also for a private view of another member, 403 */
async function lock(inside: Session, uniqueId: string) {
  const view = found(isUniqueId(uniqueId) ? await inside.first(lockView, { uniqueId }) : undefined, 'view');
  const { principal } = inside;
  if (view.owner_id !== principal.user.uniqueId && !isAdmin(principal))
    throw new ApiError('forbidden', 'view: only its owner or an admin may change it');
  return view;
}
