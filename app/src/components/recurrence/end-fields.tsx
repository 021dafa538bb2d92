import { NativeSelect, TextInput } from '@mantine/core';
import { CountInput } from './count-input.tsx';
import type { End } from './plan.ts';

const KINDS = [
  { value: 'never', label: 'Never' },
  { value: 'count', label: 'After a number of tasks' },
  { value: 'until', label: 'On a date' },
];
const PROPOSED_COUNT = 4;

interface EndFieldsProps {
  end: End;
  dueDate: string;
  onChange: (end: End) => void;
}

/** The end of a series. */
export function EndFields({ end, dueDate, onChange }: EndFieldsProps) {
  const choose = (kind: string) => {
    if (kind === 'count') onChange({ kind, count: PROPOSED_COUNT });
    else if (kind === 'until') onChange({ kind, date: aYearAfter(dueDate) });
    else onChange({ kind: 'never' });
  };
  return (
    <>
      <NativeSelect
        label="Ends"
        data={KINDS}
        value={end.kind}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      {end.kind === 'count' && (
        <CountInput
          label="Tasks, with this one"
          value={end.count}
          onChange={(count) => onChange({ kind: 'count', count })}
        />
      )}
      {end.kind === 'until' && (
        <TextInput
          type="date"
          label="Last date"
          value={end.date}
          onChange={({ currentTarget: { value } }) => value !== '' && onChange({ kind: 'until', date: value })}
        />
      )}
    </>
  );
}

/** 29 February becomes 28 February. */
function aYearAfter(date: string): string {
  const year = Number(date.slice(0, 4)) + 1;
  return date.endsWith('-02-29') ? `${year}-02-28` : `${year}${date.slice(4)}`;
}
