import { Group, Select, TextInput } from '@mantine/core';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { InputError } from '../../api/errors.ts';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { MemberSelect, chosenId } from '../../components/person/member-select.tsx';
import { RecurrenceInput } from '../../components/recurrence/recurrence-input.tsx';
import { priorityOptions, referenceOptions } from '../../components/task/choices.ts';
import type { Task } from '../../components/task/choices.ts';
import { useSession } from '../../components/use-session.ts';
import { useVendorNames } from '../../components/vendor/use-vendor-names.ts';
import { VendorsInput } from '../../components/vendor/vendors-input.tsx';

interface NewTaskDialogProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (task: Task) => void;
  frameworks: Outputs['framework']['list'];
  departments: Outputs['department']['list'];
  /** Id of the framework of the list, which is proposed. */
  framework: string | undefined;
}

const DEFAULT_PRIORITY = '3';

interface Values {
  /** Null proposes the framework of the list. */
  framework: string | null;
  title: string;
  priority: string;
  departmentId: string | null;
  /** `ME`, `NOBODY` or the uniqueId of a member; null for nobody. */
  assigneeId: string | null;
  startDate: string;
  dueDate: string;
  recurrence: string | null;
  vendors: string[];
}

const EMPTY: Values = {
  framework: null,
  title: '',
  priority: DEFAULT_PRIORITY,
  departmentId: null,
  assigneeId: null,
  startDate: '',
  dueDate: '',
  recurrence: null,
  vendors: [],
};

/** Creates a task. Its description, labels and gaps are edited on its own page. */
export function NewTaskDialog(props: NewTaskDialogProps) {
  const { opened, onClose, onCreated, frameworks, departments, framework } = props;
  const form = useServerForm(EMPTY);
  const { member } = useSession();
  const choices = referenceOptions(frameworks);
  const proposed = (choices.length === 1 ? choices : choices.filter(({ value }) => value === framework))[0]?.value;
  const chosen = form.values.framework ?? proposed ?? null;
  const { dueDate } = form.values;
  const vendors = useVendorNames(form.values.vendors);
  const { onChange: onPriority, ...priority } = form.field('priority');
  return (
    <FormDialog
      title="New task"
      submitLabel="Save"
      opened={opened}
      onClose={onClose}
      form={form}
      onSubmit={async (values) => {
        if (chosen === null) throw new InputError('framework: choose a framework');
        const task = await client.task.create.mutate({
          framework: Number(chosen),
          title: values.title,
          priority: Number(values.priority),
          departmentId: values.departmentId === null ? null : Number(values.departmentId),
          assigneeId: chosenId(values.assigneeId, member),
          startDate: values.startDate === '' ? null : values.startDate,
          dueDate: values.dueDate === '' ? null : values.dueDate,
          recurrence: values.recurrence,
          vendors: values.vendors,
        });
        await queryClient.invalidateQueries(trpc.task.pathFilter());
        onCreated(task);
      }}
    >
      <TextInput label="Title" data-autofocus {...form.text('title')} />
      <Select
        label="Framework"
        allowDeselect={false}
        placeholder="Choose a framework"
        data={choices}
        {...form.field('framework')}
        value={chosen}
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
      <MemberSelect
        label="Assignee"
        placeholder="Nobody"
        clearable
        framework={chosen === null ? undefined : Number(chosen)}
        {...form.field('assigneeId')}
      />
      <VendorsInput {...form.field('vendors')} vendors={vendors} />
      <Group grow gap="md">
        <TextInput type="date" label="Start date" {...form.text('startDate')} />
        <TextInput type="date" label="Due date" {...form.text('dueDate')} />
      </Group>
      <RecurrenceInput {...form.field('recurrence')} dueDate={dueDate === '' ? null : dueDate} />
    </FormDialog>
  );
}
