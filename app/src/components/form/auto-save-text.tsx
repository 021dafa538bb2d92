import { Text, TextInput } from '@mantine/core';
import { useAutoSave } from './use-auto-save.ts';

interface AutoSaveTextProps {
  label: string;
  /** Field of the API, whose errors are shown here. */
  name: string;
  value: string;
  /** Sends the text. It must resolve after the new value is loaded. */
  onSave: (value: string) => Promise<unknown>;
  readOnly?: boolean;
}

/** A text field that saves when a person leaves it, or presses Enter. */
export function AutoSaveText({ label, name, value: saved, onSave, readOnly = false }: AutoSaveTextProps) {
  const { value, edit, leave, status, error } = useAutoSave(name, saved, onSave);
  return (
    <div>
      <TextInput
        label={label}
        name={name}
        value={value}
        error={error}
        errorProps={{ role: 'alert' }}
        readOnly={readOnly}
        onChange={({ currentTarget }) => edit(currentTarget.value)}
        onBlur={leave}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') currentTarget.blur();
        }}
      />
      <Text size="xs" c="dimmed" role="status" mih={17}>
        {status}
      </Text>
    </div>
  );
}
