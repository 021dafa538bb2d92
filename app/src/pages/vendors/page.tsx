import { Button, NativeSelect } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client, trpc } from '../../api/client.ts';
import type { Inputs } from '../../api/client.ts';
import { pagesOptions } from '../../api/pages.ts';
import { DataTable } from '../../components/table/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { EVIDENCE_OPTIONS, evidenceFilterOf, evidenceFilterText } from '../../components/evidence/start/filter.ts';
import { FilterBar } from '../../components/table/filter-bar.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { SearchField } from '../../components/table/search-field.tsx';
import { statusOptions, statusText } from '../../components/status-dot.tsx';
import { setFiltersOf } from '../../components/table/set-filters.ts';
import { useSearch } from '../../components/table/use-search.ts';
import { useHidden } from '../../components/undo/undo.ts';
import { useSession } from '../../components/use-session.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import { VENDOR_STATUSES } from '../../components/vendor/choices.ts';
import { useCurrentView } from '../../components/views/use-views.ts';
import { VIEW_PARAMETERS } from '../../components/views/view.ts';
import { ViewActions } from '../../components/views/view-actions.tsx';
import { columns } from './columns.tsx';
import { NewVendorDialog } from './new-vendor-dialog.tsx';

const PAGE_SIZE = 100;
/** Milliseconds for which "Back" finds the loaded pages again. */
const KEPT_MS = 3_600_000;

const FILTERS = [
  { parameter: 'q', name: 'Search' },
  { parameter: 'status', name: 'Status', textOf: statusText },
  { parameter: 'evidence', name: 'Evidence', textOf: evidenceFilterText },
] as const;

export function Page() {
  const { canWrite } = useSession();
  const [isCreating, setIsCreating] = useState(false);
  const [search, setSearch] = useSearch(['q', 'status', 'evidence', ...VIEW_PARAMETERS]);
  const filters = {
    ...(search.q !== undefined && { q: search.q }),
    status: VENDOR_STATUSES.find((status) => status === search.status),
    evidence: evidenceFilterOf(search.evidence),
  };
  const { data, error, refetch, hasNextPage, fetchNextPage } = useVendors(filters);
  useShortcut('c', () => setIsCreating(canWrite));
  const newVendor = canWrite && <Button onClick={() => setIsCreating(true)}>New vendor</Button>;
  const hidden = useHidden();
  const loaded = data?.pages.flatMap(({ items }) => items) ?? [];
  const vendors = loaded.filter(({ uniqueId }) => !hidden.has(uniqueId));
  const total = data?.pages[0]?.total;
  const setFilters = setFiltersOf(FILTERS, search, (parameter) => setSearch({ [parameter]: undefined }));

  const isEmpty = total === 0 && setFilters.length === 0;
  const { title = 'Vendors' } = useCurrentView('vendors', search);
  const action = (
    <div className="page-actions">
      <ViewActions page="vendors" search={search} isCovered={isCreating} onChange={setSearch} />
      {!isEmpty && newVendor}
    </div>
  );

  return (
    <Frame title={title} action={action}>
      <FilterBar
        total={total === undefined ? undefined : total - (loaded.length - vendors.length)}
        unit={['vendor', 'vendors']}
        filters={setFilters}
        onClear={() => setSearch({ q: undefined, status: undefined, evidence: undefined })}
      >
        <SearchField label="Search vendors" value={search.q} onChange={(q) => setSearch({ q })} />
        <NativeSelect
          aria-label="Status"
          size="xs"
          w={140}
          data={[{ value: '', label: 'Any status' }, ...statusOptions(VENDOR_STATUSES)]}
          value={search.status ?? ''}
          onChange={({ currentTarget }) => setSearch({ status: currentTarget.value })}
        />
        <NativeSelect
          aria-label="Evidence"
          size="xs"
          w={160}
          data={[{ value: '', label: 'Any evidence' }, ...EVIDENCE_OPTIONS]}
          value={search.evidence ?? ''}
          onChange={({ currentTarget }) => setSearch({ evidence: currentTarget.value })}
        />
      </FilterBar>
      {error !== null && (
        <ErrorMessage title="The vendors could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {(error === null || data !== undefined) && (
        <DataTable
          label="Vendors"
          columns={columns}
          rows={data === undefined ? undefined : vendors}
          rowKey={({ uniqueId }) => uniqueId}
          onLoadMore={hasNextPage ? () => void fetchNextPage() : undefined}
          empty={
            setFilters.length > 0 ? (
              <EmptyState text="No vendor matches these filters." />
            ) : (
              <EmptyState
                text="Vendors are the companies and services that you rely on."
                action={
                  canWrite && (
                    <>
                      {newVendor} <Link to="/imports">Import a file</Link>
                    </>
                  )
                }
              />
            )
          }
        />
      )}
      <NewVendorDialog opened={isCreating} onClose={() => setIsCreating(false)} />
    </Frame>
  );
}

const useVendors = (filters: NonNullable<Inputs['vendor']['page']>) =>
  useInfiniteQuery({
    ...pagesOptions(trpc.vendor.page.queryKey(filters), (position, options) =>
      client.vendor.page.query({ ...filters, view: 'full', limit: PAGE_SIZE, ...position }, options),
    ),
    placeholderData: keepPreviousData,
    gcTime: KEPT_MS,
  });
