import { Button, Input } from '@mantine/core';
import { useState } from 'react';
import type { KeyboardEvent } from 'react';
import { RecurrenceForm } from '../recurrence-form.tsx';
import { RecurrenceText } from '../recurrence-text.tsx';

interface RecurrenceInputProps {
  /** RRULE; null for none. */
  value: string | null;
  onChange: (value: string | null) => void;
  /** Null without one, from which no task recurs. */
  dueDate: string | null;
  error?: string | undefined;
  /** Shows the dates of the tasks that follow beside the words. */
  withDates?: boolean;
  /** Ends the editing with what was entered. Without it the fields stay. */
  onDone?: () => void;
  /** Drops what was entered. */
  onCancel?: () => void;
}

/** A recurrence in words, with a button that opens its fields. */
export function RecurrenceInput(props: RecurrenceInputProps) {
  const { value, onChange, dueDate, error, withDates = false, onDone, onCancel } = props;
  const [isOpen, setIsOpen] = useState(false);
  const [wasOpen, setWasOpen] = useState(false);
  const close = (end: () => void) => {
    end();
    setIsOpen(false);
    setWasOpen(true);
  };
  if (isOpen && dueDate !== null) {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && onCancel !== undefined) close(onCancel);
      if (event.key === 'Enter' && onDone !== undefined && event.target instanceof HTMLInputElement) {
        // The button that comes in place of the fields would be pressed.
        event.preventDefault();
        close(onDone);
      }
    };
    return (
      // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the fields inside have the focus
      <div onKeyDown={onKeyDown}>
        <RecurrenceForm value={value} onChange={onChange} dueDate={dueDate} error={error} autoFocus />
        {onDone !== undefined && (
          <Button variant="default" size="compact-sm" mt="xs" onClick={() => close(onDone)}>
            Done
          </Button>
        )}
      </div>
    );
  }
  return (
    <div>
      <Input.Label labelElement="div">Recurrence</Input.Label>
      {value !== null && dueDate !== null && <RecurrenceText rule={value} dueDate={dueDate} withDates={withDates} />}
      {dueDate === null ? (
        <div className="field-note">It needs a due date.</div>
      ) : (
        <Button variant="default" size="compact-sm" mt={4} autoFocus={wasOpen} onClick={() => setIsOpen(true)}>
          {value === null ? 'Set recurrence' : 'Change recurrence'}
        </Button>
      )}
      {error !== undefined && (
        <Input.Error role="alert" mt={4}>
          {error}
        </Input.Error>
      )}
    </div>
  );
}
