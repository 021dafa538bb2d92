import { useQuery } from '@tanstack/react-query';
import { trpc } from '../../api/client.ts';
import type { Field } from '../../components/record/edits/use-record.ts';
import { Choice, Choices, DateField, OptionalChoice, Words } from '../../components/record/fields/inputs.tsx';
import { StatusSwatch, statusOptions } from '../../components/status-dot.tsx';
import { OPEN_STATUSES, PRIORITIES, TASK_STATUSES, priorityText } from '../../components/task/choices.ts';
import type { Task } from '../../components/task/choices.ts';
import { dueWords } from '../../components/task/due-date.tsx';
import { AssigneeField } from './assignee-field.tsx';
import { DueDateField } from './due-date-field.tsx';
import { RecurrenceField } from './recurrence-field.tsx';
import { NextTaskNote } from './series/next-task.tsx';
import { VendorsPart } from './vendors/vendors-parts.tsx';

/** Fields of a task that a person edits on its page. */
export type TaskValues = Pick<
  Task,
  | 'title'
  | 'description'
  | 'status'
  | 'assignee'
  | 'priority'
  | 'dueDate'
  | 'startDate'
  | 'departmentId'
  | 'labels'
  | 'gaps'
  | 'vendors'
  | 'recurrence'
>;

/** A closed task only becomes an open one. */
const nextStatuses = (status: Task['status']) =>
  TASK_STATUSES.filter((next) => next === status || OPEN_STATUSES.includes(next) || OPEN_STATUSES.includes(status));

interface Reference {
  id: number;
  archived: boolean;
}

/** Options that are not archived, and those that the task has. */
const optionsOf = <Item extends Reference>(
  items: readonly Item[] | undefined,
  used: readonly number[],
  name: (item: Item) => string,
) =>
  (items ?? [])
    .filter(({ id, archived }) => !archived || used.includes(id))
    .map((item) => ({ value: item.id, label: name(item) }));

interface TaskFieldsProps {
  task: Task;
  field: <Name extends keyof TaskValues>(name: Name) => Field<TaskValues[Name]>;
  /** Receives whether a new due date moves the series too. */
  onScope: (movesSeries: boolean) => void;
}

/** The fields of a task beside its text. */
export function TaskFields({ task, field, onScope }: TaskFieldsProps) {
  const { framework, departmentId, status, dueDate, recurrence, seriesDate } = task;
  const newRule = field('recurrence');
  const keepsRule = newRule.value === recurrence;
  const departments = useQuery(trpc.department.list.queryOptions()).data;
  const gaps = useQuery(trpc.gap.list.queryOptions({ framework })).data;
  return (
    <>
      <Choice
        label="Status"
        field={field('status')}
        options={statusOptions(nextStatuses(status))}
        icon={(value) => <StatusSwatch status={value} />}
      />
      {!OPEN_STATUSES.includes(status) && <NextTaskNote task={task} />}
      <AssigneeField framework={framework} field={field('assignee')} />
      <Choice
        label="Priority"
        field={field('priority')}
        options={PRIORITIES.map((value) => ({ value, label: priorityText(value) }))}
      />
      <DueDateField
        field={field('dueDate')}
        stored={dueDate}
        recurs={recurrence !== null && keepsRule}
        onScope={onScope}
        note={<DueNote task={task} />}
      />
      <RecurrenceField
        field={newRule}
        dueDate={keepsRule ? (seriesDate ?? dueDate) : dueDate}
        isOpen={OPEN_STATUSES.includes(status)}
      />
      <DateField label="Start date" field={field('startDate')} />
      <OptionalChoice
        label="Department"
        field={field('departmentId')}
        options={optionsOf(departments, departmentId === null ? [] : [departmentId], ({ name }) => name)}
      />
      <Words label="Labels" field={field('labels')} />
      <Choices label="Gaps" field={field('gaps')} options={optionsOf(gaps, task.gaps, ({ title }) => title)} />
      <VendorsPart field={field('vendors')} />
    </>
  );
}

/** Words for a due date that is near or past. */
function DueNote({ task }: { task: Task }) {
  const due = dueWords(task);
  return due === undefined ? null : (
    <div className={due.isOverdue ? 'field-note overdue' : 'field-note'}>{due.words}</div>
  );
}
