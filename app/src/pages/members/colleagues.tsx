import { useMembers } from '../../components/person/use-members.ts';
import type { Member } from '../../components/person/use-members.ts';
import { StatusDot } from '../../components/status-dot.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { FRAMEWORKS, ROLE, nameColumn } from './columns.tsx';
import { MemberTable } from './member-table.tsx';

const COLUMNS: readonly Column<Member>[] = [
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
      columns={COLUMNS}
      members={isLoaded ? members : undefined}
      error={error}
      onRetry={() => void refetch()}
    />
  );
}
