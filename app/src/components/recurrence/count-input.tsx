import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { isCount } from './plan.ts';

interface CountInputProps {
  label: string;
  value: number;
  onChange: (value: number) => void;
  max?: number;
}

/** A whole number from 1. Other text is dropped when a person leaves the field. */
export function CountInput({ label, value, onChange, max = Number.MAX_SAFE_INTEGER }: CountInputProps) {
  const [text, setText] = useState<string>();
  return (
    <TextInput
      type="number"
      min={1}
      label={label}
      value={text ?? String(value)}
      onChange={({ currentTarget }) => {
        const number = Number(currentTarget.value);
        setText(currentTarget.value);
        if (isCount(number) && number <= max) onChange(number);
      }}
      onBlur={() => setText(undefined)}
    />
  );
}
