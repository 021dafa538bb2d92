import { Group, Select, TextInput } from '@mantine/core';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { priorityOptions, referenceOptions } from '../../components/task/choices.ts';
import type { Task } from '../../components/task/choices.ts';

interface NewTaskDialogProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (task: Task) => void;
  frameworks: Outputs['framework']['list'];
  departments: Outputs['department']['list'];
  /** Framework of the list, which is proposed. */
  framework: number | undefined;
}

const DEFAULT_PRIORITY = '3';

interface Values {
  /** Null proposes the framework of the list. */
  framework: string | null;
  title: string;
  priority: string;
  departmentId: string | null;
  startDate: string;
  dueDate: string;
}

const EMPTY: Values = {
  framework: null,
  title: '',
  priority: DEFAULT_PRIORITY,
  departmentId: null,
  startDate: '',
  dueDate: '',
};

/** Creates a task. Its description, labels and gaps are edited on its own page. */
export function NewTaskDialog(props: NewTaskDialogProps) {
  const { opened, onClose, onCreated, frameworks, departments, framework } = props;
  const form = useServerForm(EMPTY);
  const proposed = frameworks.some(({ id, archived }) => id === framework && !archived) ? String(framework) : null;
  const { onChange: onPriority, ...priority } = form.field('priority');
  return (
    <FormDialog
      title="New task"
      submitLabel="Save"
      opened={opened}
      onClose={onClose}
      form={form}
      onSubmit={async (values) => {
        const task = await client.task.create.mutate({
          framework: Number(values.framework ?? proposed),
          title: values.title,
          priority: Number(values.priority),
          departmentId: values.departmentId === null ? null : Number(values.departmentId),
          startDate: values.startDate === '' ? null : values.startDate,
          dueDate: values.dueDate === '' ? null : values.dueDate,
        });
        await queryClient.invalidateQueries(trpc.task.pathFilter());
        onCreated(task);
      }}
    >
      <TextInput label="Title" data-autofocus {...form.text('title')} />
      <Select
        label="Framework"
        allowDeselect={false}
        data={referenceOptions(frameworks)}
        {...form.field('framework')}
        value={form.values.framework ?? proposed}
      />
      <Group grow gap="md">
        <Select
          label="Priority"
          allowDeselect={false}
          data={priorityOptions}
          {...priority}
          onChange={(value) => onPriority(value ?? DEFAULT_PRIORITY)}
        />
        <Select
          label="Department"
          placeholder="None"
          clearable
          data={referenceOptions(departments)}
          {...form.field('departmentId')}
        />
      </Group>
      <Group grow gap="md">
        <TextInput type="date" label="Start date" {...form.text('startDate')} />
        <TextInput type="date" label="Due date" {...form.text('dueDate')} />
      </Group>
    </FormDialog>
  );
}
