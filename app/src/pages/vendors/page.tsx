import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { DataTable } from '../../components/table/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { useColumns } from '../../components/table/use-columns.tsx';
import { useSession } from '../../components/use-session.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import { useCurrentView } from '../../components/views/use-views.ts';
import { ViewActions } from '../../components/views/view-actions.tsx';
import { columnsOf } from './columns.tsx';
import { Filters, isFiltered } from './filters.tsx';
import { NewVendorDialog } from './new-vendor-dialog.tsx';
import { DEFAULT_SORT, useFilters } from './use-filters.ts';
import { useVendorPages } from './use-vendor-pages.ts';

export function Page() {
  const { canWrite } = useSession();
  const [isCreating, setIsCreating] = useState(false);
  const { values, setValues, filters } = useFilters();
  const { vendors, total, loadMore, error, refetch } = useVendorPages(filters);
  const isByReview = filters.sort === 'nextReview' || filters.review !== undefined;
  const [columns, columnMenu, columnIds] = useColumns('vendors', columnsOf(isByReview), {
    value: values.columns,
    onChange: (ids) => setValues({ columns: ids }),
  });
  useShortcut('c', () => setIsCreating(canWrite));
  const newVendor = canWrite && <Button onClick={() => setIsCreating(true)}>New vendor</Button>;
  const hasFilters = isFiltered(values);
  const isEmpty = total === 0 && !hasFilters;
  const { title = 'Vendors' } = useCurrentView('vendors', values);
  const action = (
    <div className="page-actions">
      <ViewActions page="vendors" search={values} columns={columnIds} isCovered={isCreating} onChange={setValues} />
      {!isEmpty && newVendor}
    </div>
  );

  return (
    <Frame title={title} action={action}>
      <Filters total={total} values={values} onChange={setValues} isCovered={isCreating} columnMenu={columnMenu} />
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
      <NewVendorDialog opened={isCreating} onClose={() => setIsCreating(false)} />
    </Frame>
  );
}
