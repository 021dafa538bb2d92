import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { FrameworkNames } from '../../components/frameworks/framework-names.tsx';
import { askToConfirm } from '../../components/form/dialog.tsx';
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

const askToRevoke = ({ uniqueId, email }: Invitation) =>
  askToConfirm({
    title: 'Revoke this invitation?',
    text: `The link of ${email} stops working. You can invite the person again.`,
    button: 'Revoke',
    submit: async () => {
      await client.management.invitation.revoke.mutate({ uniqueId });
      await queryClient.invalidateQueries(trpc.management.invitation.pathFilter());
    },
  });

/** Invitations that nobody accepted yet. Hidden without any. */
export function InvitationList() {
  const { isAdmin } = useSession();
  const { data = [] } = useQuery(trpc.management.invitation.list.queryOptions());
  const actions: Column<Invitation> = {
    id: 'actions',
    header: 'Actions',
    width: 104,
    className: 'align-end',
    render: (invitation) => (
      <Button
        variant="default"
        size="compact-xs"
        aria-label={`Revoke the invitation of ${invitation.email}`}
        onClick={() => askToRevoke(invitation)}
      >
        Revoke
      </Button>
    ),
  };
  if (data.length === 0) return null;
  return (
    <Section title="Open invitations">
      <DataTable
        label="Open invitations"
        columns={isAdmin ? [...COLUMNS, actions] : COLUMNS}
        rows={data}
        rowKey={({ uniqueId }) => uniqueId}
        empty={null}
      />
    </Section>
  );
}
