import { client, sentWithId } from '../../api/client.ts';
import { errorDetails } from '../../api/errors.ts';
import { mentionIds } from './draft.ts';
import type { Draft } from './draft.ts';
import { idOf } from './parent.ts';
import type { Parent } from './parent.ts';

const ID_BYTES = 16;

/** A new X-Request-Id. `crypto.randomUUID` exists on pages of HTTPS only. */
export const newRequestId = (): string => crypto.getRandomValues(new Uint8Array(ID_BYTES)).join('.');

/** What a new comment is. */
export interface NewComment {
  kind?: 'question';
  /** uniqueId of a question. */
  replyTo?: string;
}

/**
 * Sends a new comment once. An attempt without a response may have succeeded: the audit log then has its X-Request-Id, and the
 * comment gets the text that the person has now.
 */
export async function sendComment(
  parent: Parent,
  draft: Draft & { requestId: string },
  isRepeated: boolean,
  sort: NewComment,
) {
  const input = { text: draft.text, mentions: mentionIds(draft) };
  const sent = isRepeated ? await findComment(parent, draft.requestId) : undefined;
  if (sent === undefined)
    await client.comment.create.mutate({ ...parent, ...sort, ...input }, sentWithId(draft.requestId));
  else await client.comment.update.mutate({ comment: sent, ...input });
}

/** True for an attempt that may have succeeded. */
export const isUncertain = (error: unknown): boolean => {
  const { status } = errorDetails(error);
  return status === undefined || status >= 500;
};

/** uniqueId of the comment that a request created. */
async function findComment(parent: Parent, requestId: string): Promise<string | undefined> {
  const { items } = await client.audit.list.query({ parent: idOf(parent), action: 'comment.create' });
  return items.find((event) => event.requestId === requestId)?.resource.uniqueId;
}
