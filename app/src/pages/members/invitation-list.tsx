import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { serviceQuery } from '../../api/session.ts';
import { FrameworkNames } from '../../components/frameworks/framework-names.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { ConfirmDialog } from '../../components/form/confirm-dialog.tsx';
import { Time } from '../../components/time.tsx';
import { Section } from '../../components/section/section.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { useSession } from '../../components/use-session.ts';
import './invitations.css';
import { LinkDialog, sayMailed } from './link-dialog.tsx';
import type { ShownLink } from './link-dialog.tsx';
import { roleText } from './roles.ts';

type Invitation = Outputs['management']['invitation']['list'][number];

const COLUMNS: readonly Column<Invitation>[] = [
  {
    id: 'email',
    header: 'Email',
    className: 'wrap',
    render: ({ email, role }) => (
      <>
        {email} <span className="invited-as quiet">{roleText(role)}</span>
      </>
    ),
  },
  { id: 'role', header: 'Role', width: 90, leaves: 3, render: ({ role }) => roleText(role) },
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
    width: 184,
    leaves: 2,
    render: ({ expiresAt }) => <Time value={expiresAt} />,
  },
];

/** The service keeps no link that it could show again: a new one replaces the one before. */
const HOW_LINKS_ARRIVE = {
  mailed: 'The links are mailed. If a mail was lost, mail another link; the one before then stops working.',
  shown:
    'Mail is not set up: copy the link when you invite a person, and send it yourself. It is shown once; a new link replaces it.',
} as const;

/** Invitations that nobody accepted yet. Hidden without any. */
export function InvitationList() {
  const { isAdmin } = useSession();
  const [revoking, setRevoking] = useState<Invitation>();
  const { data = [] } = useQuery(trpc.management.invitation.list.queryOptions());
  const { data: facts } = useQuery(serviceQuery);
  const [shown, setShown] = useState<ShownLink & { email: string }>();
  const again = useMutation({
    mutationFn: ({ email, role, frameworks }: Invitation) =>
      client.management.member.invite.mutate({ email, role, frameworks }),
    onSuccess: async ({ link, expiresAt }, { email }) => {
      if (link === null) sayMailed(email, expiresAt);
      else setShown({ email, link, expiresAt });
      await queryClient.invalidateQueries(trpc.management.invitation.pathFilter());
    },
  });
  const revoke = async () => {
    if (revoking === undefined) return;
    await client.management.invitation.revoke.mutate({ uniqueId: revoking.uniqueId });
    await queryClient.invalidateQueries(trpc.management.invitation.pathFilter());
  };
  const actions: Column<Invitation> = {
    id: 'actions',
    header: '',
    width: 190,
    className: 'align-end',
    render: (invitation) => (
      <Group gap={6} justify="flex-end">
        {facts !== undefined && (
          <Button
            variant="default"
            size="compact-xs"
            aria-label={`${facts.mail ? 'Mail again to' : 'New link for'} ${invitation.email}`}
            loading={again.isPending && again.variables.uniqueId === invitation.uniqueId}
            onClick={() => again.mutate(invitation)}
          >
            {facts.mail ? 'Mail again' : 'New link'}
          </Button>
        )}
        <Button
          variant="default"
          size="compact-xs"
          aria-label={`Revoke the invitation of ${invitation.email}`}
          onClick={() => setRevoking(invitation)}
        >
          Revoke
        </Button>
      </Group>
    ),
  };
  return (
    <>
      {data.length > 0 && (
        <Section
          title="Open invitations"
          text={facts !== undefined && HOW_LINKS_ARRIVE[facts.mail ? 'mailed' : 'shown']}
        >
          {again.error !== null && <ErrorMessage title="The invitation was not renewed" error={again.error} />}
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
      <LinkDialog
        title="New link created"
        receiver={shown?.email ?? ''}
        shown={shown}
        onClose={() => setShown(undefined)}
      />
    </>
  );
}
