import { Button } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { pagesOptions } from '../../api/pages.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Created } from '../../components/created.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { countColumn } from '../../components/evidence/count-column.tsx';
import { openDialog, useHasDialog } from '../../components/form/dialog.tsx';
import { Level } from '../../components/level.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { Person } from '../../components/person/person.tsx';
import { Inputs } from '../../components/record/fields.tsx';
import { firstText } from '../../components/record/kinds.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { useColumns } from '../../components/table/use-columns.tsx';
import { Time } from '../../components/time.tsx';
import { useHidden } from '../../components/undo/undo.ts';
import { useSession } from '../../components/use-session.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import { criticalityText } from '../../components/vendor/choices.ts';
import type { Vendor, VendorQuery } from '../../components/vendor/choices.ts';
import { vendorFields } from '../../components/vendor/fields.tsx';
import type { VendorValues } from '../../components/vendor/fields.tsx';
import { NearDate, reviewWords } from '../../components/vendor/near-date.tsx';
import { useCurrentView } from '../../components/views/use-views.ts';
import { ViewActions } from '../../components/views/view-actions.tsx';
import { Filters, isFiltered } from './filters.tsx';
import { DEFAULT_SORT, useFilters } from './use-filters.ts';

/** A vendor of the list, which has all its fields. */
type ListedVendor = Extract<Outputs['vendor']['page']['items'][number], { nextReview: unknown }>;

/** Columns of the vendors. */
const COLUMNS: readonly Column<ListedVendor>[] = [
  {
    id: 'name',
    header: 'Name',
    className: 'title',
    sorts: ['name'],
    render: ({ uniqueId, name }) => (
      <Link to="/vendors/$uniqueId" params={{ uniqueId }}>
        {name}
      </Link>
    ),
  },
  {
    id: 'criticality',
    header: 'Criticality',
    width: 110,
    leaves: 6,
    line: 3,
    sorts: ['criticality'],
    render: ({ criticality }) =>
      criticality !== null && <Level level={criticality} label={criticalityText(criticality)} />,
  },
  {
    id: 'owner',
    header: 'Owner',
    width: 150,
    leaves: 4,
    line: 2,
    render: ({ owner }) => owner !== null && <Person name={owner.name} />,
  },
  {
    id: 'nextReview',
    header: 'Next review',
    width: 160,
    leaves: 7,
    line: 1,
    sorts: ['nextReview'],
    render: (vendor) => vendor.nextReview !== null && <NearDate value={vendor.nextReview} near={reviewWords(vendor)} />,
  },
  {
    id: 'status',
    header: 'Status',
    width: 120,
    leaves: 5,
    render: ({ status }) => <StatusDot status={status} />,
  },
  countColumn(2, ({ evidenceCount }) => evidenceCount),
  {
    id: 'updatedAt',
    header: 'Updated',
    width: 130,
    leaves: 1,
    isOptional: true,
    sorts: ['-updatedAt'],
    render: ({ updatedAt }) => <Time value={updatedAt} />,
  },
];

type NewVendor = Pick<VendorValues, 'name' | 'criticality' | 'nextReview' | 'owner'>;

const NEW_VENDOR: NewVendor = { name: '', criticality: null, nextReview: null, owner: null };

/** Facts of a new vendor that the dialog does not ask for. */
const OTHER_FACTS = { status: 'active', website: null, contractEnd: null } as const;

/** Creates a vendor. The other facts are edited on its own page. */
const openNewVendor = (onCreated: (vendor: Vendor) => void) =>
  openDialog({
    title: 'New vendor',
    initial: NEW_VENDOR,
    fields: (form) => (
      <Inputs<NewVendor>
        fields={{ name: firstText, ...vendorFields({ ...OTHER_FACTS, ...form.values }) }}
        names={['name', 'criticality', 'nextReview', 'owner']}
        field={form.record}
      />
    ),
    button: 'Save',
    submit: async ({ owner, ...values }) => {
      const vendor = await client.vendor.create.mutate({ ...values, ownerId: owner?.uniqueId ?? null });
      await Promise.all([
        queryClient.invalidateQueries(trpc.vendor.pathFilter()),
        queryClient.invalidateQueries(trpc.overview.pathFilter()),
      ]);
      onCreated(vendor);
    },
  });

const PAGE_SIZE = 100;
/** Milliseconds for which "Back" finds the loaded pages again. */
const KEPT_MS = 3_600_000;

/** Pages of vendors with all their fields, with the total of all. */
function useVendorPages(filters: VendorQuery) {
  const query = useInfiniteQuery({
    ...pagesOptions(trpc.vendor.page.queryKey(filters), (position, options) =>
      client.vendor.page.query({ ...filters, view: 'full', limit: PAGE_SIZE, ...position }, options),
    ),
    placeholderData: keepPreviousData,
    gcTime: KEPT_MS,
  });
  const { data, hasNextPage, fetchNextPage } = query;
  const hidden = useHidden();
  const loaded = data?.pages.flatMap(({ items }) => items).filter((item) => isWhole(item)) ?? [];
  const vendors = loaded.filter(({ uniqueId }) => !hidden.has(uniqueId));
  const total = data?.pages[0]?.total;
  return {
    ...query,
    vendors: data === undefined ? undefined : vendors,
    total: total === undefined ? undefined : total - (loaded.length - vendors.length),
    /** Loads the next page; undefined if there is none. */
    loadMore: hasNextPage ? () => void fetchNextPage() : undefined,
  };
}

/** True for every item of the view `full`. */
const isWhole = (item: object): item is ListedVendor => 'nextReview' in item;

export function Page() {
  const { canWrite } = useSession();
  const isCovered = useHasDialog();
  const [created, setCreated] = useState<Vendor>();
  const { values, setValues, filters } = useFilters();
  const { vendors, total, loadMore, error, refetch } = useVendorPages(filters);
  const [columns, columnMenu, columnIds] = useColumns('vendors', COLUMNS, {
    value: values.columns,
    onChange: (ids) => setValues({ columns: ids }),
  });
  const create = () => openNewVendor(setCreated);
  useShortcut('c', () => canWrite && create());
  const newVendor = canWrite && <Button onClick={create}>New vendor</Button>;
  const hasFilters = isFiltered(values);
  const isEmpty = total === 0 && !hasFilters;
  const { title = 'Vendors' } = useCurrentView('vendors', values);
  const action = (
    <div className="page-actions">
      <ViewActions page="vendors" search={values} columns={columnIds} onChange={setValues} />
      {!isEmpty && newVendor}
    </div>
  );

  return (
    <Frame title={title} action={action}>
      <Filters total={total} values={values} onChange={setValues} isCovered={isCovered} columnMenu={columnMenu} />
      {created !== undefined && <Created what="vendor" path={`/vendors/${created.uniqueId}`} />}
      {error !== null && (
        <ErrorMessage title="The vendors could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {(error === null || vendors !== undefined) && (
        <DataTable
          label="Vendors"
          columns={columns}
          rows={vendors}
          rowKey={({ uniqueId }) => uniqueId}
          sort={filters.sort}
          onSort={(sort) => setValues({ sort: sort === DEFAULT_SORT ? undefined : sort })}
          onLoadMore={loadMore}
          empty={
            hasFilters ? (
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
    </Frame>
  );
}
