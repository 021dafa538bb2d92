import { useState } from 'react';
import { client, sentOnLeave } from '../../api/client.ts';
import { timeText } from '../../dates.ts';
import { Initials } from '../person/person.tsx';
import { Time } from '../time.tsx';
import { delay } from '../undo/undo.ts';
import { useSession } from '../use-session.ts';
import { CommentActions } from './comment-actions.tsx';
import { CommentText } from './comment-text.tsx';
import type { Comment } from './comments.ts';
import { EditComment } from './edit-comment.tsx';
import { reloadTimeline } from './parent.ts';
import type { Parent } from './parent.ts';

interface CommentItemProps {
  comment: Comment;
  parent: Parent;
  framework: number | undefined;
  readOnly: boolean;
}

/** A comment in the timeline. Its author edits it where it is; its author and admins delete it. */
export function CommentItem({ comment, parent, framework, readOnly }: CommentItemProps) {
  const { uniqueId, author, createdAt, isEdited } = comment;
  const { member, isAdmin } = useSession();
  const [isEditing, setIsEditing] = useState(false);
  const isOwn = author.uniqueId === member;
  const remove = () =>
    delay({
      key: uniqueId,
      text: 'The comment was deleted.',
      failure: 'The comment could not be deleted',
      send: async () => {
        await client.comment.delete.mutate({ comment: uniqueId }, sentOnLeave);
        await reloadTimeline(parent);
      },
    });
  return (
    <>
      <div className="comment-top">
        <Initials name={author.name} />
        <span className="comment-author">
          <b>{author.name}</b>{' '}
          <span className="timeline-time">
            <Time value={createdAt} isExact />
            {isEdited && ', edited'}
          </span>
        </span>
        {!readOnly && !isEditing && (isOwn || isAdmin) && (
          <CommentActions
            label={`Actions for what ${author.name} wrote on ${timeText(createdAt)}`}
            onEdit={isOwn ? () => setIsEditing(true) : undefined}
            onDelete={remove}
          />
        )}
      </div>
      {isEditing ? (
        <EditComment comment={comment} parent={parent} framework={framework} onClose={() => setIsEditing(false)} />
      ) : (
        <CommentText comment={comment} />
      )}
    </>
  );
}
