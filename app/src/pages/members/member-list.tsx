import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { trpc } from '../../api/client.ts';
import { containsText } from '../../components/contains-text.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { FrameworkNames } from '../../components/frameworks/framework-names.tsx';
import { useMembers } from '../../components/person/use-members.ts';
import type { Member as Colleague } from '../../components/person/use-members.ts';
import { StatusDot } from '../../components/status-dot.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { searchFilter } from '../../components/table/filters.tsx';
import { ListBar, useList } from '../../components/table/list.tsx';
import { Time } from '../../components/time.tsx';
import { useSession } from '../../components/use-session.ts';
import { MailRefused } from './mail-refused.tsx';
import { AccessEnd, MemberActions } from './member-actions.tsx';
import { Email } from '../../components/person/email.tsx';
import { roleText } from './roles.ts';
import type { Member } from './roles.ts';

/** What every role reads of a member. */
type Listed = Pick<Colleague, 'uniqueId' | 'name' | 'email' | 'role' | 'frameworks'>;

/** The name with a link to the page of the member, and the email. @param renderMore further lines */
const nameColumn = <Row extends Listed>(renderMore?: (row: Row) => ReactNode): Column<Row> => ({
  id: 'name',
  header: 'Name',
  className: 'wrap',
  render: (row) => (
    <>
      <Link to="/members/$uniqueId" params={{ uniqueId: row.uniqueId }} dir="auto">
        {row.name}
      </Link>
      <br />
      <span className="quiet">
        <Email email={row.email} />
      </span>
      {renderMore?.(row)}
    </>
  ),
});

const ROLE: Column<Listed> = {
  id: 'role',
  header: 'Role',
  width: 90,
  render: ({ role }) => roleText(role),
};

const FRAMEWORKS: Column<Listed> = {
  id: 'frameworks',
  header: 'Frameworks',
  width: 180,
  leaves: 2,
  className: 'wrap',
  render: ({ frameworks }) => <FrameworkNames ids={frameworks} />,
};

interface MemberTableProps<Row extends Listed> {
  columns: readonly Column<Row>[];
  /** Undefined while they load. */
  members: readonly Row[] | undefined;
  error: unknown;
  onRetry: () => void;
}

/** The members whose name or email has the text of the search. */
function MemberTable<Row extends Listed>({ columns, members, error, onRetry }: MemberTableProps<Row>) {
  const list = useList({
    name: 'members',
    unit: ['member', 'members'],
    columns,
    filters: { q: searchFilter('Search members') },
  });
  if (error !== null) return <ErrorMessage title="The members could not be loaded" error={error} onRetry={onRetry} />;
  const rows = members?.filter(({ name, email }) => containsText(`${name} ${email}`, list.values['q'] ?? ''));
  return (
    <>
      <ListBar list={list} total={rows?.length} />
      <DataTable
        {...list.table}
        label="Members"
        rows={rows}
        rowKey={({ uniqueId }) => uniqueId}
        empty={<EmptyState text="No member has this name or email." />}
      />
    </>
  );
}

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
    render: ({ endedAt, endsAt }) =>
      endedAt === null ? (
        <>
          <StatusDot status="active" />
          <AccessEnd endsAt={endsAt} />
        </>
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

const COLLEAGUE_COLUMNS: readonly Column<Colleague>[] = [
  nameColumn(
    ({ ended }) =>
      ended && (
        <>
          <br />
          <StatusDot status="ended" />
        </>
      ),
  ),
  ROLE,
  FRAMEWORKS,
];

/** The members as every role may read them, for people who assign work to them. */
export function Colleagues() {
  const { members, isLoaded, error, refetch } = useMembers();
  return (
    <MemberTable
      columns={COLLEAGUE_COLUMNS}
      members={isLoaded ? members : undefined}
      error={error}
      onRetry={() => void refetch()}
    />
  );
}
