import { Button, Input, Pill, Radio, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { ReactNode, Ref } from 'react';
import { trpc } from '../../api/client.ts';
import { FieldFrame, inputProps } from '../../components/record/fields/field-frame.tsx';
import { Choice, Choices, DateField, OptionalChoice, Words } from '../../components/record/fields/inputs.tsx';
import { PersonField } from '../../components/record/fields/person-field.tsx';
import type { Field } from '../../components/record/use-record.ts';
import { RecurrenceInput } from '../../components/recurrence/recurrence-input.tsx';
import { statusOptions, StatusSwatch } from '../../components/status-dot.tsx';
import { OPEN_STATUSES, PRIORITIES, priorityText, TASK_STATUSES } from '../../components/task/choices.ts';
import type { Task } from '../../components/task/choices.ts';
import { dueWords, nextTaskText } from '../../components/task/due-date.tsx';
import { useVendorNames } from '../../components/vendor/use-vendor-names.ts';
import { VendorsInput } from '../../components/vendor/vendors-input.tsx';

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
const DueDateScope = ({ value, onChange, onEnd, firstRef }: DueDateScopeProps) => (
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
function DueDateField({ field, stored, recurs, onScope, note }: DueDateFieldProps) {
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

interface RecurrenceFieldProps {
  field: Field<string | null>;
  /** The date from which the rule counts. */
  dueDate: string | null;
  /** False for a closed task, whose next task has the recurrence. */
  isOpen: boolean;
}

/** The recurrence of a task, which is saved when a person leaves its fields. */
const RecurrenceField = ({ field, dueDate, isOpen }: RecurrenceFieldProps) => (
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

interface VendorsFieldProps {
  field: Field<string[]>;
  /** Puts the focus on the field. */
  autoFocus: boolean;
}

/** The vendors of a task with links to their pages. A choice is saved at once. */
const VendorsField = ({ field, autoFocus }: VendorsFieldProps) => (
  <VendorsInput
    {...inputProps(field)}
    autoFocus={autoFocus}
    vendors={useVendorNames(field.value)}
    onChange={field.choose}
    renderPill={({ option: { value, label }, onRemove }) => (
      <Pill withRemoveButton {...(onRemove !== undefined && { onRemove })}>
        <Link to="/vendors/$uniqueId" params={{ uniqueId: String(value) }}>
          {label}
        </Link>
      </Pill>
    )}
  />
);

/** The vendors of a task, with a button in place of the field while there are none. */
function VendorsPart({ field }: { field: Field<string[]> }) {
  const [isAdding, setIsAdding] = useState(false);
  return (
    <FieldFrame field={field}>
      {isAdding || field.value.length > 0 ? (
        <VendorsField field={field} autoFocus={isAdding} />
      ) : (
        <>
          <Input.Label labelElement="div">Vendors</Input.Label>
          <Button variant="default" size="compact-sm" display="block" onClick={() => setIsAdding(true)}>
            Add vendors
          </Button>
        </>
      )}
    </FieldFrame>
  );
}

/** A sentence about the task that a closed one made, with a link to it. */
const NextTaskNote = ({ task: { next } }: { task: Task }) => next !== null && <NextTask taskUniqueId={next} />;

function NextTask({ taskUniqueId }: { taskUniqueId: string }) {
  const { data } = useQuery(trpc.task.get.queryOptions({ taskUniqueId }));
  if (data === undefined) return null;
  return (
    <div className="field-note" role="status">
      <Link to="/tasks/$taskUniqueId" params={{ taskUniqueId }}>
        {nextTaskText(data)}
      </Link>
    </div>
  );
}

interface AssigneeFieldProps {
  framework: number;
  field: Field<Task['assignee']>;
}

/** The assignee of a task, who must see its framework. */
const AssigneeField = (props: AssigneeFieldProps) => <PersonField {...props} label="Assignee" toMe="Assign to me" />;

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
