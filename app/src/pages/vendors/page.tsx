import { Button, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Inputs as ApiInputs, Outputs } from '../../api/client.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Created } from '../../components/created.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { countColumn, evidenceFilter } from '../../components/evidence/list.tsx';
import { openDialog } from '../../components/form/dialog.tsx';
import { Level } from '../../components/level.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { memberFilter, MemberItems } from '../../components/person/member-select.tsx';
import { Person } from '../../components/person/person.tsx';
import { maySee, nameIn, useMembers } from '../../components/person/use-members.ts';
import type { Member } from '../../components/person/use-members.ts';
import { Inputs } from '../../components/record/fields.tsx';
import { firstText } from '../../components/record/kinds.tsx';
import { StatusDot, statusOptions } from '../../components/status-dot.tsx';
import type { BatchKind } from '../../components/table/batch.ts';
import type { Column } from '../../components/table/data-table.tsx';
import { oneOf, quarters, rangeFilters, searchFilter, severalOf, textFilter } from '../../components/table/filters.tsx';
import type { Filters, Options } from '../../components/table/filters.tsx';
import { ListBar, useList, usePages } from '../../components/table/list.tsx';
import { sampleExport, sampleOrder } from '../../components/table/sample.tsx';
import { useExportMenu } from '../../components/table/use-export-menu.tsx';
import { ActionMenu, DateAction, SelectionTable, WordsAction } from '../../components/table/selection.tsx';
import { Time } from '../../components/time.tsx';
import { useSession } from '../../components/use-session.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import {
  criticalityOptions,
  criticalityText,
  OUTCOMES,
  riskOptions,
  VENDOR_STATUSES,
} from '../../components/vendor/choices.ts';
import type { Vendor } from '../../components/vendor/choices.ts';
import { vendorFields } from '../../components/vendor/fields.tsx';
import type { VendorValues } from '../../components/vendor/fields.tsx';
import { contractWords, NearDate, reviewWords } from '../../components/vendor/near-date.tsx';
import { Outcome } from '../../components/vendor/outcome.tsx';
import { useCurrentView } from '../../components/views/use-views.ts';
import { ViewActions } from '../../components/views/view-actions.tsx';
import { dateIn } from '../../dates.ts';

/** Filters, order and view of the list of vendors. */
type VendorQuery = Extract<ApiInputs['vendor']['page'], object>;
/** A vendor of the list, which has all its fields. */
type ListedVendor = Extract<Outputs['vendor']['page']['items'][number], { nextReview: unknown }>;
type VendorChanges = Pick<
  ApiInputs['vendor']['update'],
  'status' | 'criticality' | 'ownerId' | 'labels' | 'nextReview'
>;

const reload = () =>
  Promise.all([
    queryClient.invalidateQueries(trpc.vendor.pathFilter()),
    queryClient.invalidateQueries(trpc.overview.pathFilter()),
  ]);

/** Changes of many vendors. */
const VENDOR_BATCH: BatchKind<ListedVendor, VendorChanges> = {
  unit: ['vendor', 'vendors'],
  nameOf: ({ name }) => name,
  send: (items) => client.vendor.batch.mutate({ items: [...items] }),
  formerOf: ({ status, criticality, owner, labels, nextReview }, changes) => ({
    ...(changes.status !== undefined && { status }),
    ...(changes.criticality !== undefined && { criticality }),
    ...(changes.ownerId !== undefined && { ownerId: owner?.uniqueId ?? null }),
    ...(changes.labels !== undefined && { labels }),
    ...(changes.nextReview !== undefined && { nextReview }),
  }),
  reload,
};

/** The orders as people read them. */
const SORTS: Options<NonNullable<VendorQuery['sort']>> = [
  { value: 'name', label: 'By name' },
  { value: 'criticality', label: 'Critical first' },
  { value: 'nextReview', label: 'Next review first' },
  { value: 'contractEnd', label: 'Contract end first' },
  { value: '-createdAt', label: 'Newest first' },
  { value: '-updatedAt', label: 'Last updated first' },
];

type VendorFilters = Omit<VendorQuery, 'sort' | 'seed' | 'view' | 'limit' | 'cursor' | 'updatedSince'>;

/** The filters of the vendors. @param own uniqueId of the person who reads @param today day of the company */
const vendorFilters = (members: readonly Member[], own: string, today: string): Filters<VendorFilters> => ({
  q: searchFilter('Search vendors'),
  status: { ...oneOf('Status', 'Any status', statusOptions(VENDOR_STATUSES)), width: 120 },
  criticality: {
    ...severalOf('Criticality', 'Any criticality', riskOptions),
    width: 140,
  },
  owner: { ...memberFilter('Owner', 'Any owner', { members, own }), width: 140 },
  review: {
    ...oneOf<NonNullable<VendorQuery['review']>>('Review', 'Any review', [
      { value: 'overdue', label: 'Overdue' },
      { value: 'month', label: 'Due within 30 days' },
      { value: 'none', label: 'No next review' },
    ]),
    width: 130,
  },
  ...rangeFilters('Next review', ['nextReviewAfter', 'nextReviewBefore'], quarters(today, [0, 1])),
  ...rangeFilters('Contract end', ['contractEndAfter', 'contractEndBefore'], quarters(today, [0, 1])),
  outcome: severalOf('Outcome', 'Any outcome', statusOptions(OUTCOMES)),
  risk: severalOf('Risk', 'Any risk', riskOptions),
  contract: oneOf<NonNullable<VendorQuery['contract']>>('Contract', 'Any contract', [
    { value: 'ended', label: 'Ended' },
    { value: 'month', label: 'Ends within 30 days' },
  ]),
  evidence: evidenceFilter,
  label: textFilter('Label', 'Any label'),
});

/** The columns of the vendors. */
const vendorColumns = (members: readonly Member[]): readonly Column<ListedVendor>[] => [
  {
    id: 'name',
    header: 'Name',
    className: 'title',
    sorts: ['name'],
    render: ({ uniqueId, name }) => (
      <Link to="/vendors/$uniqueId" params={{ uniqueId }} title={name} dir="auto">
        {name}
      </Link>
    ),
  },
  {
    id: 'criticality',
    header: 'Criticality',
    width: 110,
    leaves: 8,
    line: 3,
    sorts: ['criticality'],
    render: ({ criticality }) =>
      criticality !== null && <Level level={criticality} label={criticalityText(criticality)} />,
  },
  {
    id: 'owner',
    header: 'Owner',
    width: 150,
    leaves: 6,
    line: 2,
    render: ({ owner }) => owner !== null && <Person name={owner.name} label={nameIn(members, owner)} />,
  },
  {
    id: 'nextReview',
    header: 'Next review',
    width: 160,
    leaves: 9,
    line: 1,
    sorts: ['nextReview'],
    render: (vendor) => vendor.nextReview !== null && <NearDate value={vendor.nextReview} near={reviewWords(vendor)} />,
  },
  {
    id: 'status',
    header: 'Status',
    width: 120,
    leaves: 7,
    render: ({ status }) => <StatusDot status={status} />,
  },
  countColumn(5, ({ evidenceCount }) => evidenceCount),
  {
    id: 'contractEnd',
    header: 'Contract end',
    width: 160,
    leaves: 4,
    sorts: ['contractEnd'],
    render: (vendor) =>
      vendor.contractEnd !== null && <NearDate value={vendor.contractEnd} near={contractWords(vendor)} />,
  },
  {
    id: 'outcome',
    header: 'Outcome',
    width: 170,
    leaves: 3,
    render: ({ lastReview }) => lastReview !== null && <Outcome review={lastReview} />,
  },
  {
    id: 'lastReview',
    header: 'Last review',
    width: 130,
    leaves: 2,
    render: ({ lastReview }) => lastReview !== null && <Time value={lastReview.at} />,
  },
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
export const openNewVendor = (onCreated: (vendor: Vendor) => void) =>
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
      await reload();
      onCreated(vendor);
    },
  });

const PAGE_SIZE = 100;

/** Pages of vendors with all their fields. @param max vendors of a sample */
const useVendorPages = (query: VendorQuery, max?: number) =>
  usePages<ListedVendor>(
    trpc.vendor.page.queryKey(query),
    async (position, options) => {
      const input = { ...query, view: 'full' as const, limit: PAGE_SIZE, ...position };
      const { items, ...page } = await client.vendor.page.query(input, options);
      return { ...page, items: items.flatMap((item) => (isWhole(item) ? [item] : [])) };
    },
    max,
  );

/** True for every item of the view `full`. */
const isWhole = (item: object): item is ListedVendor => 'nextReview' in item;

interface VendorActionsProps {
  isBusy: boolean;
  onUpdate: (changes: VendorChanges) => void;
}

/** Changes of the selected vendors. */
function VendorActions({ isBusy, onUpdate }: VendorActionsProps) {
  const { members } = useMembers();
  return (
    <>
      <ActionMenu label="Set criticality" disabled={isBusy}>
        {criticalityOptions.map(({ value, label }) => (
          <Menu.Item key={value} onClick={() => onUpdate({ criticality: value })}>
            <Level level={value} label={label} />
          </Menu.Item>
        ))}
        <Menu.Item onClick={() => onUpdate({ criticality: null })}>No criticality</Menu.Item>
      </ActionMenu>
      <ActionMenu label="Set owner" disabled={isBusy}>
        <MemberItems
          members={members.filter((member) => maySee(member))}
          onChoose={(ownerId) => onUpdate({ ownerId })}
        />
      </ActionMenu>
      <WordsAction
        name="labels"
        description="They replace the current labels of the vendors"
        disabled={isBusy}
        onApply={(labels) => onUpdate({ labels })}
      />
      <DateAction name="next review" disabled={isBusy} onApply={(nextReview) => onUpdate({ nextReview })} />
      <ActionMenu label="Set status" disabled={isBusy}>
        {VENDOR_STATUSES.map((status) => (
          <Menu.Item key={status} onClick={() => onUpdate({ status })}>
            <StatusDot status={status} />
          </Menu.Item>
        ))}
      </ActionMenu>
    </>
  );
}

export function Page() {
  const { canWrite, company, member: own } = useSession();
  const [created, setCreated] = useState<Vendor>();
  const { members } = useMembers();
  const list = useList({
    name: 'vendors',
    unit: VENDOR_BATCH.unit,
    columns: vendorColumns(members),
    filters: vendorFilters(members, own, dateIn(company.timeZone)),
    sorts: SORTS,
    hasSamples: true,
  });
  const { values, setValues, query, sample, set, columnChoice } = list;
  const filters = { ...query, ...sampleOrder(sample) };
  const pages = useVendorPages(filters, sample?.count);
  const { rows, total, error, refetch } = pages;
  const [exportMenu, exportStatus] = useExportMenu({
    fileName: 'vendors.csv',
    unit: VENDOR_BATCH.unit,
    load: (options, signal) =>
      client.vendor.exportCsv.query({ ...filters, ...sampleExport(sample), ...options }, { signal }),
    children: canWrite && (
      <Menu.Item renderRoot={(props) => <Link to="/imports" search={{ kind: 'vendor' }} {...props} />}>
        Import a file
      </Menu.Item>
    ),
  });
  const create = () => openNewVendor(setCreated);
  useShortcut('c', () => canWrite && create());
  const newVendor = canWrite && <Button onClick={create}>New vendor</Button>;
  const isFiltered = set.length > 0;
  const isEmpty = total === 0 && !isFiltered;
  const { title = 'Vendors' } = useCurrentView('vendors', values);
  const action = (
    <div className="page-actions">
      <ViewActions page="vendors" search={values} columns={columnChoice?.chosen} onChange={setValues} />
      {!isEmpty && exportMenu}
      {!isEmpty && newVendor}
    </div>
  );

  return (
    <Frame title={title} action={action}>
      {exportStatus}
      <ListBar list={list} total={total} matching={pages.matching} />
      {created !== undefined && <Created what="vendor" path={`/vendors/${created.uniqueId}`} />}
      {error !== null && (
        <ErrorMessage title="The vendors could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {(error === null || rows !== undefined) && (
        <SelectionTable
          label="Vendors"
          kind={VENDOR_BATCH}
          pages={pages}
          table={list.table}
          actions={(_vendors, onUpdate, isBusy) => <VendorActions isBusy={isBusy} onUpdate={onUpdate} />}
          empty={
            isFiltered ? (
              <EmptyState text="No vendors match these filters." />
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
    </Frame>
  );
}
