import { Button, Group } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { serviceQuery } from '../../api/session.ts';
import { FrameworkNames } from '../../components/frameworks/framework-names.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { askToConfirm } from '../../components/form/dialog.tsx';
import { Email } from '../../components/person/email.tsx';
import { Time } from '../../components/time.tsx';
import { Section } from '../../components/section/section.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { useSession } from '../../components/use-session.ts';
import './invitations.css';
import { AccessEnd, giveLink } from './member-actions.tsx';
import { roleText } from './roles.ts';

type Invitation = Outputs['management']['invitation']['list'][number];

const COLUMNS: readonly Column<Invitation>[] = [
  {
    id: 'email',
    header: 'Email',
    className: 'wrap',
    render: ({ email, role, mailedAt, endsAt }) => (
      <>
        <Email email={email} />
        <div className="quiet">
          <span className="invited-as">{roleText(role)}. </span>
          {mailedAt === null ? (
            'Not sent by email'
          ) : (
            <>
              Sent <Time value={mailedAt} />
            </>
          )}
        </div>
        <AccessEnd endsAt={endsAt} />
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
  mailed:
    'Invitation links are sent by email. If an email is lost, send it again. The earlier link then stops working.',
  shown:
    'Email is not set up. Copy the link when you invite a person, and send it yourself. The link is shown only once, and a new link replaces it.',
} as const;

const reload = () => queryClient.invalidateQueries(trpc.management.invitation.pathFilter());

const askToRevoke = ({ uniqueId, email }: Invitation) =>
  askToConfirm({
    title: 'Revoke this invitation?',
    text: `The link sent to ${email} stops working. You can invite the person again.`,
    button: 'Revoke',
    submit: async () => {
      await client.management.invitation.revoke.mutate({ uniqueId });
      await reload();
    },
  });

/** Invitations that nobody accepted yet. Hidden without any. */
export function InvitationList() {
  const { isAdmin } = useSession();
  const { data = [] } = useQuery(trpc.management.invitation.list.queryOptions());
  const { data: facts } = useQuery(serviceQuery);
  const again = useMutation({
    mutationFn: async ({ email, role, frameworks, endsAt }: Invitation) => {
      const access = { role, frameworks, ...(endsAt !== null && { endsAt }) };
      giveLink(await client.management.member.invite.mutate({ email, ...access }), 'New link created', email);
      await reload();
    },
  });
  const actions: Column<Invitation> = {
    id: 'actions',
    header: 'Actions',
    width: 190,
    className: 'align-end',
    render: (invitation) => (
      <Group gap={6} justify="flex-end">
        {facts !== undefined && (
          <Button
            variant="default"
            size="compact-xs"
            aria-label={`${facts.mail ? 'Send again to' : 'New link for'} ${invitation.email}`}
            loading={again.isPending && again.variables.uniqueId === invitation.uniqueId}
            onClick={() => again.mutate(invitation)}
          >
            {facts.mail ? 'Send again' : 'New link'}
          </Button>
        )}
        <Button
          variant="default"
          size="compact-xs"
          aria-label={`Revoke the invitation of ${invitation.email}`}
          onClick={() => askToRevoke(invitation)}
        >
          Revoke
        </Button>
      </Group>
    ),
  };
  if (data.length === 0) return null;
  return (
    <Section title="Open invitations" text={facts !== undefined && HOW_LINKS_ARRIVE[facts.mail ? 'mailed' : 'shown']}>
      {again.error !== null && <ErrorMessage title="A new link could not be created" error={again.error} />}
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
