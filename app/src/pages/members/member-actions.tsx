import { ActionIcon, Menu, Text, TextInput } from '@mantine/core';
import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { ConfirmDialog } from '../../components/form/confirm-dialog.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { FrameworksField, fromFrameworks, toFrameworks } from '../../components/frameworks/frameworks-field.tsx';
import { say } from '../../components/undo/undo.ts';
import { LinkDialog, sayMailed } from './link-dialog.tsx';
import type { ShownLink } from './link-dialog.tsx';
import { EndDialog } from './member/end-dialog.tsx';
import { ForgetDialog } from './member/forget-dialog.tsx';
import { RoleField } from './role-field.tsx';
import { toRole } from './roles.ts';
import type { Member } from './roles.ts';

/** Changes the address with which a member signs in. With mail, the member confirms it. */
function ChangeEmailDialog({ member, onClose }: { member: Member; onClose: () => void }) {
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

/** Changes the role and the frameworks of a member. */
function EditMemberDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { uniqueId, name } = member;
  const initial: { role: string; frameworks: string[] } = {
    role: member.role,
    frameworks: fromFrameworks(member.frameworks),
  };
  const form = useServerForm(initial);
  return (
    <FormDialog
      title={`Edit ${name}`}
      submitLabel="Save"
      opened
      onClose={onClose}
      form={form}
      onSubmit={async ({ role, frameworks }) => {
        await client.management.member.update.mutate({
          uniqueId,
          role: toRole(role),
          frameworks: toFrameworks(frameworks),
        });
        await Promise.all([
          queryClient.invalidateQueries(trpc.management.member.pathFilter()),
          queryClient.invalidateQueries(trpc.member.pathFilter()),
          queryClient.invalidateQueries(sessionQuery),
        ]);
      }}
    >
      <RoleField {...form.field('role')} />
      <FrameworksField {...form.field('frameworks')} />
    </FormDialog>
  );
}

type Action = 'edit' | 'email' | 'reset' | 'unlink' | 'end' | 'forget';

const reload = () => queryClient.invalidateQueries(trpc.management.member.pathFilter());

/** The menu of a member. A person who ended is invited again, gets another email so that this one can be used again, or is forgotten. */
export function MemberActions({ member }: { member: Member }) {
  const { uniqueId, name, email, singleSignOn, endedAt } = member;
  const isActive = endedAt === null;
  const [action, setAction] = useState<Action>();
  const [shown, setShown] = useState<ShownLink>();
  const close = () => setAction(undefined);

  const unlink = async () => {
    await client.management.member.unlink.mutate({ uniqueId });
    await reload();
  };
  const resetPassword = async () => {
    const { link, expiresAt } = await client.management.member.resetPassword.mutate({ uniqueId });
    if (link === null) sayMailed(email, expiresAt);
    else setShown({ link, expiresAt });
  };
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isActive && <Menu.Item onClick={() => setAction('edit')}>Edit</Menu.Item>}
          <Menu.Item onClick={() => setAction('email')}>Change email</Menu.Item>
          {isActive && <Menu.Item onClick={() => setAction('reset')}>Reset password</Menu.Item>}
          {singleSignOn !== null && <Menu.Item onClick={() => setAction('unlink')}>Remove link</Menu.Item>}
          {isActive && (
            <Menu.Item c="red" onClick={() => setAction('end')}>
              End membership
            </Menu.Item>
          )}
          {!isActive && (
            <Menu.Item c="red" onClick={() => setAction('forget')}>
              Forget
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {action === 'edit' && <EditMemberDialog member={member} onClose={close} />}
      {action === 'email' && <ChangeEmailDialog member={member} onClose={close} />}
      <ConfirmDialog
        title="Reset the password?"
        action="Reset password"
        opened={action === 'reset'}
        onClose={close}
        onConfirm={resetPassword}
      >
        <Text size="sm">
          {name} gets a link that sets a new password and works for one hour. The present password works until then.
        </Text>
      </ConfirmDialog>
      <ConfirmDialog
        title="Remove the link?"
        action="Remove link"
        opened={action === 'unlink'}
        onClose={close}
        onConfirm={unlink}
      >
        <Text size="sm">
          {name} is linked to an account of {singleSignOn}. Sessions from single sign-on end. The next sign-in of an
          account with this email makes a new link.
        </Text>
      </ConfirmDialog>
      {action === 'end' && <EndDialog member={member} onClose={close} />}
      {action === 'forget' && <ForgetDialog member={member} onClose={close} />}
      <LinkDialog title="Reset link created" receiver={name} shown={shown} onClose={() => setShown(undefined)} />
    </>
  );
}
