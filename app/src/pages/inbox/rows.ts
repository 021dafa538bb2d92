import type { InboxItem } from '../../components/inbox/marks.ts';
import type { ItemGroup } from './groups.ts';

/** A line of the inbox: the newest item of a group, a group of many resources, or an item of a group that is unfolded. */
export interface Row {
  key: string;
  group: ItemGroup;
  /** Undefined for a group of many resources. */
  item: InboxItem | undefined;
  /** True for an item below the line of its group. */
  isMember: boolean;
}

/** @param isExpanded true for the key of a group that is unfolded */
export const rowsOf = (groups: readonly ItemGroup[], isExpanded: (key: string) => boolean): Row[] =>
  groups.flatMap((group) => {
    const { key, newest, items, isBulk } = group;
    const folded = isBulk ? items : items.slice(1);
    const members = isExpanded(key) ? folded.map((item) => ({ key: item.uniqueId, group, item, isMember: true })) : [];
    return [{ key, group, item: isBulk ? undefined : newest, isMember: false }, ...members];
  });

/** Items that the row is about. */
export const itemsOf = ({ group, item, isMember }: Row): readonly InboxItem[] =>
  isMember && item !== undefined ? [item] : group.items;
