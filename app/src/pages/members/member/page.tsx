import { Box, Button, Group, Skeleton, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { trpc } from '../../../api/client.ts';
import { CopyableId } from '../../../components/copyable-id.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorMessage } from '../../../components/error-message.tsx';
import { Fold } from '../../../components/fold.tsx';
import { FrameworkNames } from '../../../components/frameworks/framework-names.tsx';
import { Page as Frame } from '../../../components/page.tsx';
import { useMembers } from '../../../components/person/use-members.ts';
import type { Member } from '../../../components/person/use-members.ts';
import { Facts } from '../../../components/section/facts.tsx';
import { StatusDot } from '../../../components/status-dot.tsx';
import { DataTable } from '../../../components/table/data-table.tsx';
import type { Column } from '../../../components/table/data-table.tsx';
import { CalendarDate } from '../../../components/time.tsx';
import { useSession } from '../../../components/use-session.ts';
import { MailRefused } from '../mail-refused.tsx';
import { MemberActions } from '../member-actions.tsx';
import { roleText } from '../roles.ts';
import { openForgetting, openHandOver } from './leaving.tsx';
import { openTasksOf, useOpenTaskCount, useOpenTasksByFramework } from './open-tasks.ts';
import { BackLink } from '../../../components/table/back-link.tsx';

interface Owned {
  framework: { id: number; name: string; archived: boolean };
  total: number;
}

const columns = (assignee: string): readonly Column<Owned>[] => [
  {
    id: 'framework',
    header: 'Framework',
    className: 'title',
    render: ({ framework: { id, name, archived } }) => (
      <Link to="/tasks" search={{ ...openTasksOf(assignee), framework: String(id) }} dir="auto">
        {archived ? `${name} (archived)` : name}
      </Link>
    ),
  },
  {
    id: 'total',
    header: 'Open tasks',
    width: 110,
    className: 'align-end',
    render: ({ total }) => total.toLocaleString('en'),
  },
];

/** The open tasks of a member by framework, with links to their lists. */
function OwnedTasks({ member: { uniqueId, name } }: { member: Member }) {
  const { rows, error } = useOpenTasksByFramework(uniqueId);
  return (
    <section aria-labelledby="owned-tasks">
      <Title order={2} id="owned-tasks" mb="xs">
        Open tasks
      </Title>
      {error === null ? (
        <DataTable
          label="Open tasks by framework"
          columns={columns(uniqueId)}
          rows={rows}
          rowKey={({ framework }) => String(framework.id)}
          empty={<EmptyState text={`${name} has no open tasks.`} />}
        />
      ) : (
        <ErrorMessage title="The open tasks could not be counted" error={error} />
      )}
    </section>
  );
}

/** A member: role, frameworks, and what they own. */
export function Page() {
  const { uniqueId = '' } = useParams({ strict: false });
  const { members, isLoaded, error, refetch } = useMembers();
  const member = members.find((one) => one.uniqueId === uniqueId);
  if (member !== undefined) return <MemberPage key={uniqueId} member={member} />;
  return (
    <Frame title={isLoaded ? 'Member not found' : 'Member'}>
      {error !== null && (
        <ErrorMessage title="The member could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {!isLoaded && error === null && <Skeleton h={240} />}
      {isLoaded && <EmptyState text="This company has no member with this id." action={<BackToMembers />} />}
    </Frame>
  );
}

const BackToMembers = () => <BackLink to="/members">Back to the members</BackLink>;

function MemberPage({ member }: { member: Member }) {
  const { uniqueId, name, email, role, frameworks, ended } = member;
  const { isAdmin, canReadManagement } = useSession();
  const { data } = useQuery({ ...trpc.management.member.list.queryOptions(), enabled: canReadManagement });
  const managed = data?.find((one) => one.uniqueId === uniqueId);
  const navigate = useNavigate();
  const hasTasks = (useOpenTaskCount(uniqueId).data?.total ?? 0) > 0;
  return (
    <Frame
      title={name}
      action={
        isAdmin && (
          <Group gap="xs">
            {ended && (
              <Button
                variant="default"
                c="red"
                onClick={() => openForgetting(member, () => navigate({ to: '/members' }))}
              >
                Forget
              </Button>
            )}
            {hasTasks && <Button onClick={() => openHandOver(member)}>Hand over</Button>}
          </Group>
        )
      }
    >
      <Stack gap="md">
        <Group justify="space-between">
          <BackToMembers />
          {isAdmin && managed !== undefined && <MemberActions member={managed} />}
        </Group>
        <div className="with-facts">
          <OwnedTasks member={member} />
          <aside aria-label="Properties">
            <Facts
              facts={[
                ['Status', <StatusDot key="status" status={ended ? 'ended' : 'active'} />],
                ['Access ends', managed?.endsAt ? <CalendarDate key="end" value={managed.endsAt} /> : undefined],
                ['Email', email],
                ['Mail', managed?.mailRefusedAt ? <MailRefused key="mail" member={managed} /> : undefined],
                ['Role', roleText(role)],
                ['Frameworks', <FrameworkNames key="frameworks" ids={frameworks} />],
              ]}
            />
            <Box mt="sm">
              <Fold label="Details for integrators">
                <Facts facts={[['Id', <CopyableId key="id" value={uniqueId} />]]} />
              </Fold>
            </Box>
          </aside>
        </div>
      </Stack>
    </Frame>
  );
}
