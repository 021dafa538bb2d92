import { Group, Select, TextInput } from '@mantine/core';
import { client, queryClient, trpc } from '../../api/client.ts';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { MemberSelect, chosenId } from '../../components/person/member-select.tsx';
import { useSession } from '../../components/use-session.ts';
import { criticalityOptions } from '../../components/vendor/choices.ts';

interface NewVendorDialogProps {
  opened: boolean;
  onClose: () => void;
}

interface Values {
  name: string;
  criticality: number | null;
  /** `ME`, `NOBODY` or the uniqueId of a member; null for nobody. */
  ownerId: string | null;
  nextReview: string;
}

const EMPTY: Values = { name: '', criticality: null, ownerId: null, nextReview: '' };

/** Creates a vendor. The other facts are edited on its own page. */
export function NewVendorDialog({ opened, onClose }: NewVendorDialogProps) {
  const form = useServerForm(EMPTY);
  const { member } = useSession();
  return (
    <FormDialog
      title="New vendor"
      submitLabel="Save"
      opened={opened}
      onClose={onClose}
      form={form}
      onSubmit={async ({ name, criticality, ownerId, nextReview }) => {
        await client.vendor.create.mutate({
          name,
          criticality,
          ownerId: chosenId(ownerId, member),
          nextReview: nextReview === '' ? null : nextReview,
        });
        await Promise.all([
          queryClient.invalidateQueries(trpc.vendor.pathFilter()),
          queryClient.invalidateQueries(trpc.overview.pathFilter()),
        ]);
      }}
    >
      <TextInput label="Name" data-autofocus {...form.text('name')} />
      <Group grow gap="md" align="flex-start">
        <Select<number>
          label="Criticality"
          placeholder="None"
          clearable
          data={criticalityOptions}
          {...form.field('criticality')}
        />
        <TextInput type="date" label="Next review" {...form.text('nextReview')} />
      </Group>
      <MemberSelect label="Owner" placeholder="Nobody" clearable {...form.field('ownerId')} />
    </FormDialog>
  );
}
