import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { FrameworkNames } from '../../components/frameworks/framework-names.tsx';
import { ConfirmDialog } from '../../components/form/confirm-dialog.tsx';
import { Time } from '../../components/time.tsx';
import { Section } from '../../components/section/section.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { useSession } from '../../components/use-session.ts';
import { roleText } from './roles.ts';

type Invitation = Outputs['management']['invitation']['list'][number];

const COLUMNS: readonly Column<Invitation>[] = [
  { id: 'email', header: 'Email', render: ({ email }) => email },
  { id: 'role', header: 'Role', width: 90, render: ({ role }) => roleText(role) },
  {
    id: 'frameworks',
    header: 'Frameworks',
    width: 200,
    leaves: 1,
    className: 'wrap',
    render: ({ frameworks }) => <FrameworkNames ids={frameworks} />,
  },
  {
    id: 'expiresAt',
    header: 'Ends',
    width: 130,
    leaves: 2,
    render: ({ expiresAt }) => <Time value={expiresAt} />,
  },
];

/** Invitations that nobody accepted yet. Hidden without any. */
export function InvitationList() {
  const { isAdmin } = useSession();
  const [revoking, setRevoking] = useState<Invitation>();
  const { data = [] } = useQuery(trpc.management.invitation.list.queryOptions());
  const revoke = async () => {
    if (revoking === undefined) return;
    await client.management.invitation.revoke.mutate({ uniqueId: revoking.uniqueId });
    await queryClient.invalidateQueries(trpc.management.invitation.pathFilter());
  };
  const actions: Column<Invitation> = {
    id: 'actions',
    header: '',
    width: 104,
    className: 'align-end',
    render: (invitation) => (
      <Button
        variant="default"
        size="compact-xs"
        aria-label={`Revoke the invitation of ${invitation.email}`}
        onClick={() => setRevoking(invitation)}
      >
        Revoke
      </Button>
    ),
  };
  return (
    <>
      {data.length > 0 && (
        <Section title="Open invitations">
          <DataTable
            label="Open invitations"
            columns={isAdmin ? [...COLUMNS, actions] : COLUMNS}
            rows={data}
            rowKey={({ uniqueId }) => uniqueId}
            empty={null}
          />
        </Section>
      )}
      <ConfirmDialog
        title="Revoke this invitation?"
        action="Revoke"
        opened={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        onConfirm={revoke}
      >
        <Text size="sm">The link of {revoking?.email} stops working. You can invite the person again.</Text>
      </ConfirmDialog>
    </>
  );
}
