import { Text, TextInput } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { client, queryClient, trpc } from '../../../api/client.ts';
import { InputError } from '../../../api/errors.ts';
import { FormDialog } from '../../../components/form/form-dialog.tsx';
import { useServerForm } from '../../../components/form/use-server-form.ts';

interface ForgetDialogProps {
  /** A member who has ended. */
  member: { uniqueId: string; name: string; email: string };
  onClose: () => void;
}

/** Forgets a former member permanently. The person who confirms repeats the name. */
export function ForgetDialog({ member: { uniqueId, name, email }, onClose }: ForgetDialogProps) {
  const form = useServerForm({ name: '' });
  const navigate = useNavigate();
  const { uniqueId: shown } = useParams({ strict: false });
  const forget = async (values: { name: string }) => {
    if (values.name.trim() !== name.trim()) throw new InputError(`name: enter ${name}`);
    await client.management.member.forget.mutate({ uniqueId });
    queryClient.setQueryData(trpc.management.member.list.queryKey(), (members) =>
      members?.filter((one) => one.uniqueId !== uniqueId),
    );
    if (shown === uniqueId) await navigate({ to: '/members' });
    // Any page may have shown the name.
    queryClient.removeQueries({ type: 'inactive' });
    await queryClient.invalidateQueries();
  };
  return (
    <FormDialog
      title={`Forget ${name}?`}
      submitLabel="Forget"
      color="red.9"
      opened
      onClose={onClose}
      form={form}
      onSubmit={forget}
    >
      <Text size="sm">
        This deletes the name, the email {email}, the sign-ins and the invitations. Everywhere else the name is then
        “Former member”. It cannot be undone, and an invitation of the same email makes a new member.
      </Text>
      <Text size="sm">
        Tasks, comments and events stay, with an id in place of the name. Names that people wrote in texts stay too.
        Copies such as waiting mails and backups before upgrades are deleted within 30 days.
      </Text>
      <TextInput
        label="Name"
        description={`Enter ${name} to confirm`}
        autoComplete="off"
        data-autofocus
        {...form.text('name')}
      />
    </FormDialog>
  );
}
