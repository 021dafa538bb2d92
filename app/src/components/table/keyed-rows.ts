/** Rows with keys that a newer entry does not change: entries have no id, so that equal ones are numbered from the oldest. */
export function keyedRows<Entry extends object>(newestFirst: readonly Entry[]): (Entry & { key: string })[] {
  const counts = new Map<string, number>();
  const rows: (Entry & { key: string })[] = [];
  for (const entry of newestFirst.toReversed()) {
    const text = JSON.stringify(entry);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    rows.push({ ...entry, key: `${text} ${count}` });
  }
  return rows.toReversed();
}
