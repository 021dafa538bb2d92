import { containsText } from '../../components/contains-text.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { FilterBar } from '../../components/table/filter-bar.tsx';
import { SearchField } from '../../components/table/search-field.tsx';
import { useSearch } from '../../components/table/use-search.ts';
import type { Listed } from './columns.tsx';

interface MemberTableProps<Row extends Listed> {
  columns: readonly Column<Row>[];
  /** Undefined while they load. */
  members: readonly Row[] | undefined;
  error: unknown;
  onRetry: () => void;
}

/** The members whose name or email has the text of the search. */
export function MemberTable<Row extends Listed>({ columns, members, error, onRetry }: MemberTableProps<Row>) {
  const [{ q = '' }, setSearch] = useSearch(['q']);
  if (error !== null) return <ErrorMessage title="The members could not be loaded" error={error} onRetry={onRetry} />;
  const rows = members?.filter(({ name, email }) => containsText(`${name} ${email}`, q));
  return (
    <>
      <FilterBar total={rows?.length} unit={['member', 'members']}>
        <SearchField label="Search members" value={q} onChange={(text) => setSearch({ q: text })} />
      </FilterBar>
      <DataTable
        label="Members"
        columns={columns}
        rows={rows}
        rowKey={({ uniqueId }) => uniqueId}
        empty={<EmptyState text="No member has this name or email." />}
      />
    </>
  );
}
