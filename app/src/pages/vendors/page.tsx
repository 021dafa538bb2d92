import { Button, Group, Menu, Select, TextInput } from '@mantine/core';
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
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { Level } from '../../components/level.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { chosenId, MemberSelect } from '../../components/person/member-select.tsx';
import { Person } from '../../components/person/person.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { useColumns } from '../../components/table/use-columns.tsx';
import { useExportMenu } from '../../components/table/use-export-menu.tsx';
import { Time } from '../../components/time.tsx';
import { useHidden } from '../../components/undo/undo.ts';
import { useSession } from '../../components/use-session.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import { criticalityOptions, criticalityText } from '../../components/vendor/choices.ts';
import type { Vendor, VendorQuery } from '../../components/vendor/choices.ts';
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

interface NewVendorDialogProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (vendor: Vendor) => void;
}

interface Values {
  name: string;
  criticality: number | null;
  /** `ME`, `NOBODY` or the uniqueId of a member; null for nobody. */
  ownerId: string | null;
  nextReview: string;
}

const EMPTY: Values = { name: '', criticality: null, ownerId: null, nextReview: '' };

/** Creates a vendor. The other facts are edited on its own page. */
function NewVendorDialog({ opened, onClose, onCreated }: NewVendorDialogProps) {
  const form = useServerForm(EMPTY);
  const { member } = useSession();
  return (
    <FormDialog
      title="New vendor"
      submitLabel="Save"
      opened={opened}
      onClose={onClose}
      form={form}
      onSubmit={async ({ name, criticality, ownerId, nextReview }) => {
        const vendor = await client.vendor.create.mutate({
          name,
          criticality,
          ownerId: chosenId(ownerId, member),
          nextReview: nextReview === '' ? null : nextReview,
        });
        await Promise.all([
          queryClient.invalidateQueries(trpc.vendor.pathFilter()),
          queryClient.invalidateQueries(trpc.overview.pathFilter()),
        ]);
        onCreated(vendor);
      }}
    >
      <TextInput label="Name" data-autofocus {...form.text('name')} />
      <Group grow gap="md" align="flex-start">
        <Select<number>
          label="Criticality"
          placeholder="None"
          clearable
          data={criticalityOptions}
          {...form.field('criticality')}
        />
        <TextInput type="date" label="Next review" {...form.text('nextReview')} />
      </Group>
      <MemberSelect label="Owner" placeholder="Nobody" clearable {...form.field('ownerId')} />
    </FormDialog>
  );
}

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
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<Vendor>();
  const { values, setValues, filters } = useFilters();
  const { vendors, total, loadMore, error, refetch } = useVendorPages(filters);
  const [columns, columnMenu, columnIds] = useColumns('vendors', COLUMNS, {
    value: values.columns,
    onChange: (ids) => setValues({ columns: ids }),
  });
  const [exportMenu, exportStatus] = useExportMenu({
    fileName: 'vendors.csv',
    unit: ['vendor', 'vendors'],
    load: (options, signal) => client.vendor.exportCsv.query({ ...filters, ...options }, { signal }),
    children: canWrite && (
      <Menu.Item renderRoot={(props) => <Link to="/imports" search={{ kind: 'vendor' }} {...props} />}>
        Import a file
      </Menu.Item>
    ),
  });
  useShortcut('c', () => setIsCreating(canWrite));
  const newVendor = canWrite && <Button onClick={() => setIsCreating(true)}>New vendor</Button>;
  const hasFilters = isFiltered(values);
  const isEmpty = total === 0 && !hasFilters;
  const { title = 'Vendors' } = useCurrentView('vendors', values);
  const action = (
    <div className="page-actions">
      <ViewActions page="vendors" search={values} columns={columnIds} isCovered={isCreating} onChange={setValues} />
      {!isEmpty && exportMenu}
      {!isEmpty && newVendor}
    </div>
  );

  return (
    <Frame title={title} action={action}>
      {exportStatus}
      <Filters total={total} values={values} onChange={setValues} isCovered={isCreating} columnMenu={columnMenu} />
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
                      {newVendor}{' '}
                      <Link to="/imports" search={{ kind: 'vendor' }}>
                        Import a file
                      </Link>
                    </>
                  )
                }
              />
            )
          }
        />
      )}
      <NewVendorDialog opened={isCreating} onClose={() => setIsCreating(false)} onCreated={setCreated} />
    </Frame>
  );
}
