import { Select, TextInput } from '@mantine/core';
import { client } from '../../api/client.ts';
import { openDialog } from '../../components/form/dialog.tsx';
import { invalidateReferences } from './kinds.ts';
import type { ReferenceRow } from './kinds.ts';

/** Creates a framework or a department. @param onCreated shows its list */
export const openNewNamed = (kind: 'framework' | 'department', onCreated: () => void) =>
  openDialog({
    title: `New ${kind}`,
    initial: NEW_NAMED[kind],
    fields: (form) => <TextInput label="Name" data-autofocus {...form.text('name')} />,
    button: 'Save',
    submit: async ({ name }) => {
      await client.management[kind].create.mutate({ name });
      await invalidateReferences();
      onCreated();
    },
  });

const NEW_NAMED = { framework: { name: '' }, department: { name: '' } } as const;

interface GapValues {
  /** Null proposes a framework. */
  framework: string | null;
  title: string;
}

const NEW_GAP: GapValues = { framework: null, title: '' };

/** Creates a gap of a framework. @param framework the one that is proposed */
export function openNewGap(
  frameworks: readonly ReferenceRow[],
  framework: string | undefined,
  onCreated: () => void,
): void {
  const options = frameworks
    .filter(({ archivedAt }) => archivedAt === null)
    .map(({ id, name }) => ({ value: String(id), label: name }));
  const proposed = options.find(({ value }) => value === framework) ?? options[0];
  const chosen = (values: GapValues) => values.framework ?? proposed?.value ?? null;
  openDialog({
    title: 'New gap',
    initial: NEW_GAP,
    fields: (form) => (
      <>
        <TextInput label="Title" data-autofocus {...form.text('title')} />
        <Select
          label="Framework"
          allowDeselect={false}
          data={options}
          {...form.field('framework')}
          value={chosen(form.values)}
        />
      </>
    ),
    button: 'Save',
    submit: async (values) => {
      await client.management.gap.create.mutate({ framework: Number(chosen(values)), title: values.title });
      await invalidateReferences();
      onCreated();
    },
  });
}
