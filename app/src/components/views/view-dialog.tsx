import { Checkbox, TextInput } from '@mantine/core';
import { FormDialog } from '../form/form-dialog.tsx';
import { useServerForm } from '../form/use-server-form.ts';

interface ViewValues {
  name: string;
  shared: boolean;
}

interface ViewDialogProps {
  title: string;
  initial: ViewValues;
  onClose: () => void;
  onSave: (values: ViewValues) => Promise<unknown>;
}

/** Name of a view, and whether everybody sees it. */
export function ViewDialog({ title, initial, onClose, onSave }: ViewDialogProps) {
  const form = useServerForm(initial);
  const { value: isShared, onChange, ...shared } = form.field('shared');
  return (
    <FormDialog title={title} submitLabel="Save" opened onClose={onClose} form={form} onSubmit={onSave}>
      <TextInput label="Name" data-autofocus {...form.text('name')} />
      <Checkbox
        label="Shared"
        description="Everybody in the company sees the view. Its owner and admins change it."
        {...shared}
        checked={isShared}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    </FormDialog>
  );
}
