/** A requirement in the outline of its framework. */
export interface OutlineRow<Item> {
  item: Item;
  /** 0 at the top. */
  level: number;
  /** Number of those directly below it. */
  children: number;
}

/** A requirement with its place. */
interface Placed {
  uniqueId: string;
  /** uniqueId of the one above it; null at the top. */
  parent: string | null;
}

/** The requirements as an outline: each before those below it. @param items in the order of lists */
export function outlineOf<Item extends Placed>(items: readonly Item[]): OutlineRow<Item>[] {
  const known = new Set(items.map(({ uniqueId }) => uniqueId));
  const below = new Map<string | null, Item[]>();
  for (const item of items) {
    const parent = item.parent !== null && known.has(item.parent) ? item.parent : null;
    below.set(parent, [...(below.get(parent) ?? []), item]);
  }
  const rows: OutlineRow<Item>[] = [];
  const add = (parent: string | null, level: number) => {
    for (const item of below.get(parent) ?? []) {
      rows.push({ item, level, children: below.get(item.uniqueId)?.length ?? 0 });
      add(item.uniqueId, level + 1);
    }
  };
  add(null, 0);
  return rows;
}

/** The rows that are shown, without those below a folded one. */
export function unfolded<Item extends Placed>(
  rows: readonly OutlineRow<Item>[],
  folded: ReadonlySet<string>,
): OutlineRow<Item>[] {
  /** Level of the folded row whose rows are left out. */
  let edge = Number.POSITIVE_INFINITY;
  return rows.filter(({ item, level }) => {
    if (level > edge) return false;
    edge = folded.has(item.uniqueId) ? level : Number.POSITIVE_INFINITY;
    return true;
  });
}

/** The rows that match, and those above them. */
export function matching<Item extends Placed>(
  rows: readonly OutlineRow<Item>[],
  isMatch: (item: Item) => boolean,
): OutlineRow<Item>[] {
  const parents = new Map(rows.map(({ item }) => [item.uniqueId, item.parent]));
  const kept = new Set<string>();
  for (const { item } of rows) {
    if (!isMatch(item)) continue;
    for (
      let id: string | null | undefined = item.uniqueId;
      typeof id === 'string' && !kept.has(id);
      id = parents.get(id)
    )
      kept.add(id);
  }
  return rows.filter(({ item }) => kept.has(item.uniqueId));
}
