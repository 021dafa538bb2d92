import { Button, SegmentedControl } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { markAllAsRead, markAsRead } from '../../components/inbox/marks.ts';
import type { InboxItem } from '../../components/inbox/marks.ts';
import { Page as Frame } from '../../components/page.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { FilterBar } from '../../components/table/filter-bar.tsx';
import { useSearch } from '../../components/table/use-search.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import { usePrinting } from '../../print/printing.ts';
import { columnsOf } from './columns.tsx';
import { focusRow, focusedRow } from './focus.ts';
import { subjectKey } from './groups.ts';
import { itemsOf, rowsOf } from './rows.ts';
import type { Row } from './rows.ts';
import { useItems } from './use-items.ts';

const FILTERS = [
  { value: 'all', label: 'All' },
  { value: 'unread', label: 'Unread' },
];

/** Items that the person hears of, newest first. */
export function Page() {
  const [search, setSearch] = useSearch(['unread']);
  const isUnreadOnly = search.unread === 'true';
  const { groups, items, unread, isUnread, error, refetch, hasNextPage, fetchNextPage } = useItems(isUnreadOnly);
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const isPrinting = usePrinting();
  const all = useMutation({ mutationFn: markAllAsRead });
  const rows = groups && rowsOf(groups, (key) => isPrinting || expanded.has(key));

  const toggle = (key: string) => {
    const next = new Set(expanded);
    if (!next.delete(key)) next.add(key);
    setExpanded(next);
  };
  /** Marks the items of a row. The focus goes to the next line if this one leaves the list. */
  const markRow = (row: Row) => {
    const read = itemsOf(row);
    const isLeaving = ({ item, group }: Row) => (item === undefined ? group === row.group : read.includes(item));
    if (rows !== undefined && focusedRow(rows) === row) focusRow(rows, row, isUnreadOnly ? isLeaving : undefined);
    void markAsRead(read);
  };
  useShortcut('e', () => {
    const row = focusedRow(rows ?? []);
    if (row !== undefined) markRow(row);
  });
  const open = (opened: InboxItem) => void markAsRead(items.filter((item) => subjectKey(item) === subjectKey(opened)));

  return (
    <Frame
      title="Inbox"
      action={
        unread !== undefined &&
        unread > 0 && (
          <Button variant="default" loading={all.isPending} onClick={() => all.mutate()}>
            Mark all as read
          </Button>
        )
      }
    >
      <FilterBar total={unread} unit={['unread item', 'unread items']}>
        <SegmentedControl
          size="xs"
          aria-label="Items"
          data={FILTERS}
          value={isUnreadOnly ? 'unread' : 'all'}
          onChange={(value) => setSearch({ unread: value === 'unread' ? 'true' : undefined })}
        />
      </FilterBar>
      {all.error !== null && <ErrorMessage title="The items could not be marked as read" error={all.error} />}
      {error !== null && (
        <ErrorMessage title="The inbox could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {(error === null || rows !== undefined) && (
        <DataTable
          label="Inbox"
          columns={columnsOf({
            isUnread: (row) => itemsOf(row).some(isUnread),
            expanded,
            onToggle: toggle,
            onRead: markRow,
            onOpen: open,
          })}
          rows={rows}
          rowKey={({ key }) => key}
          onLoadMore={hasNextPage ? () => void fetchNextPage() : undefined}
          empty={isUnreadOnly ? <NothingUnread onShowAll={() => setSearch({ unread: undefined })} /> : <NothingYet />}
        />
      )}
    </Frame>
  );
}

const NothingYet = () => (
  <EmptyState
    text="The inbox shows tasks that are assigned to you, comments that mention you, reminders, changes of what you watch, and changes of how you sign in."
    action={<Link to="/tasks">Tasks</Link>}
  />
);

const NothingUnread = ({ onShowAll }: { onShowAll: () => void }) => (
  <EmptyState
    text="You have read everything."
    action={
      <Button variant="default" onClick={onShowAll}>
        Show all items
      </Button>
    }
  />
);
