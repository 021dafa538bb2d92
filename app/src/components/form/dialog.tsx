import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { Fragment, useEffect, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { CopyButton } from '../copy-button.tsx';
import { Form } from './form.tsx';
import { useServerForm } from './use-server-form.ts';
import type { ServerForm } from './use-server-form.ts';

/** A dialog as data: title, fields, button, and what to do. */
interface Dialog<Values extends object> {
  /** What is made, or a question: "New task", "Delete this vendor?" */
  title: string;
  /** What the person should know first. */
  text?: ReactNode;
  /** Values of the fields at first. A constant keeps what was entered while the dialog is closed, until another page is shown. */
  initial: Values;
  /** `<TextInput label="Name" {...form.text('name')} />` */
  fields: (form: ServerForm<Values>) => ReactNode;
  /** Text of the button, a verb. */
  button: string;
  /** Colour of the button, for an action that takes something away. */
  color?: string;
  /** The dialog closes and forgets its values if it succeeds. */
  submit: (values: Values, form: ServerForm<Values>) => Promise<unknown>;
}

interface Shown {
  key: number;
  /** The same object opens the dialog again that was closed. */
  identity: object;
  isOpen: boolean;
  render: (opened: boolean) => ReactNode;
}

let shown: Shown | undefined;
let lastKey = 0;
const listeners = new Set<() => void>();

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

function set(next: Shown | undefined): void {
  shown = next;
  listeners.forEach((listener) => listener());
}

/** Shows a dialog in place of the one before. */
function show(identity: object, render: (opened: boolean, close: () => void) => ReactNode): void {
  const key = shown?.identity === identity ? shown.key : ++lastKey;
  const close = () => {
    if (shown?.key === key) set({ ...shown, isOpen: false });
  };
  set({ key, identity, isOpen: true, render: (opened) => render(opened, close) });
}

/** Opens a dialog with fields. */
export const openDialog = <Values extends object>(dialog: Dialog<Values>): void =>
  show(dialog.initial, (opened, close) => <FormDialog dialog={dialog} opened={opened} onClose={close} />);

type Question = Omit<Dialog<object>, 'initial' | 'fields'>;

/** Opens a dialog that confirms an action, which takes something away unless it has another colour. Enter confirms. */
export const askToConfirm = (question: Question): void =>
  openDialog({ color: 'red.9', ...question, initial: {}, fields: () => null });

/** True while a dialog is open, whose fields may have the names of those below it. */
export const useHasDialog = (): boolean => useSyncExternalStore(subscribe, () => shown?.isOpen === true);

/** The place of the dialogs. One that is open closes with its page. */
export function Dialogs() {
  const dialog = useSyncExternalStore(subscribe, () => shown);
  const pathname = useLocation({ select: (location) => location.pathname });
  useEffect(() => () => set(undefined), [pathname]);
  return dialog && <Fragment key={dialog.key}>{dialog.render(dialog.isOpen)}</Fragment>;
}

interface FormDialogProps<Values extends object> {
  dialog: Dialog<Values>;
  opened: boolean;
  onClose: () => void;
}

function FormDialog<Values extends object>({ dialog, opened, onClose }: FormDialogProps<Values>) {
  const { title, text, initial, fields, button, color, submit } = dialog;
  const form = useServerForm(initial);
  const content = fields(form);
  const send = async () => {
    if (!(await form.submit((values) => submit(values, form)))) return;
    form.reset();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <Form form={form} onSubmit={send} noValidate>
        {text !== undefined && (
          <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
            {text}
          </Text>
        )}
        {content}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            data-autofocus={content === null || undefined}
            loading={form.isPending}
            {...(color !== undefined && { color })}
          >
            {button}
          </Button>
        </Group>
      </Form>
    </Modal>
  );
}

interface SecretDialog {
  /** "API key created" */
  title: string;
  /** Name of the secret, for the button: "Copy key". */
  label: string;
  secret: string;
  /** Further facts, for example the end of validity. */
  text?: ReactNode;
  /** Command that uses the secret. */
  curl?: string;
}

/** Shows a secret once. */
export const showSecret = ({ title, label, secret, text, curl }: SecretDialog): void =>
  showOnce(
    title,
    <>
      <Text size="sm">Copy it now. It will not be shown again.</Text>
      <Secret text={secret} label={`Copy ${label}`} />
      {text}
      {curl !== undefined && (
        <>
          <Text size="sm">Try it:</Text>
          <Secret text={curl} label="Copy command" />
        </>
      )}
    </>,
  );

/** Shows what cannot be shown again. Only its button closes it. */
export const showOnce = (title: string, content: ReactNode, buttons?: ReactNode): void =>
  show({}, (opened, close) => (
    <Modal
      opened={opened}
      onClose={close}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        {content}
        <Group justify="flex-end" gap="xs">
          {buttons}
          <Button data-autofocus onClick={close}>
            Done
          </Button>
        </Group>
      </Stack>
    </Modal>
  ));

/** A text that is copied as a whole. @param label of the button */
export const Secret = ({ text, label }: { text: string; label: string }) => (
  <Group gap="xs" wrap="nowrap" align="flex-start" className="secret">
    <code className="mono">{text}</code>
    <CopyButton value={text} label={label} />
  </Group>
);
