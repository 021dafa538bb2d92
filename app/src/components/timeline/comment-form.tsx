import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { LazyEditor } from '../editor/lazy-editor.tsx';
import { ErrorMessage } from '../error-message.tsx';
import { maySee, useMembers } from '../person/use-members.ts';
import type { DraftState } from './draft.ts';

interface CommentFormProps {
  state: DraftState;
  /** Framework whose members can be mentioned; missing for all members. */
  framework: number | undefined;
  /** Text of the button that sends. */
  action: string;
  /** Sends the text. A failure keeps it. */
  onSend: () => Promise<void>;
  onCancel?: () => void;
  focusKey?: number | undefined;
}

/** The text of a comment with its buttons. Ctrl+Enter sends it. */
export function CommentForm({ state, framework, action, onSend, onCancel, focusKey }: CommentFormProps) {
  const [isSending, setIsSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const { members, me } = useMembers();
  const people = members.filter((member) => maySee(member, framework) && member !== me);
  const { draft, change, addMention } = state;
  const isEmpty = draft.text.trim() === '';
  const send = async () => {
    if (isEmpty || isSending) return;
    setIsSending(true);
    setError(undefined);
    try {
      await onSend();
    } catch (failure) {
      setError(failure);
    } finally {
      setIsSending(false);
    }
  };
  return (
    <div
      className="comment-form screen-only"
      onKeyDownCapture={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        event.stopPropagation();
        void send();
      }}
    >
      <LazyEditor
        label="Comment"
        placeholder="Write a comment. @ mentions a member."
        value={draft.text}
        onChange={(text) => change({ text })}
        onLeave={() => undefined}
        mention={{
          people,
          onMention: ({ uniqueId, name }) => addMention({ uniqueId, name }),
        }}
        focusKey={focusKey}
      />
      {error !== undefined && <ErrorMessage title="The comment was not sent" error={error} />}
      <Group gap="xs" className="comment-buttons">
        <Button disabled={isEmpty} loading={isSending} onClick={() => void send()}>
          {action}
        </Button>
        {onCancel !== undefined && (
          <Button variant="default" disabled={isSending} onClick={onCancel}>
            Cancel
          </Button>
        )}
        <Text size="xs" c="dimmed" visibleFrom="xs">
          Ctrl+Enter sends
        </Text>
      </Group>
    </div>
  );
}
