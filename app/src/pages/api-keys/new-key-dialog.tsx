import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { SecretDialog } from '../../components/form/secret-dialog.tsx';
import { KeyFields, newKeyValues, toRestrictions } from './key-fields.tsx';
import { curlCommand } from './key.ts';

interface NewKeyDialogProps {
  opened: boolean;
  onClose: () => void;
}

/** Creates a key and shows it once. */
export function NewKeyDialog({ opened, onClose }: NewKeyDialogProps) {
  const form = useServerForm(newKeyValues);
  const [key, setKey] = useState<string>();
  return (
    <>
      <FormDialog
        title="New API key"
        submitLabel="Save"
        opened={opened}
        onClose={onClose}
        form={form}
        onSubmit={async (values) => {
          const created = await client.management.apiKey.create.mutate({
            name: values.name,
            ...toRestrictions(values),
          });
          setKey(created.key);
          await queryClient.invalidateQueries(trpc.management.apiKey.pathFilter());
        }}
      >
        <KeyFields form={form} />
      </FormDialog>
      <SecretDialog
        title="API key created"
        label="key"
        secret={key}
        curl={key === undefined ? undefined : curlCommand(key)}
        onClose={() => setKey(undefined)}
      />
    </>
  );
}
