import { useQuery } from '@tanstack/react-query';
import { Skeleton } from '@mantine/core';
import { client, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { ErrorMessage } from '../error-message.tsx';
import { CommentForm } from './comment-form.tsx';
import { mentionIds, useDraft } from './draft.ts';
import type { Comment } from './comments.ts';
import { reloadTimeline } from './parent.ts';
import type { Parent } from './parent.ts';

interface EditCommentProps {
  comment: Comment;
  parent: Parent;
  framework: number | undefined;
  onClose: () => void;
}

/** The form of a comment that its author changes. It begins with the newest state. */
export function EditComment({ comment: { uniqueId }, ...props }: EditCommentProps) {
  const { data, error, refetch } = useQuery({
    ...trpc.comment.get.queryOptions({ comment: uniqueId }),
    gcTime: 0,
    staleTime: Infinity,
  });
  if (error !== null)
    return <ErrorMessage title="The comment could not be loaded" error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <Skeleton h={72} /> : <LoadedForm saved={data} {...props} />;
}

interface LoadedFormProps extends Omit<EditCommentProps, 'comment'> {
  saved: Outputs['comment']['get'];
}

function LoadedForm({ saved, parent, framework, onClose }: LoadedFormProps) {
  const { uniqueId, text, mentions, etag } = saved;
  const state = useDraft(uniqueId, { text, mentions });
  const { draft, remove } = state;
  const save = async () => {
    await client.comment.update.mutate({
      comment: uniqueId,
      text: draft.text,
      mentions: mentionIds(draft, saved),
      ifMatch: etag,
    });
    remove();
    await reloadTimeline(parent);
    onClose();
  };
  return (
    <CommentForm
      state={state}
      framework={framework}
      action="Save"
      onSend={save}
      onCancel={() => {
        remove();
        onClose();
      }}
      focusKey={0}
    />
  );
}
