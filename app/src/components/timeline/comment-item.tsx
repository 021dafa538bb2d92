import { ActionIcon, Button, Menu, Skeleton } from '@mantine/core';
import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useCallback, useState } from 'react';
import { client, sentOnLeave, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { timeText } from '../../dates.ts';
import { SafeHtml } from '../editor/safe-html.tsx';
import { ErrorMessage } from '../error-message.tsx';
import { Initials } from '../person/person.tsx';
import type { HistoryEvent } from '../record/events/words.ts';
import { StatusDot } from '../status-dot.tsx';
import { Time } from '../time.tsx';
import { delay } from '../undo/undo.ts';
import { useSession } from '../use-session.ts';
import { CommentForm } from './comment-form.tsx';
import { commentOf, repliesTo } from './comments.ts';
import type { Comment } from './comments.ts';
import { mentionIds, useDraft } from './draft.ts';
import { Reply } from './new-comment.tsx';
import { reloadTimeline } from './parent.ts';
import type { Parent } from './parent.ts';
import { reloadQuestions, setResolved, useMayResolve } from './questions.ts';

interface EditCommentProps {
  comment: Comment;
  parent: Parent;
  framework: number | undefined;
  onClose: () => void;
}

/** The form of a comment that its author changes. It begins with the newest state. */
function EditComment({ comment: { uniqueId }, ...props }: EditCommentProps) {
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

interface CommentActionsProps {
  label: string;
  /** Missing if the person may not edit the comment. */
  onEdit: (() => void) | undefined;
  onDelete: () => void;
}

/** The menu of a comment. */
const CommentActions = ({ label, onEdit, onDelete }: CommentActionsProps) => (
  <Menu position="bottom-end" withinPortal>
    <Menu.Target>
      <ActionIcon variant="subtle" color="gray" className="screen-only" aria-label={label}>
        <IconDots size={16} aria-hidden />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      {onEdit !== undefined && <Menu.Item onClick={onEdit}>Edit</Menu.Item>}
      <Menu.Item c="var(--mantine-color-error)" onClick={onDelete}>
        Delete
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
);

/** The text of a comment. The names of the members whom it mentions stand out. */
function CommentText({ comment: { text, mentions } }: { comment: Pick<Comment, 'text' | 'mentions'> }) {
  const names = mentions.map(({ name }) => `@${name}`).join('\n');
  const renderText = useCallback((part: string) => withMentions(part, names === '' ? [] : names.split('\n')), [names]);
  return <SafeHtml html={text} renderText={renderText} />;
}

function withMentions(text: string, [name, ...others]: readonly string[]) {
  if (name === undefined) return text;
  return text.split(name).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <span className="mention">{name}</span>}
      {withMentions(part, others)}
    </Fragment>
  ));
}

interface QuestionProps {
  comment: Comment;
  parent: Parent;
  framework: number | undefined;
  readOnly: boolean;
}

/** The state of a question, and the buttons to reply to it and to resolve it. */
function Question({ comment, parent, framework, readOnly }: QuestionProps) {
  const { uniqueId, author, createdAt, resolved } = comment;
  const mayResolve = useMayResolve(author);
  const [isReplying, setIsReplying] = useState(false);
  const [isSaving, setIsSaving] = useState(false);
  const isResolved = resolved !== undefined;
  const which = `the question of ${author.name}, ${timeText(createdAt)}`;
  const change = async () => {
    setIsSaving(true);
    await setResolved(uniqueId, !isResolved, () => reloadTimeline(parent));
    setIsSaving(false);
  };
  return (
    <div className="question-bar">
      <StatusDot status={isResolved ? 'resolved' : 'open'} label={isResolved ? 'Resolved' : 'Open question'} />
      {isResolved && (
        <span className="timeline-time">
          by {resolved.by}, <Time value={resolved.at} isExact />
        </span>
      )}
      {!readOnly && !isReplying && (
        <Button
          variant="default"
          size="compact-xs"
          className="screen-only"
          aria-label={`Reply to ${which}`}
          onClick={() => setIsReplying(true)}
        >
          Reply
        </Button>
      )}
      {!readOnly && mayResolve && (
        <Button
          variant="default"
          size="compact-xs"
          className="screen-only"
          aria-label={`${isResolved ? 'Reopen' : 'Resolve'} ${which}`}
          disabled={isSaving}
          onClick={() => void change()}
        >
          {isResolved ? 'Reopen' : 'Resolve'}
        </Button>
      )}
      {isReplying && (
        <Reply parent={parent} framework={framework} question={uniqueId} onClose={() => setIsReplying(false)} />
      )}
    </div>
  );
}

interface CommentItemProps {
  /** The event of its creation. */
  created: HistoryEvent;
  /** Those that are loaded, newest first. */
  events: readonly HistoryEvent[];
  parent: Parent;
  framework: number | undefined;
  readOnly: boolean;
  /** True for a comment that nobody changes. */
  isLocked: boolean;
}

/**
 * A comment in the timeline. Its author edits it where it is; its author and admins delete it. A question has its state, and its
 * replies below it.
 */
export function CommentItem({ created, events, ...place }: CommentItemProps) {
  const { parent, framework, readOnly, isLocked } = place;
  const comment = commentOf(created, events);
  const { uniqueId, author, createdAt, isEdited, isQuestion } = comment;
  const { member, isAdmin } = useSession();
  const [isEditing, setIsEditing] = useState(false);
  const isOwn = author.uniqueId === member;
  const replies = repliesTo(uniqueId, events);
  const noun = isQuestion ? 'question' : 'comment';
  const remove = () =>
    delay({
      key: uniqueId,
      text: `The ${noun} was deleted.`,
      failure: `The ${noun} could not be deleted`,
      send: async () => {
        await client.comment.delete.mutate({ comment: uniqueId }, sentOnLeave);
        await Promise.all([reloadTimeline(parent), reloadQuestions()]);
      },
    });
  return (
    <>
      <div className="comment-top">
        <Initials name={author.name} />
        <span className="comment-author">
          <b dir="auto">{author.name}</b>
          {isQuestion && ' asked'}{' '}
          <span className="timeline-time">
            <Time value={createdAt} isExact />
            {isEdited && ', edited'}
          </span>
        </span>
        {!readOnly && !isLocked && !isEditing && (isOwn || isAdmin) && (
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
      {replies.length > 0 && (
        <ul className="replies" aria-label="Replies">
          {replies.map((reply) => (
            <li key={reply.uniqueId} className="timeline-comment">
              <CommentItem created={reply} events={events} {...place} />
            </li>
          ))}
        </ul>
      )}
      {isQuestion && <Question comment={comment} parent={parent} framework={framework} readOnly={readOnly} />}
    </>
  );
}
