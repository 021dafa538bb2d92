import { Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorMessage } from '../error-message.tsx';

interface ConfirmDialogProps {
  /** Question: "Delete this vendor?" */
  title: string;
  /** Text of the button, which repeats the action: "Delete". */
  action: string;
  /** Colour of the button, for an action that takes nothing away. */
  color?: string;
  opened: boolean;
  onClose: () => void;
  /** Runs the action. The dialog closes if it succeeds. */
  onConfirm: () => Promise<unknown>;
  /** Consequences. */
  children: ReactNode;
}

/** A dialog that confirms an action. Escape closes it, Enter confirms. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, action, color = 'red.9', opened, onClose, onConfirm, children } = props;
  const { mutate, isPending, error, reset } = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  const close = () => {
    reset();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title}>
      <Stack gap="md">
        <div>{children}</div>
        {error !== null && <ErrorMessage error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button color={color} data-autofocus loading={isPending} onClick={() => mutate()}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
