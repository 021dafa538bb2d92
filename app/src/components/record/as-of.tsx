import { Alert, Button, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { localMinute, timeText } from '../../dates.ts';

interface AsOfProps {
  /** Timestamp of the shown state; undefined for now. */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** A field for the time whose state is shown. */
export function AsOfField({ value, onChange }: AsOfProps) {
  const shown = localMinute(value ?? '');
  const [text, setText] = useState(shown);
  const submit = () => {
    if (text !== shown) onChange(text === '' ? undefined : new Date(text).toISOString());
  };
  return (
    <TextInput
      label="As of"
      description="Show an earlier state"
      type="datetime-local"
      size="sm"
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={submit}
      onKeyDown={({ key }) => {
        if (key === 'Enter') submit();
      }}
    />
  );
}

/** A line that says that an earlier state is shown. */
export function AsOfBanner({ value, type, onBack }: { value: string; type: string; onBack: () => void }) {
  return (
    <Alert variant="outline" mb="md">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          This is the {type} as it was {Number.isNaN(Date.parse(value)) ? 'earlier' : `on ${timeText(value)}`}. It
          cannot be edited.
        </Text>
        <Button variant="default" onClick={onBack}>
          Back to now
        </Button>
      </Group>
    </Alert>
  );
}
