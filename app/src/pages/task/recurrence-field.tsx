import type { Field } from '../../components/record/edits/use-record.ts';
import { FieldFrame } from '../../components/record/fields/field-frame.tsx';
import { RecurrenceInput } from '../../components/recurrence/start/recurrence-input.tsx';

interface RecurrenceFieldProps {
  field: Field<string | null>;
  /** The date from which the rule counts. */
  dueDate: string | null;
  /** False for a closed task, whose next task has the recurrence. */
  isOpen: boolean;
}

/** The recurrence of a task, which is saved when a person leaves its fields. */
export const RecurrenceField = ({ field, dueDate, isOpen }: RecurrenceFieldProps) => (
  <FieldFrame field={field}>
    <div
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) field.leave();
      }}
    >
      <RecurrenceInput
        value={field.value}
        onChange={field.edit}
        dueDate={dueDate}
        error={field.error}
        withDates={isOpen}
        onDone={field.leave}
        onCancel={field.restore}
      />
    </div>
  </FieldFrame>
);
