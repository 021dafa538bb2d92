import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';

interface LinkDialogProps {
  /** Present address; empty for a new link. */
  address: string;
  onClose: () => void;
  /** Takes the new address; an empty one removes the link. */
  onChange: (address: string) => void;
}

const ADDRESS = /^(?:https?:\/\/|mailto:|tel:)\S+$/i;
const HOST = /^[\w-]+(?:\.[\w-]+)+(?:[/?#]\S*)?$/;

/** A dialog for the address of a link. */
export function LinkDialog({ address, onClose, onChange }: LinkDialogProps) {
  const [text, setText] = useState(address);
  const [error, setError] = useState<string>();
  const change = (next: string) => {
    onClose();
    onChange(next);
  };
  const submit = () => {
    const entered = text.trim();
    if (HOST.test(entered)) change(`https://${entered}`);
    else if (ADDRESS.test(entered) || entered === address) change(entered);
    else setError('Enter an address that starts with https://, mailto: or tel:.');
  };
  return (
    <Modal opened onClose={onClose} title="Link" returnFocus={false}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          // The form of a page around the editor is not submitted.
          event.stopPropagation();
          submit();
        }}
      >
        <Stack gap="md">
          <TextInput
            label="Address"
            data-autofocus
            placeholder="https://"
            value={text}
            error={error}
            errorProps={{ role: 'alert' }}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          <Group justify="flex-end" gap="xs">
            {address !== '' && (
              <Button variant="default" onClick={() => change('')}>
                Remove link
              </Button>
            )}
            <Button type="submit">Set link</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
