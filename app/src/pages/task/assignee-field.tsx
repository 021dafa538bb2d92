import type { Field } from '../../components/record/edits/use-record.ts';
import { PersonField } from '../../components/record/fields/person-field.tsx';
import type { Task } from '../../components/task/choices.ts';

interface AssigneeFieldProps {
  framework: number;
  field: Field<Task['assignee']>;
}

/** The assignee of a task, who must see its framework. */
export const AssigneeField = (props: AssigneeFieldProps) => (
  <PersonField {...props} label="Assignee" toMe="Assign to me" />
);
