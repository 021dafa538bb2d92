import { TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import type { ReactNode } from 'react';
import type { Field } from '../../components/record/edits/use-record.ts';
import { FieldFrame, inputProps } from '../../components/record/fields/field-frame.tsx';
import { DueDateScope } from './due-date-scope.tsx';

interface DueDateFieldProps {
  field: Field<string | null>;
  /** The due date that is stored. */
  stored: string | null;
  /** True for a task whose recurrence stays, so that a new date can be that of the series. */
  recurs: boolean;
  /** Receives what a new date moves, before the date is saved. */
  onScope: (movesSeries: boolean) => void;
  note: ReactNode;
}

/** The due date of a task, which is saved when a person leaves it. A new date of a task that recurs asks what it moves. */
export function DueDateField({ field, stored, recurs, onScope, note }: DueDateFieldProps) {
  const [scope, setScope] = useState('task');
  const date = useRef<HTMLInputElement>(null);
  const firstScope = useRef<HTMLInputElement>(null);
  const asks = recurs && field.value !== null && field.value !== stored;
  const choose = (chosen: string) => {
    setScope(chosen);
    onScope(chosen === 'series');
  };
  return (
    <FieldFrame field={field}>
      <div
        onBlur={({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget)) field.leave();
        }}
      >
        <TextInput
          {...inputProps(field)}
          ref={date}
          label="Due date"
          type="date"
          value={field.value ?? ''}
          onChange={({ currentTarget: { value } }) => {
            choose('task');
            field.edit(value === '' ? null : value);
          }}
          onKeyDown={({ key, currentTarget }) => {
            if (key === 'Enter' && asks) firstScope.current?.focus();
            else if (key === 'Enter') currentTarget.blur();
            if (key === 'Escape') field.restore();
          }}
        />
        {asks && (
          <DueDateScope
            value={scope}
            onChange={choose}
            firstRef={firstScope}
            onEnd={(key) => {
              // The choices go when the date is saved, and the focus with them.
              date.current?.focus();
              if (key === 'Enter') field.leave();
              else field.restore();
            }}
          />
        )}
      </div>
      {note}
    </FieldFrame>
  );
}
