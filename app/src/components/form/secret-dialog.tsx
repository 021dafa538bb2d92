import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from '../copy-button.tsx';

interface SecretDialogProps {
  /** "API key created" */
  title: string;
  /** Name of the secret, for the button: "Copy key". */
  label: string;
  /** The secret; undefined while the dialog is closed. */
  secret: string | undefined;
  /** Further facts, for example the end of validity. */
  children?: ReactNode;
  /** Command that uses the secret. */
  curl?: string | undefined;
  onClose: () => void;
}

/** Shows a secret once. Only its button closes it. */
export function SecretDialog({ title, label, secret, curl, onClose, children }: SecretDialogProps) {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={onClose}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Text size="sm">Copy it now. It is shown only this once.</Text>
        <Secret text={secret ?? ''} label={`Copy ${label}`} />
        {children}
        {curl !== undefined && (
          <>
            <Text size="sm">Try it:</Text>
            <Secret text={curl} label="Copy command" />
          </>
        )}
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

const Secret = ({ text, label }: { text: string; label: string }) => (
  <Group gap="xs" wrap="nowrap" align="flex-start" className="secret">
    <code className="mono">{text}</code>
    <CopyButton value={text} label={label} />
  </Group>
);
