import { useState } from 'react';
import { reloadWatching } from '../inbox/watch-button.tsx';
import { CommentForm } from './comment-form.tsx';
import { useDraft } from './draft.ts';
import { idOf, reloadTimeline } from './parent.ts';
import type { Parent } from './parent.ts';
import { isUncertain, newRequestId, sendComment } from './send.ts';

interface NewCommentProps {
  parent: Parent;
  framework: number | undefined;
}

/** The form of a new comment, with the draft of the person. */
export function NewComment({ parent, framework }: NewCommentProps) {
  const state = useDraft(idOf(parent));
  const { draft, change, end } = state;
  /** Number of comments that were sent. The text takes the focus after each. */
  const [sent, setSent] = useState<number>();
  const send = async () => {
    const isRepeated = draft.requestId !== undefined;
    const requestId = draft.requestId ?? newRequestId();
    change({ requestId });
    try {
      await sendComment(parent, { ...draft, requestId }, isRepeated);
    } catch (error) {
      if (!isUncertain(error)) change({ requestId: undefined });
      throw error;
    }
    end(draft.text);
    setSent((sent ?? 0) + 1);
    await Promise.all([reloadTimeline(parent), reloadWatching(parent)]);
  };
  return <CommentForm state={state} framework={framework} action="Comment" onSend={send} focusKey={sent} />;
}
