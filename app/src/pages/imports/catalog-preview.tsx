import { count } from './findings.tsx';
import type { CatalogRow } from '../../../../procedures/import/catalog/catalog.ts';

/** Rows of the outline that are shown. */
const SHOWN = 30;
const INDENT_PX = 16;

/** Levels of rows in the outline, each of which stands after the one above it. */
function levelsOf(rows: readonly CatalogRow[]): ReadonlyMap<string, number> {
  const levels = new Map<string, number>();
  for (const { ref, parentRef } of rows) levels.set(ref, parentRef === null ? 0 : (levels.get(parentRef) ?? 0) + 1);
  return levels;
}

/** What a catalog has, before anything is written: its numbers and the first rows of its outline. */
export function CatalogPreview({ rows }: { rows: readonly CatalogRow[] }) {
  const controls = rows.filter(({ assessable }) => assessable).length;
  const shown = rows.slice(0, SHOWN);
  const levels = levelsOf(shown);
  const rest = rows.length - shown.length;
  return (
    <section aria-label="Catalog">
      <p className="quiet-text">
        The catalog has {count(controls, 'control')} under {count(rows.length - controls, 'heading')}. If a requirement
        with the same ref already exists, the import updates its title and text. Its assessment, owner and tasks do not
        change.
      </p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it */}
      <div className="preview" role="region" aria-label="Outline of the catalog" tabIndex={0}>
        <ul className="catalog-outline">
          {shown.map(({ ref, title, assessable }) => (
            <li
              key={ref}
              className={assessable ? undefined : 'catalog-heading'}
              style={{ paddingInlineStart: (levels.get(ref) ?? 0) * INDENT_PX }}
            >
              <span>{ref}</span> {title}
            </li>
          ))}
        </ul>
        {rest > 0 && <p className="quiet-text">and {rest.toLocaleString('en')} more</p>}
      </div>
    </section>
  );
}
