import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { trpc } from '../../api/client.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { FrameworkNames } from '../../components/frameworks/framework-names.tsx';
import { Time } from '../../components/time.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { FilterBar } from '../../components/table/filter-bar.tsx';
import { SearchField } from '../../components/table/search-field.tsx';
import { useSearch } from '../../components/table/use-search.ts';
import { useSession } from '../../components/use-session.ts';
import { MemberActions } from './member-actions.tsx';
import { roleText } from './roles.ts';
import type { Member } from './roles.ts';

const COLUMNS: readonly Column<Member>[] = [
  {
    id: 'name',
    header: 'Name',
    className: 'wrap',
    render: ({ uniqueId, name, email, mailRefusedAt }) => (
      <>
        <Link to="/members/$uniqueId" params={{ uniqueId }}>
          {name}
        </Link>
        <br />
        <span className="quiet">{email}</span>
        {mailRefusedAt !== null && (
          <>
            <br />
            <StatusDot status="failed" label="Mail rejected" /> <Time value={mailRefusedAt} />
          </>
        )}
      </>
    ),
  },
  { id: 'role', header: 'Role', width: 90, render: ({ role }) => roleText(role) },
  {
    id: 'frameworks',
    header: 'Frameworks',
    width: 180,
    leaves: 2,
    className: 'wrap',
    render: ({ frameworks }) => <FrameworkNames ids={frameworks} />,
  },
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
  header: '',
  width: 52,
  className: 'align-end',
  render: (member) => <MemberActions member={member} />,
};

export function MemberList() {
  const { isAdmin } = useSession();
  const [{ q = '' }, setSearch] = useSearch(['q']);
  const { data, error, refetch } = useQuery(trpc.management.member.list.queryOptions());
  if (error !== null)
    return <ErrorMessage title="The members could not be loaded" error={error} onRetry={() => void refetch()} />;
  const members = data
    ?.filter(({ name, email }) => `${name} ${email}`.toLowerCase().includes(q.toLowerCase()))
    .toSorted((a, b) => Number(a.endedAt !== null) - Number(b.endedAt !== null) || a.name.localeCompare(b.name));
  return (
    <>
      <FilterBar total={members?.length} unit={['member', 'members']}>
        <SearchField label="Search members" value={q} onChange={(text) => setSearch({ q: text })} />
      </FilterBar>
      <DataTable
        label="Members"
        columns={isAdmin ? [...COLUMNS, ACTIONS] : COLUMNS}
        rows={members}
        rowKey={({ uniqueId }) => uniqueId}
        empty={<EmptyState text="No member has this name or email." />}
      />
    </>
  );
}
