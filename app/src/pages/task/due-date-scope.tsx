import { Radio, Stack } from '@mantine/core';
import type { Ref } from 'react';

const SCOPES = [
  { value: 'task', label: 'Only this task' },
  { value: 'series', label: 'This task and those that follow' },
];

interface DueDateScopeProps {
  value: string;
  onChange: (value: string) => void;
  /** Called with Enter, and with Escape. */
  onEnd: (key: 'Enter' | 'Escape') => void;
  firstRef: Ref<HTMLInputElement>;
}

/** Asks whether a new due date moves one task or its series. */
export const DueDateScope = ({ value, onChange, onEnd, firstRef }: DueDateScopeProps) => (
  <Radio.Group
    label="This date moves"
    value={value}
    onChange={onChange}
    mt={4}
    onKeyDown={({ key }) => {
      if (key === 'Enter' || key === 'Escape') onEnd(key);
    }}
  >
    <Stack gap={8} mt={4}>
      {SCOPES.map((scope, index) => (
        <Radio key={scope.value} ref={index === 0 ? firstRef : null} size="xs" {...scope} />
      ))}
    </Stack>
  </Radio.Group>
);
