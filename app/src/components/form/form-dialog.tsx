import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorMessage } from '../error-message.tsx';
import type { ServerForm } from './use-server-form.ts';

interface FormDialogProps<Values extends object> {
  title: string;
  /** Text of the button that submits. */
  submitLabel: string;
  /** Colour of that button, for an action that takes something away. */
  color?: string;
  opened: boolean;
  onClose: () => void;
  /** Form of the page, which keeps the values while the dialog is closed. */
  form: ServerForm<Values>;
  /** Creates the object. The dialog closes and resets the form if it succeeds. */
  onSubmit: (values: Values) => Promise<unknown>;
  /** Fields: `<TextInput label="Name" {...form.text('name')} />`. */
  children: ReactNode;
}

/** A dialog that creates something, or that needs a text to confirm. */
export function FormDialog<Values extends object>(props: FormDialogProps<Values>) {
  const { title, submitLabel, color, opened, onClose, form, onSubmit, children } = props;
  const submit = async () => {
    if (!(await form.submit(onSubmit))) return;
    form.reset();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Stack gap="md">
          {form.error !== undefined && <ErrorMessage error={form.error} />}
          {children}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={form.isPending} {...(color !== undefined && { color })}>
              {submitLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
