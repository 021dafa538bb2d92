import { Select, SimpleGrid } from '@mantine/core';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { InputError } from '../../api/errors.ts';
import { openDialog } from '../../components/form/dialog.tsx';
import type { ServerForm } from '../../components/form/use-server-form.ts';
import { Inputs } from '../../components/record/fields.tsx';
import { firstText } from '../../components/record/kinds.tsx';
import type { Task } from '../../components/task/choices.ts';
import { useTaskFields } from '../../components/task/fields.tsx';
import type { TaskValues } from '../../components/task/fields.tsx';

interface NewTask extends Omit<TaskValues, 'description' | 'status' | 'labels' | 'gaps'> {
  /** Null proposes the framework of the list. */
  framework: number | null;
}

const DEFAULT_PRIORITY = 3;

const NEW_TASK: NewTask = {
  framework: null,
  title: '',
  priority: DEFAULT_PRIORITY,
  departmentId: null,
  assignee: null,
  reviewer: null,
  needsEvidence: false,
  startDate: null,
  dueDate: null,
  requirements: [],
  vendors: [],
  recurrence: null,
};

/** Facts of a new task that the dialog does not ask for. */
const OTHER_FACTS = { status: 'todo', gaps: [], seriesDate: null, next: null } as const;

interface FieldsProps {
  form: ServerForm<NewTask>;
  frameworks: { value: number; label: string }[];
  framework: number | null;
}

function NewTaskFields({ form, frameworks, framework }: FieldsProps) {
  const task = { ...OTHER_FACTS, ...form.values, framework: framework ?? undefined };
  const fields = { title: firstText, ...useTaskFields(task, { rule: task.recurrence }) };
  return (
    <>
      <Inputs<NewTask> fields={fields} names={['title']} field={form.record} />
      <Select<number>
        label="Framework"
        allowDeselect={false}
        placeholder="Choose a framework"
        data={frameworks}
        {...form.field('framework')}
        value={framework}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <Inputs<NewTask>
          fields={fields}
          names={[
            'priority',
            'departmentId',
            'assignee',
            'reviewer',
            'requirements',
            'vendors',
            'startDate',
            'dueDate',
            'needsEvidence',
          ]}
          field={form.record}
        />
      </SimpleGrid>
      <Inputs<NewTask> fields={fields} names={['recurrence']} field={form.record} />
    </>
  );
}

/** What new tasks of a requirement have at first, so that the dialog keeps what was entered for the same one. */
const newTaskOf = new Map<string, NewTask>();

function initialFor(requirement: string): NewTask {
  const initial = newTaskOf.get(requirement) ?? { ...NEW_TASK, requirements: [requirement] };
  newTaskOf.set(requirement, initial);
  return initial;
}

/**
 * Creates a task. Its description, labels and gaps are edited on its own page.
 * @param framework id of that of the list, which is proposed
 * @param requirement one that the task is linked to
 */
export function openNewTask(
  frameworks: Outputs['framework']['list'],
  framework: string | undefined,
  onCreated: (task: Task) => void,
  requirement?: string,
): void {
  const options = frameworks.filter(({ archived }) => !archived).map(({ id, name }) => ({ value: id, label: name }));
  const proposed = options.find(({ value }) => options.length === 1 || String(value) === framework)?.value ?? null;
  openDialog({
    title: 'New task',
    initial: requirement === undefined ? NEW_TASK : initialFor(requirement),
    fields: (form) => <NewTaskFields form={form} frameworks={options} framework={form.values.framework ?? proposed} />,
    button: 'Save',
    submit: async ({ assignee, reviewer, framework: chosen, ...values }) => {
      const id = chosen ?? proposed;
      if (id === null) throw new InputError('framework: choose a framework');
      const task = await client.task.create.mutate({
        ...values,
        framework: id,
        assigneeId: assignee?.uniqueId ?? null,
        reviewerId: reviewer?.uniqueId ?? null,
      });
      await Promise.all([
        queryClient.invalidateQueries(trpc.task.pathFilter()),
        queryClient.invalidateQueries(trpc.requirement.list.pathFilter()),
      ]);
      onCreated(task);
    },
  });
}
