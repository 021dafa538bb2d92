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
  /** Name of the field: "Comment" */
  label?: string;
  placeholder?: string;
  /** Text of the button that sends. */
  action: string;
  /** Sends the text. A failure keeps it. */
  onSend: () => Promise<void>;
  /** Another button that sends it. */
  other?: { action: string; onSend: () => Promise<void> };
  onCancel?: () => void;
  focusKey?: number | undefined;
}

/** The text of a comment with its buttons. Ctrl+Enter sends it. */
export function CommentForm(props: CommentFormProps) {
  const { label = 'Comment', placeholder = 'Write a comment. @ mentions a member.' } = props;
  const { state, framework, action, onSend, other, onCancel, focusKey } = props;
  /** The button whose request runs. */
  const [sending, setSending] = useState<string>();
  const [error, setError] = useState<unknown>();
  const { members, me } = useMembers();
  const people = members.filter((member) => maySee(member, framework) && member !== me);
  const { draft, change, addMention } = state;
  const isEmpty = draft.text.trim() === '';
  const isSending = sending !== undefined;
  const send = async (button = action, run = onSend) => {
    if (isEmpty || isSending) return;
    setSending(button);
    setError(undefined);
    try {
      await run();
    } catch (failure) {
      setError(failure);
    } finally {
      setSending(undefined);
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
        label={label}
        placeholder={placeholder}
        value={draft.text}
        onChange={(text) => change({ text })}
        onLeave={() => undefined}
        mention={{
          people,
          onMention: ({ uniqueId, name }) => addMention({ uniqueId, name }),
        }}
        focusKey={focusKey}
      />
      {error !== undefined && <ErrorMessage title={`The ${label.toLowerCase()} was not sent`} error={error} />}
      <Group gap="xs" className="comment-buttons">
        <Button disabled={isEmpty || isSending} loading={sending === action} onClick={() => void send()}>
          {action}
        </Button>
        {other !== undefined && (
          <Button
            variant="default"
            disabled={isEmpty || isSending}
            loading={sending === other.action}
            onClick={() => void send(other.action, other.onSend)}
          >
            {other.action}
          </Button>
        )}
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
