import { ActionIcon, Button, SegmentedControl, Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconChevron from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { keepPreviousData, useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { client, trpc } from '../../api/client.ts';
import { pagesOptions } from '../../api/pages.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { isRead, markAllAsRead, markAsRead, useMarks } from '../../components/inbox/marks.ts';
import type { InboxItem } from '../../components/inbox/marks.ts';
import { useUnreadCount } from '../../components/inbox/unread.ts';
import { Page as Frame } from '../../components/page.tsx';
import { addressOf } from '../../components/record/events/resource-address.ts';
import type { Address } from '../../components/record/events/resource-address.ts';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { FilterBar } from '../../components/table/filter-bar.tsx';
import { FIRST_ROW_INDEX } from '../../components/table/use-row-window.ts';
import { useSearch } from '../../components/table/use-search.ts';
import { useExpanded } from '../../components/table/use-expanded.ts';
import { useLoadMore } from '../../components/table/use-load-more.ts';
import { Time } from '../../components/time.tsx';
import { useShortcut } from '../../components/use-shortcut.ts';
import { MY_TASKS } from '../../components/views/view.ts';
import { exactTime } from '../../dates.ts';
import { usePrinting } from '../../print/printing.ts';
import { groupItems, subjectKey } from './groups.ts';
import type { ItemGroup } from './groups.ts';
import './inbox.css';
import { bulkSentenceOf, sentenceOf, textOf } from './words.ts';

/** A line of the inbox: the newest item of a group, a group of many resources, or an item of a group that is unfolded. */
interface Row {
  key: string;
  group: ItemGroup;
  /** Undefined for a group of many resources. */
  item: InboxItem | undefined;
  /** True for an item below the line of its group. */
  isMember: boolean;
}

/** @param isExpanded true for the key of a group that is unfolded */
const rowsOf = (groups: readonly ItemGroup[], isExpanded: (key: string) => boolean): Row[] =>
  groups.flatMap((group) => {
    const { key, newest, items, isBulk } = group;
    const folded = isBulk ? items : items.slice(1);
    const members = isExpanded(key) ? folded.map((item) => ({ key: item.uniqueId, group, item, isMember: true })) : [];
    return [{ key, group, item: isBulk ? undefined : newest, isMember: false }, ...members];
  });

/** Items that the row is about. */
const itemsOf = ({ group, item, isMember }: Row): readonly InboxItem[] =>
  isMember && item !== undefined ? [item] : group.items;

interface ColumnOptions {
  isUnread: (row: Row) => boolean;
  expanded: ReadonlySet<string>;
  onToggle: (key: string) => void;
  onRead: (row: Row) => void;
  /** Runs when a person opens the resource of an item. */
  onOpen: (item: InboxItem) => void;
}

/** Columns of the inbox. The first control of a row opens its resource, or unfolds it if it has many. */
const columnsOf = ({ isUnread, expanded, onToggle, onRead, onOpen }: ColumnOptions): readonly Column<Row>[] => [
  {
    id: 'item',
    header: 'Item',
    className: 'wrap',
    render: (row) => {
      const { group, isMember } = row;
      const unread = isUnread(row);
      return (
        <div className="inbox-item" data-unread={unread || undefined} data-member={isMember || undefined}>
          <span className="inbox-dot">{unread && <VisuallyHidden>Unread:</VisuallyHidden>}</span>
          <div>
            <RowSentence row={row} onOpen={onOpen} />
            {!isMember && group.items.length > 1 && (
              <UnstyledButton
                className="expander inbox-more"
                aria-label={`${moreText(row)}: ${textOfRow(row)}`}
                aria-expanded={expanded.has(group.key)}
                onClick={() => onToggle(group.key)}
              >
                <IconChevron size={14} aria-hidden />
                {moreText(row)}
              </UnstyledButton>
            )}
            <div className="inbox-time">
              <Time value={timeOf(row)} />
            </div>
          </div>
        </div>
      );
    },
  },
  { id: 'when', header: 'When', width: 184, leaves: 1, render: (row) => <Time value={timeOf(row)} /> },
  {
    id: 'read',
    header: 'Read',
    width: 60,
    className: 'align-end',
    render: (row) =>
      isUnread(row) && (
        <Tooltip label="Mark as read">
          <ActionIcon
            variant="subtle"
            color="gray"
            className="screen-only"
            aria-label={`Mark as read: ${textOfRow(row)}, ${exactTime(timeOf(row))}`}
            onClick={() => onRead(row)}
          >
            <IconCheck size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      ),
  },
];

const timeOf = ({ group, item = group.newest }: Row): string => item.at;

const sentenceOfRow = ({ group, item }: Row) => (item === undefined ? bulkSentenceOf(group) : sentenceOf(item));
const textOfRow = (row: Row): string => textOf(sentenceOfRow(row));

/** Text of the button that unfolds a group. */
const moreText = ({ group: { isBulk, items } }: Row): string =>
  isBulk ? 'Show each' : `${(items.length - 1).toLocaleString('en')} earlier`;

/** The sentence of a row, with a link to the resource if there is one. */
function RowSentence({ row, onOpen }: { row: Row; onOpen: ColumnOptions['onOpen'] }) {
  const { actor, before, name, after } = sentenceOfRow(row);
  const { item } = row;
  return (
    <span className="inbox-sentence">
      {actor !== '' && <b>{actor}</b>} {before !== '' && `${before} `}
      {item === undefined ? (
        name
      ) : (
        <Link {...pageOf(item)} dir="auto" onClick={() => onOpen(item)} onAuxClick={() => onOpen(item)}>
          {name}
        </Link>
      )}
      {after !== '' && ` ${after}`}
    </span>
  );
}

/** The page of the resource of an item. What happens to the own membership, such as a password, is on the page of the account. */
const pageOf = ({ resource }: InboxItem): Address =>
  (resource.type === 'member' ? undefined : addressOf(resource)) ?? { to: '/account' };

const PAGE_SIZE = 100;
/** Pages after which the list loads no more by itself. */
const MAX_PAGES = 10;

/**
 * The items of the inbox in groups, newest first. Loads further pages while the next one may continue a group.
 * @param isUnreadOnly leaves out items that are read
 */
function useItems(isUnreadOnly: boolean) {
  const filters = isUnreadOnly ? { unread: true } : {};
  const query = useInfiniteQuery({
    ...pagesOptions(trpc.inbox.list.queryKey(filters), (position, options) =>
      client.inbox.list.query({ ...filters, limit: PAGE_SIZE, ...position }, options),
    ),
    placeholderData: keepPreviousData,
  });
  const { data, hasNextPage, isFetching, isError, fetchNextPage, refetch } = query;
  const marks = useMarks();
  const loaded = data?.pages.flatMap(({ items }) => items) ?? [];
  const items = isUnreadOnly ? loaded.filter((item) => !isRead(item, marks)) : loaded;
  const groups = groupItems(items, hasNextPage);
  const isContinued = groups.some(({ isOpen }) => isOpen);
  const isEmptySoFar = groups.length === 0 && marks.delayed !== 'all';
  const isLoadingMore =
    data !== undefined && hasNextPage && !isError && (isEmptySoFar || (isContinued && data.pages.length < MAX_PAGES));

  useEffect(() => {
    if (isLoadingMore && !isFetching) void fetchNextPage();
  }, [isLoadingMore, isFetching, fetchNextPage]);

  // A number that grows means that something arrived.
  const unread = useUnreadCount();
  const previous = useRef(unread);
  useEffect(() => {
    if (unread !== undefined && unread > (previous.current ?? unread)) void refetch();
    previous.current = unread;
  }, [unread, refetch]);

  return {
    ...query,
    loadMore: useLoadMore(query),
    unread,
    items,
    /** Undefined while there is nothing to show. */
    groups: data === undefined || (isLoadingMore && isEmptySoFar) ? undefined : groups,
    isUnread: (item: (typeof items)[number]) => !isRead(item, marks),
  };
}

/** The row that has the focus. */
function focusedRow(rows: readonly Row[]): Row | undefined {
  const index = document.activeElement?.closest('tr[aria-rowindex]')?.getAttribute('aria-rowindex');
  return rows[Number(index ?? Number.NaN) - FIRST_ROW_INDEX];
}

/**
 * Focuses the first control of a row.
 * @param isLeaving true for rows that leave the list: the next one that stays gets the focus, or the one before
 */
function focusRow(rows: readonly Row[], row: Row, isLeaving: (row: Row) => boolean = () => false): void {
  const position = rows.indexOf(row);
  const after = rows.findIndex((one, index) => index >= position && !isLeaving(one));
  const target = after === -1 ? rows.findLastIndex((one) => !isLeaving(one)) : after;
  document.querySelector<HTMLElement>(`tr[aria-rowindex="${target + FIRST_ROW_INDEX}"] :is(a, button)`)?.focus();
}

const FILTERS = [
  { value: 'all', label: 'All' },
  { value: 'unread', label: 'Unread' },
];

/** Items that the person hears of, newest first. */
export function Page() {
  const [search, setSearch] = useSearch(['unread']);
  const isUnreadOnly = search.unread === 'true';
  const { groups, items, unread, isUnread, error, refetch, loadMore } = useItems(isUnreadOnly);
  const [expanded, toggle] = useExpanded();
  const isPrinting = usePrinting();
  const all = useMutation({ mutationFn: markAllAsRead });
  const rows = groups && rowsOf(groups, (key) => isPrinting || expanded.has(key));

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
          onLoadMore={loadMore}
          empty={isUnreadOnly ? <NothingUnread onShowAll={() => setSearch({ unread: undefined })} /> : <NothingYet />}
        />
      )}
    </Frame>
  );
}

const NothingYet = () => (
  <EmptyState
    text="Your inbox shows tasks that are assigned to you, comments that mention you, reminders, changes to what you watch, and changes to how you sign in."
    action={
      <Link to="/tasks" search={MY_TASKS.search}>
        {MY_TASKS.name}
      </Link>
    }
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
