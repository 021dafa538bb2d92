import { useQuery } from '@tanstack/react-query';
import { trpc } from '../../api/client.ts';
import type { Inputs } from '../../api/client.ts';
import { Fact, Facts } from '../../components/record/facts.tsx';
import { Choice, Choices, DateField, Words } from '../../components/record/fields.tsx';
import { StatusSwatch, statusOptions } from '../../components/status-dot.tsx';
import { OPEN_STATUSES, TASK_STATUSES, priorityOptions } from '../../components/task/choices.ts';
import type { Task } from '../../components/task/choices.ts';

export type TaskChanges = Omit<Inputs['task']['update'], 'taskUniqueId' | 'ifMatch'>;

/** A closed task only goes back to "To do". */
const nextStatuses = (status: Task['status']) =>
  TASK_STATUSES.filter((next) => next === status || next === 'todo' || OPEN_STATUSES.includes(status));

interface Named {
  id: number;
  archived: boolean;
}

/** Options that are not archived, and those that the task has. */
const optionsOf = <Item extends Named>(
  items: readonly Item[] | undefined,
  used: readonly number[],
  name: (item: Item) => string,
) =>
  (items ?? [])
    .filter(({ id, archived }) => !archived || used.includes(id))
    .map((item) => ({ value: String(item.id), label: name(item) }));

interface TaskPanelProps {
  task: Task;
  save: (changes: TaskChanges) => Promise<void>;
  readOnly: boolean;
}

/** The fields of a task beside its text. */
export function TaskPanel({ task, save, readOnly }: TaskPanelProps) {
  const { framework, departmentId } = task;
  const departments = useQuery(trpc.department.list.queryOptions()).data;
  const gaps = useQuery(trpc.gap.list.queryOptions({ framework })).data;
  const frameworks = useQuery(trpc.framework.list.queryOptions()).data;
  const used = departmentId === null ? [] : [departmentId];
  return (
    <>
      <Choice
        label="Status"
        name="status"
        value={task.status}
        options={statusOptions(nextStatuses(task.status))}
        icon={(status) => <StatusSwatch status={status} />}
        onSave={(status) => save({ status: TASK_STATUSES.find((one) => one === status) })}
        readOnly={readOnly}
      />
      <Choice
        label="Priority"
        name="priority"
        value={String(task.priority)}
        options={priorityOptions}
        onSave={(priority) => save({ priority: Number(priority) })}
        readOnly={readOnly}
      />
      <DateField
        label="Due date"
        name="dueDate"
        value={task.dueDate}
        onSave={(dueDate) => save({ dueDate })}
        readOnly={readOnly}
      />
      <DateField
        label="Start date"
        name="startDate"
        value={task.startDate}
        onSave={(startDate) => save({ startDate })}
        readOnly={readOnly}
      />
      <Choice
        label="Department"
        name="departmentId"
        value={departmentId === null ? null : String(departmentId)}
        options={optionsOf(departments, used, ({ name }) => name)}
        placeholder="None"
        onSave={(id) => save({ departmentId: id === null ? null : Number(id) })}
        readOnly={readOnly}
      />
      <Words
        label="Labels"
        name="labels"
        value={task.labels}
        placeholder="Type and press Enter"
        onSave={(labels) => save({ labels })}
        readOnly={readOnly}
      />
      <Choices
        label="Gaps"
        name="gaps"
        value={task.gaps.map(String)}
        options={optionsOf(gaps, task.gaps, ({ title }) => title)}
        placeholder="None"
        onSave={(ids) => save({ gaps: ids.map(Number) })}
        readOnly={readOnly}
      />
      <Facts record={task}>
        <Fact name="Framework">{frameworks?.find(({ id }) => id === framework)?.name ?? framework}</Fact>
      </Facts>
    </>
  );
}
