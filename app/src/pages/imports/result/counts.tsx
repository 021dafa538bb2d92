import type { Import } from '../use-imports.ts';

/** Names of the numbers. A check says what an import would do. */
const NAMES = {
  import: { created: 'Created', updated: 'Changed', unchanged: 'Unchanged', failed: 'Rejected' },
  check: {
    created: 'Would be created',
    updated: 'Would be changed',
    unchanged: 'Would stay unchanged',
    failed: 'Would be rejected',
  },
} as const;

/** Numbers of rows by result. */
export function Counts({ item }: { item: Import }) {
  const { created, updated, unchanged, failed } = NAMES[item.dryRun ? 'check' : 'import'];
  return (
    <dl className="counts">
      <Count name="Rows" value={item.rows} />
      <Count name={created} value={item.created} />
      <Count name={updated} value={item.updated} />
      <Count name={unchanged} value={item.unchanged} />
      <Count name={failed} value={item.failed} isBad={item.failed > 0} />
    </dl>
  );
}

const Count = ({ name, value, isBad = false }: { name: string; value: number; isBad?: boolean }) => (
  <div data-bad={isBad || undefined}>
    <dt>{name}</dt>
    <dd>{value.toLocaleString('en')}</dd>
  </div>
);
