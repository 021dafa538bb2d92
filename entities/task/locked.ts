import { ApiError } from '../api-error.ts';

/** SQLSTATE of the trigger `require_unlocked`. */
export const LOCKED_SQLSTATE = 'LK001';

/** Error 409 for a change of a closed task, or of its comments and evidence, in a company that locks them. */
export const lockedError = () =>
  new ApiError('conflict', 'task: is closed and locked; an admin can reopen it by changing only its status');
