import type { InboxItem } from '../../components/inbox/marks.ts';

/** Items of one line, newest first. */
export interface ItemGroup {
  key: string;
  newest: InboxItem;
  items: readonly InboxItem[];
  /** True for items of one actor and reason about different resources; false for items about one resource. */
  isBulk: boolean;
  /** True if the next page may have more items of the group. */
  isOpen: boolean;
}

/** Resources from which on items of one actor, reason and hour are one line. */
const MIN_BULK = 3;
const HOUR_MS = 3_600_000;

/** What an item is about: its resource. Each change of an account is a thing of its own. */
export const subjectKey = ({ uniqueId, reason, resource }: InboxItem): string =>
  reason === 'account' ? uniqueId : `${resource.type} ${resource.uniqueId}`;

const isWithinHour = (newer: InboxItem, older: InboxItem): boolean =>
  Date.parse(newer.at) - Date.parse(older.at) <= HOUR_MS;

/** Items of one actor and reason within an hour that are about many resources. */
function bulksOf(items: readonly InboxItem[]): InboxItem[][] {
  const bulks: [InboxItem, ...InboxItem[]][] = [];
  const current = new Map<string, [InboxItem, ...InboxItem[]]>();
  for (const item of items) {
    const key = `${item.actor?.uniqueId} ${item.reason}`;
    const bulk = current.get(key);
    if (bulk !== undefined && isWithinHour(bulk[0], item)) bulk.push(item);
    else {
      const started: [InboxItem] = [item];
      current.set(key, started);
      bulks.push(started);
    }
  }
  return bulks.filter((bulk) => new Set(bulk.map(({ resource }) => resource.uniqueId)).size >= MIN_BULK);
}

/**
 * Groups the items of a list, newest first: what one person did to many resources, and the rest by their subject.
 * @param hasMore true if older items follow on another page
 */
export function groupItems(items: readonly InboxItem[], hasMore: boolean): ItemGroup[] {
  const bulkKeys = new Map(
    bulksOf(items).flatMap((bulk) => bulk.map((item) => [item, `bulk ${bulk[0]?.uniqueId}`] as const)),
  );
  const last = items.at(-1);
  const groups = new Map<string, ItemGroup & { items: InboxItem[] }>();
  for (const item of items) {
    const bulkKey = bulkKeys.get(item);
    const key = bulkKey ?? subjectKey(item);
    const group = groups.get(key);
    const isBulk = bulkKey !== undefined;
    if (group !== undefined) group.items.push(item);
    else {
      const isOpen = hasMore && isBulk && last !== undefined && isWithinHour(item, last);
      groups.set(key, { key, newest: item, items: [item], isBulk, isOpen });
    }
  }
  return [...groups.values()];
}
