import { Text, UnstyledButton } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Search } from '../api/search.ts';
import { useViews } from '../components/views/use-views.ts';
import { FIXED_VIEWS, VIEW_PATHS, viewPath } from '../components/views/view.ts';

/** Views of a page that are shown before a person asks for more. */
const MAX_SHOWN = 6;

interface ViewLinksProps {
  /** Path of a page of the navigation. */
  path: string;
  /** Name of the page. */
  label: string;
  /** Runs at a click on a link. */
  onNavigate: (() => void) | undefined;
}

/** The views of a page, below its link. Those that are shared say so. */
export function ViewLinks({ path, label, onNavigate }: ViewLinksProps) {
  const { views, error } = useViews();
  const current: Search = useSearch({ strict: false });
  const [isLong, setIsLong] = useState(false);
  const own = views.filter(({ page }) => VIEW_PATHS[page] === path);
  const fixed = FIXED_VIEWS.filter(({ page }) => VIEW_PATHS[page] === path);
  const shown = own.filter(({ uniqueId }, index) => isLong || index < MAX_SHOWN || uniqueId === current['saved']);
  const more = own.length - shown.length;
  if (own.length === 0 && fixed.length === 0) return null;
  return (
    <ul aria-label={`Views of ${label}`}>
      {fixed.map(({ name, search }) => (
        <li key={name}>
          <Link to={path} search={search} activeOptions={{ exact: true }} onClick={onNavigate}>
            {name}
          </Link>
        </li>
      ))}
      {shown.map((view) => (
        <li key={view.uniqueId}>
          <Link
            to={viewPath(view)}
            aria-current={view.uniqueId === current['saved'] ? 'page' : undefined}
            title={`${view.name}, of ${view.owner.name}`}
            onClick={onNavigate}
          >
            {view.name}
          </Link>
          {view.shared && <span className="view-mark">shared</span>}
        </li>
      ))}
      {(more > 0 || isLong) && (
        <li>
          <UnstyledButton className="shortcuts-hint" onClick={() => setIsLong(!isLong)}>
            {isLong ? 'Fewer views' : `${more.toLocaleString('en')} more ${more === 1 ? 'view' : 'views'}`}
          </UnstyledButton>
        </li>
      )}
      {path === VIEW_PATHS.tasks && error !== null && (
        <li>
          <Text size="xs" c="dimmed" px={10}>
            The other views could not be loaded.
          </Text>
        </li>
      )}
    </ul>
  );
}
