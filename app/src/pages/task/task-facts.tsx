import { Person } from '../../components/person/person.tsx';
import { Fact } from '../../components/record/facts.tsx';
import type { FindName } from '../../components/record/values.ts';
import { StatusDot } from '../../components/status-dot.tsx';
import { RecurrenceText } from '../../components/recurrence/recurrence-text.tsx';
import { OPEN_STATUSES } from '../../components/task/choices.ts';
import type { Task } from '../../components/task/choices.ts';
import { DueDate } from '../../components/task/due-date.tsx';
import { Priority } from '../../components/task/priority.tsx';
import { CalendarDate } from '../../components/time.tsx';
import { VendorLinks } from '../../components/vendor/vendor-links.tsx';

interface TaskFactsProps {
  task: Task;
  /** True for an earlier state, whose due date is not compared with today. */
  isPast: boolean;
  findName: FindName;
}

/** The fields of a task as text, for a person who may not change them. */
export function TaskFacts({ task, isPast, findName }: TaskFactsProps) {
  const {
    status,
    assignee,
    priority,
    dueDate,
    startDate,
    departmentId,
    labels,
    gaps,
    vendors,
    recurrence,
    seriesDate,
  } = task;
  const firstDate = seriesDate ?? dueDate;
  return (
    <>
      <Fact name="Status">
        <StatusDot status={status} />
      </Fact>
      <Fact name="Assignee">{assignee !== null && <Person name={assignee.name} />}</Fact>
      <Fact name="Priority">
        <Priority priority={priority} />
      </Fact>
      <Fact name="Due date">
        {dueDate !== null && (isPast ? <CalendarDate value={dueDate} /> : <DueDate task={task} />)}
      </Fact>
      <Fact name="Recurrence">
        {recurrence !== null && firstDate !== null && (
          <RecurrenceText rule={recurrence} dueDate={firstDate} withDates={!isPast && OPEN_STATUSES.includes(status)} />
        )}
      </Fact>
      <Fact name="Start date">{startDate !== null && <CalendarDate value={startDate} />}</Fact>
      <Fact name="Department">{departmentId !== null && (findName('departmentId', departmentId) ?? departmentId)}</Fact>
      <Fact name="Labels">{labels.length > 0 && labels.join(', ')}</Fact>
      <Fact name="Gaps">
        {gaps.length > 0 && gaps.map((gap) => <div key={gap}>{findName('gaps', gap) ?? gap}</div>)}
      </Fact>
      <Fact name="Vendors">{vendors.length > 0 && <VendorLinks uniqueIds={vendors} />}</Fact>
    </>
  );
}
