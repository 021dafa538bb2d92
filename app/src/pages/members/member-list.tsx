import { useQuery } from '@tanstack/react-query';
import { trpc } from '../../api/client.ts';
import { Time } from '../../components/time.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { useSession } from '../../components/use-session.ts';
import { FRAMEWORKS, ROLE, nameColumn } from './columns.tsx';
import { MailRefused } from './mail-refused.tsx';
import { MemberActions } from './member-actions.tsx';
import { MemberTable } from './member-table.tsx';
import type { Member } from './roles.ts';

const COLUMNS: readonly Column<Member>[] = [
  nameColumn((member) => <MailRefused member={member} />),
  ROLE,
  FRAMEWORKS,
  {
    id: 'singleSignOn',
    header: 'Single sign-on',
    width: 130,
    leaves: 1,
    render: ({ singleSignOn }) => singleSignOn !== null && <span title={singleSignOn}>Linked</span>,
  },
  {
    id: 'status',
    header: 'Status',
    width: 180,
    leaves: 3,
    className: 'wrap',
    render: ({ endedAt }) =>
      endedAt === null ? (
        <StatusDot status="active" />
      ) : (
        <>
          <StatusDot status="ended" /> <Time value={endedAt} />
        </>
      ),
  },
];

const ACTIONS: Column<Member> = {
  id: 'actions',
  header: 'Actions',
  width: 84,
  className: 'align-end',
  render: (member) => <MemberActions member={member} />,
};

/** The members with their settings, for admins and auditors. */
export function MemberList() {
  const { isAdmin } = useSession();
  const { data, error, refetch } = useQuery(trpc.management.member.list.queryOptions());
  const members = data?.toSorted(
    (a, b) => Number(a.endedAt !== null) - Number(b.endedAt !== null) || a.name.localeCompare(b.name),
  );
  return (
    <MemberTable
      columns={isAdmin ? [...COLUMNS, ACTIONS] : COLUMNS}
      members={members}
      error={error}
      onRetry={() => void refetch()}
    />
  );
}
