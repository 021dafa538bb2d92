import { TextInput } from '@mantine/core';
import { client, queryClient, trpc } from '../../api/client.ts';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';

interface NewVendorDialogProps {
  opened: boolean;
  onClose: () => void;
}

export function NewVendorDialog({ opened, onClose }: NewVendorDialogProps) {
  const form = useServerForm({ name: '' });
  return (
    <FormDialog
      title="New vendor"
      submitLabel="Save"
      opened={opened}
      onClose={onClose}
      form={form}
      onSubmit={async (values) => {
        await client.vendor.create.mutate(values);
        await queryClient.invalidateQueries(trpc.vendor.pathFilter());
      }}
    >
      <TextInput label="Name" data-autofocus {...form.text('name')} />
    </FormDialog>
  );
}
