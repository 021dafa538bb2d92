import { useState } from 'react';
import { reloadWatching } from '../inbox/watch-button.tsx';
import { CommentForm } from './comment-form.tsx';
import { useDraft } from './draft.ts';
import { idOf, reloadTimeline } from './parent.ts';
import type { Parent } from './parent.ts';
import { reloadQuestions } from './questions.ts';
import { isUncertain, newRequestId, sendComment } from './send.ts';
import type { NewComment as Sort } from './send.ts';

/** The draft of a new comment, and how it is sent. @param key what the person writes about */
function useNewComment(parent: Parent, key: string) {
  const state = useDraft(key);
  const { draft, change, end } = state;
  const send = async (sort: Sort) => {
    const isRepeated = draft.requestId !== undefined;
    const requestId = draft.requestId ?? newRequestId();
    change({ requestId });
    try {
      await sendComment(parent, { ...draft, requestId }, isRepeated, sort);
    } catch (error) {
      if (!isUncertain(error)) change({ requestId: undefined });
      throw error;
    }
    end(draft.text);
    await Promise.all([reloadTimeline(parent), reloadWatching(parent), reloadQuestions()]);
  };
  return { state, send };
}

interface NewCommentProps {
  parent: Parent;
  framework: number | undefined;
}

/** The form of a new comment or question, with the draft of the person. */
export function NewComment({ parent, framework }: NewCommentProps) {
  const { state, send } = useNewComment(parent, idOf(parent));
  /** Number of comments that were sent. The text takes the focus after each. */
  const [sent, setSent] = useState<number>();
  const sendAs = async (sort: Sort) => {
    await send(sort);
    setSent((sent ?? 0) + 1);
  };
  return (
    <CommentForm
      state={state}
      framework={framework}
      action="Comment"
      onSend={() => sendAs({})}
      other={{ action: 'Ask a question', onSend: () => sendAs({ kind: 'question' }) }}
      focusKey={sent}
    />
  );
}

interface ReplyProps extends NewCommentProps {
  /** uniqueId of a question. */
  question: string;
  onClose: () => void;
}

/** The form of a reply to a question, below it. */
export function Reply({ parent, framework, question, onClose }: ReplyProps) {
  const { state, send } = useNewComment(parent, question);
  return (
    <CommentForm
      state={state}
      framework={framework}
      label="Reply"
      placeholder="Write a reply. @ mentions a member."
      action="Send reply"
      onSend={async () => {
        await send({ replyTo: question });
        onClose();
      }}
      onCancel={onClose}
      focusKey={0}
    />
  );
}
