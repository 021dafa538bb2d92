import { ActionIcon, Menu, Text } from '@mantine/core';
import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/form/confirm-dialog.tsx';
import { ChangeEmailDialog } from './change-email-dialog.tsx';
import { EditMemberDialog } from './edit-member-dialog.tsx';
import { LinkDialog, sayMailed } from './link-dialog.tsx';
import type { ShownLink } from './link-dialog.tsx';
import type { Member } from './roles.ts';
import { EndDialog } from './member/end-dialog.tsx';
import { ForgetDialog } from './member/forget-dialog.tsx';

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
              End
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
