import { TextInput } from '@mantine/core';
import { client } from '../../../api/client.ts';
import { localDate } from '../../../dates.ts';
import { FormDialog } from '../../form/form-dialog.tsx';
import { useServerForm } from '../../form/use-server-form.ts';
import { reloadWatching } from '../../inbox/watch-button.tsx';
import type { Parent } from '../../timeline/parent.ts';
import { reloadEvidence } from '../start/evidence.ts';
import { ProofFields, checkDates } from './proof-fields.tsx';

interface LinkDialogProps {
  parent: Parent;
  /** Address that the person pasted; empty without one. */
  url: string;
  onClose: () => void;
}

/** Attaches a link. */
export function LinkDialog({ parent, url: pasted, onClose }: LinkDialogProps) {
  const form = useServerForm({ url: pasted, name: '', date: localDate(), validUntil: '', note: '' });
  const isPasted = pasted !== '';
  return (
    <FormDialog
      title="Add a link"
      submitLabel="Add"
      opened
      onClose={onClose}
      form={form}
      onSubmit={async ({ validUntil, ...values }) => {
        checkDates({ validUntil, ...values });
        await client.evidence.link.mutate({
          ...parent,
          ...values,
          ...(validUntil !== '' && { validUntil }),
        });
        await Promise.all([reloadEvidence(parent), reloadWatching(parent)]);
      }}
    >
      <TextInput label="URL" type="url" data-autofocus={!isPasted || undefined} {...form.text('url')} />
      <TextInput label="Name" data-autofocus={isPasted || undefined} {...form.text('name')} />
      <ProofFields form={form} />
    </FormDialog>
  );
}
