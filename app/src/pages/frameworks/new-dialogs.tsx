import { Select, TextInput } from '@mantine/core';
import { client } from '../../api/client.ts';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { invalidateReferences } from './kinds.ts';
import type { ReferenceRow } from './kinds.ts';

interface DialogProps {
  opened: boolean;
  onClose: () => void;
  /** Shows the list of the new object. */
  onCreated: () => void;
}

interface NewNamedDialogProps extends DialogProps {
  kind: 'framework' | 'department';
}

/** Creates a framework or a department. */
export function NewNamedDialog({ kind, opened, onClose, onCreated }: NewNamedDialogProps) {
  const form = useServerForm({ name: '' });
  return (
    <FormDialog
      title={`New ${kind}`}
      submitLabel="Save"
      opened={opened}
      onClose={onClose}
      form={form}
      onSubmit={async ({ name }) => {
        await client.management[kind].create.mutate({ name });
        await invalidateReferences();
        onCreated();
      }}
    >
      <TextInput label="Name" data-autofocus {...form.text('name')} />
    </FormDialog>
  );
}

interface NewGapDialogProps extends DialogProps {
  frameworks: readonly ReferenceRow[];
  /** Framework that is proposed. */
  framework: string | undefined;
}

interface GapValues {
  /** Null proposes a framework. */
  framework: string | null;
  title: string;
}

const EMPTY: GapValues = { framework: null, title: '' };

/** Creates a gap of a framework. */
export function NewGapDialog({ frameworks, framework, opened, onClose, onCreated }: NewGapDialogProps) {
  const form = useServerForm(EMPTY);
  const options = frameworks
    .filter(({ archivedAt }) => archivedAt === null)
    .map(({ id, name }) => ({ value: String(id), label: name }));
  const proposed = options.find(({ value }) => value === framework) ?? options[0];
  const chosen = form.values.framework ?? proposed?.value ?? null;
  return (
    <FormDialog
      title="New gap"
      submitLabel="Save"
      opened={opened}
      onClose={onClose}
      form={form}
      onSubmit={async ({ title }) => {
        await client.management.gap.create.mutate({ framework: Number(chosen), title });
        await invalidateReferences();
        onCreated();
      }}
    >
      <TextInput label="Title" data-autofocus {...form.text('title')} />
      <Select label="Framework" allowDeselect={false} data={options} {...form.field('framework')} value={chosen} />
    </FormDialog>
  );
}
