import { Radio, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { ReactNode, Ref } from 'react';
import { trpc } from '../../api/client.ts';
import type { Member } from '../person/use-members.ts';
import { DateNote, FieldFrame, inputProps } from '../record/fields.tsx';
import type { Field, Fields } from '../record/fields.tsx';
import { linked } from '../record/linked.tsx';
import { choice, choices, date, optionalChoice, person, status, words, yesOrNo } from '../record/kinds.tsx';
import { RecurrenceInput } from '../recurrence/recurrence-input.tsx';
import { RecurrenceText } from '../recurrence/recurrence-text.tsx';
import { useRequirementSearch, requirementNames } from '../requirement/names.tsx';
import { useVendorSearch, vendorNames } from '../vendor/names.ts';
import { OPEN_STATUSES, PRIORITIES, priorityText, TASK_STATUSES } from './choices.ts';
import type { Task } from './choices.ts';
import { dueWords, nextTaskText } from './due-date.tsx';
import { Priority } from './priority.tsx';

const SCOPES = [
  { value: 'task', label: 'Only this task' },
  { value: 'series', label: 'This task and the ones that follow' },
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
    label="Change the date of"
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
  label: string;
  note: ReactNode;
}

/** The due date of a task, which is saved when a person leaves it. A new date of a task that recurs asks what it moves. */
function DueDateField({ field, label, stored, recurs, onScope, note }: DueDateFieldProps) {
  const [scope, setScope] = useState('task');
  const input = useRef<HTMLInputElement>(null);
  const firstScope = useRef<HTMLInputElement>(null);
  const asks = recurs && field.value !== null && field.value !== stored;
  const choose = (chosen: string) => {
    setScope(chosen);
    onScope(chosen === 'series');
  };
  return (
    <FieldFrame field={field} note={note}>
      <div
        onBlur={({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget)) field.leave();
        }}
      >
        <TextInput
          {...inputProps(field)}
          ref={input}
          label={label}
          type="date"
          value={field.value ?? ''}
          onChange={({ currentTarget: { value } }) => {
            choose('task');
            field.edit(value === '' ? null : value);
          }}
          onKeyDown={({ key, currentTarget }) => {
            if (field.retry === undefined) return;
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
              input.current?.focus();
              if (key === 'Enter') field.leave();
              else field.restore();
            }}
          />
        )}
      </div>
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
        {...(field.retry !== undefined && { onDone: field.leave, onCancel: field.restore })}
      />
    </div>
  </FieldFrame>
);

/** A sentence about the task that a closed one made, with a link to it. */
function NextTask({ taskUniqueId }: { taskUniqueId: string }) {
  const { data } = useQuery(trpc.task.get.queryOptions({ taskUniqueId }));
  if (data === undefined) return null;
  return (
    <div className="field-note" role="status">
      <Link className="field-link" to="/tasks/$taskUniqueId" params={{ taskUniqueId }}>
        {nextTaskText(data)}
      </Link>
    </div>
  );
}

/** A closed task only becomes an open one. */
const nextStatuses = (current: Task['status']) =>
  TASK_STATUSES.filter((next) => next === current || OPEN_STATUSES.includes(next) || OPEN_STATUSES.includes(current));

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

/** Fields of a task that a person edits. */
export type TaskValues = Pick<
  Task,
  | 'title'
  | 'description'
  | 'status'
  | 'assignee'
  | 'reviewer'
  | 'needsEvidence'
  | 'priority'
  | 'dueDate'
  | 'startDate'
  | 'departmentId'
  | 'labels'
  | 'gaps'
  | 'requirements'
  | 'vendors'
  | 'recurrence'
>;

const LINKED_VENDORS = linked({
  path: '/vendors/$uniqueId',
  noun: 'vendor',
  useNames: vendorNames.useNames,
  useSearch: useVendorSearch,
});

/** What the inputs of a task depend on. */
export type TaskState = Pick<
  Task,
  'status' | 'assignee' | 'dueDate' | 'departmentId' | 'recurrence' | 'seriesDate' | 'next'
> & {
  gaps: readonly number[];
  /** Undefined for a new task without one. */
  framework: number | undefined;
};

interface Options {
  /** The recurrence that was entered. */
  rule: string | null;
  /** True for an earlier state, whose dates are not compared with today. */
  isPast?: boolean;
  /** Receives whether a new due date moves the series too. */
  onScope?: (movesSeries: boolean) => void;
}

/** True for a member who can be the reviewer of a task: another person than the assignee, and no auditor. */
export const mayReview = ({ uniqueId, role }: Member, assignee: Task['assignee']): boolean =>
  role !== 'auditor' && uniqueId !== assignee?.uniqueId;

/** The fields of a task beside its title and text, in the order of its page. */
export function useTaskFields(task: TaskState, { rule, isPast = false, onScope = () => undefined }: Options) {
  const { framework, departmentId, assignee, status: current, dueDate, recurrence, seriesDate, next } = task;
  const departments = useQuery(trpc.department.list.queryOptions()).data;
  const gaps = useQuery(
    trpc.gap.list.queryOptions({ framework: framework ?? 0 }, { enabled: framework !== undefined }),
  ).data;
  const isOpen = OPEN_STATUSES.includes(current);
  const keepsRule = rule === recurrence;
  const ruleDate = keepsRule ? (seriesDate ?? dueDate) : dueDate;
  const near = isPast ? undefined : dueWords(task);
  return {
    status: status(nextStatuses(current), !isOpen && next !== null && <NextTask taskUniqueId={next} />),
    assignee: person('Assign to me', framework),
    reviewer: person('Make me the reviewer', framework, (member) => mayReview(member, assignee)),
    needsEvidence: yesOrNo(['Yes', 'No']),
    priority: choice(
      PRIORITIES.map((value) => ({ value, label: priorityText(value) })),
      (value) => <Priority priority={value} />,
    ),
    dueDate: {
      ...date({ near }),
      input: (field, label) => (
        <DueDateField
          field={field}
          label={label}
          stored={dueDate}
          recurs={recurrence !== null && keepsRule}
          onScope={onScope}
          note={<DateNote near={near} />}
        />
      ),
    },
    recurrence: {
      input: (field) => <RecurrenceField field={field} dueDate={ruleDate} isOpen={isOpen} />,
      text: (value) =>
        value !== null &&
        ruleDate !== null && <RecurrenceText rule={value} dueDate={ruleDate} withDates={!isPast && isOpen} />,
    },
    startDate: date(),
    departmentId: optionalChoice(
      optionsOf(departments, departmentId === null ? [] : [departmentId], ({ name }) => name),
    ),
    labels: words,
    gaps: choices(optionsOf(gaps, task.gaps, ({ title }) => title)),
    requirements: linked({
      path: '/requirements/$uniqueId',
      noun: 'requirement',
      useNames: requirementNames.useNames,
      useSearch: () => useRequirementSearch(framework),
    }),
    vendors: LINKED_VENDORS,
  } satisfies Fields<TaskValues>;
}
