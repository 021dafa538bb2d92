import { client, queryClient, trpc } from '../../api/client.ts';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { KeyFields, toRestrictions, valuesOf } from './key-fields.tsx';
import type { ApiKey } from './key.ts';

interface EditKeyDialogProps {
  apiKey: ApiKey;
  opened: boolean;
  onClose: () => void;
}

/** Changes the name and the restrictions of a key. Only what was edited is sent. */
export function EditKeyDialog({ apiKey, opened, onClose }: EditKeyDialogProps) {
  return opened ? <EditKeyForm apiKey={apiKey} opened onClose={onClose} /> : null;
}

function EditKeyForm({ apiKey, opened, onClose }: EditKeyDialogProps) {
  const initial = valuesOf(apiKey);
  const form = useServerForm(initial);
  return (
    <FormDialog
      title="Edit API key"
      submitLabel="Save"
      opened={opened}
      onClose={onClose}
      form={form}
      onSubmit={async (values) => {
        const { expiresAt, ...restrictions } = toRestrictions(values);
        await client.management.apiKey.update.mutate({
          uniqueId: apiKey.uniqueId,
          name: values.name,
          ...restrictions,
          ...(values.expiresAt !== initial.expiresAt && { expiresAt }),
        });
        await queryClient.invalidateQueries(trpc.management.apiKey.pathFilter());
      }}
    >
      <KeyFields form={form} />
    </FormDialog>
  );
}
