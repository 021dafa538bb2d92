import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import { FrameworksField, toFrameworks } from '../../components/frameworks/frameworks-field.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { SecretDialog } from '../../components/form/secret-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { RoleField } from './role-field.tsx';
import { toRole } from './roles.ts';

/** Values of a form without frameworks. */
const NO_FRAMEWORKS: string[] = [];

interface InviteDialogProps {
  opened: boolean;
  onClose: () => void;
}

/** Invites a person and shows the link once. */
export function InviteDialog({ opened, onClose }: InviteDialogProps) {
  const form = useServerForm({ email: '', role: 'editor', frameworks: NO_FRAMEWORKS });
  const [invitation, setInvitation] = useState<{ email: string; link: string }>();
  return (
    <>
      <FormDialog
        title="Invite a person"
        submitLabel="Invite"
        opened={opened}
        onClose={onClose}
        form={form}
        onSubmit={async ({ email, role, frameworks }) => {
          const { link } = await client.management.member.invite.mutate({
            email,
            role: toRole(role),
            frameworks: toFrameworks(frameworks),
          });
          setInvitation({ email, link });
          await queryClient.invalidateQueries(trpc.management.invitation.pathFilter());
        }}
      >
        <TextInput label="Email" type="email" data-autofocus {...form.text('email')} />
        <RoleField {...form.field('role')} />
        <FrameworksField {...form.field('frameworks')} />
      </FormDialog>
      <SecretDialog
        title="Invitation created"
        label="link"
        secret={invitation?.link}
        onClose={() => setInvitation(undefined)}
      >
        <Text size="sm">
          Send it to {invitation?.email}. It works once, for 7 days. If mail is set up, it was mailed too.
        </Text>
      </SecretDialog>
    </>
  );
}
