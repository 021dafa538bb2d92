import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import { FrameworksField, toFrameworks } from '../../components/frameworks/frameworks-field.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { LinkDialog, sayMailed } from './link-dialog.tsx';
import type { ShownLink } from './link-dialog.tsx';
import { RoleField } from './role-field.tsx';
import { toRole } from './roles.ts';

/** Values of a form without frameworks. */
const NO_FRAMEWORKS: string[] = [];

interface InviteDialogProps {
  opened: boolean;
  onClose: () => void;
}

/** Invites a person. The link goes out by mail, or is shown once. */
export function InviteDialog({ opened, onClose }: InviteDialogProps) {
  const form = useServerForm({ email: '', role: 'editor', frameworks: NO_FRAMEWORKS });
  const [invitation, setInvitation] = useState<ShownLink & { email: string }>();
  return (
    <>
      <FormDialog
        title="Invite a person"
        submitLabel="Invite"
        opened={opened}
        onClose={onClose}
        form={form}
        onSubmit={async ({ email, role, frameworks }) => {
          const { link, expiresAt } = await client.management.member.invite.mutate({
            email,
            role: toRole(role),
            frameworks: toFrameworks(frameworks),
          });
          if (link === null) sayMailed(email, expiresAt);
          else setInvitation({ email, link, expiresAt });
          await queryClient.invalidateQueries(trpc.management.invitation.pathFilter());
        }}
      >
        <TextInput label="Email" type="email" data-autofocus {...form.text('email')} />
        <RoleField {...form.field('role')} />
        <FrameworksField {...form.field('frameworks')} />
      </FormDialog>
      <LinkDialog
        title="Invitation created"
        receiver={invitation?.email ?? ''}
        shown={invitation}
        onClose={() => setInvitation(undefined)}
      />
    </>
  );
}
