import { Text, TextInput } from '@mantine/core';
import { client, queryClient, trpc } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { say } from '../../components/undo/undo.ts';
import type { Member } from './roles.ts';

/** Changes the address with which a member signs in. With mail, the member confirms it. */
export function ChangeEmailDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { uniqueId, name, email: former } = member;
  const form = useServerForm({ email: '' });
  const change = async ({ email }: { email: string }) => {
    const updated = await client.management.member.update.mutate({ uniqueId, email });
    say(
      updated.email === former
        ? `A mail with a link was sent to ${email}. The email changes when ${name} opens it.`
        : `The email of ${name} is now ${updated.email}.`,
    );
    await Promise.all([
      queryClient.invalidateQueries(trpc.management.member.pathFilter()),
      queryClient.invalidateQueries(trpc.member.pathFilter()),
      queryClient.invalidateQueries(sessionQuery),
    ]);
  };
  return (
    <FormDialog
      title={`Change the email of ${name}`}
      submitLabel="Change email"
      opened
      onClose={onClose}
      form={form}
      onSubmit={change}
    >
      <Text size="sm">
        {member.endedAt === null
          ? `${name} signs in with it in every company. If this service sends mails, the new address gets a link, and the email changes when ${name} uses it.`
          : `The email can then be given to another person.`}
      </Text>
      <TextInput
        label="Email"
        type="email"
        description={`Now ${former}`}
        autoComplete="off"
        data-autofocus
        {...form.text('email')}
      />
    </FormDialog>
  );
}
