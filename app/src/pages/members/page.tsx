import { Button, Group, Tabs } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Page as Frame } from '../../components/page.tsx';
import { useSearch } from '../../components/table/use-search.ts';
import { useSession } from '../../components/use-session.ts';
import { Colleagues } from './colleagues.tsx';
import { InvitationList } from './invitation-list.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberList } from './member-list.tsx';
import { SingleSignOn } from './single-sign-on.tsx';

const SINGLE_SIGN_ON = 'single-sign-on';

/** The members. Only those who may read the settings of the company see invitations and single sign-on. */
export function Page() {
  return useSession().canReadManagement ? (
    <Management />
  ) : (
    <Frame title="Members">
      <Colleagues />
    </Frame>
  );
}

function Management() {
  const { isAdmin } = useSession();
  const [isInviting, setIsInviting] = useState(false);
  const [{ tab = 'members' }, setSearch] = useSearch(['tab']);
  const isMembers = tab !== SINGLE_SIGN_ON;
  const actions = (
    <Group gap="xs" wrap="nowrap">
      <Button variant="default" renderRoot={(props) => <Link to="/members/sign-ins" {...props} />}>
        Sign-ins
      </Button>
      {isAdmin && isMembers && <Button onClick={() => setIsInviting(true)}>Invite</Button>}
    </Group>
  );
  return (
    <Frame title="Members" action={actions}>
      <Tabs
        value={isMembers ? 'members' : SINGLE_SIGN_ON}
        onChange={(next) => setSearch({ tab: next === SINGLE_SIGN_ON ? next : undefined })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="members">Members</Tabs.Tab>
          <Tabs.Tab value={SINGLE_SIGN_ON}>Single sign-on</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="members">
          <MemberList />
          <InvitationList />
        </Tabs.Panel>
        <Tabs.Panel value={SINGLE_SIGN_ON}>
          <SingleSignOn />
        </Tabs.Panel>
      </Tabs>
      <InviteDialog opened={isInviting} onClose={() => setIsInviting(false)} />
    </Frame>
  );
}
