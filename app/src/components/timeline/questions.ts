import { client, queryClient, trpc } from '../../api/client.ts';
import { errorDetails } from '../../api/errors.ts';
import { messageText } from '../error-text.ts';
import { fail } from '../undo/undo.ts';
import { useSession } from '../use-session.ts';

/** Loads the lists and the number of questions again. */
export const reloadQuestions = (): Promise<unknown> =>
  Promise.all([
    queryClient.invalidateQueries(trpc.comment.listAll.pathFilter()),
    queryClient.invalidateQueries(trpc.overview.questions.pathFilter()),
  ]);

/** True for who may resolve a question and reopen it: its author, auditors and admins. */
export function useMayResolve(author: { uniqueId: string }): boolean {
  const { member, isAdmin, role } = useSession();
  return isAdmin || role === 'auditor' || author.uniqueId === member;
}

/** Resolves a question, or reopens it. @param reload loads again what shows it */
export async function setResolved(comment: string, isResolved: boolean, reload: () => Promise<unknown>): Promise<void> {
  try {
    await client.comment[isResolved ? 'resolve' : 'reopen'].mutate({ comment });
  } catch (error) {
    fail({
      title: `The question could not be ${isResolved ? 'resolved' : 'reopened'}`,
      reasons: [messageText(errorDetails(error).message)],
    });
  }
  await Promise.all([reload(), reloadQuestions()]);
}
