import { Button, Group, Text } from '@mantine/core';
import { useLocation, useMatch, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { errorDetails } from '../../api/errors.ts';
import { fail } from '../undo/undo.ts';
import { useShortcut } from '../use-shortcut.ts';
import { isEntry } from './back-link.tsx';

/** The rows of a list, as a record that was opened from it follows them. */
interface Rows {
  ids: readonly string[];
  /** Number of rows on all pages. */
  total: number;
  /** Loads the next page. Resolves to the ids of all rows; missing on the last page. */
  loadNext: (() => Promise<readonly string[]>) | undefined;
}

interface Visit extends Rows {
  href: string;
}

/** The list of each entry of the history of this window. */
const visits = new Map<number, Visit>();

/** Remembers what a list shows, for the pages of the records that are opened from it. */
export function useRememberedRows({ ids, total, loadNext }: Rows): void {
  const { href, pathname, state } = useLocation();
  const shown = useMatch({ strict: false, select: (match) => match.pathname });
  useEffect(() => {
    // While the next page loads, the address is that of this page, and the list is still shown.
    if (pathname === shown) visits.set(state.__TSR_index, { href, ids, total, loadNext });
  });
}

/** The list from which a record was opened: that of the entry before. */
function visitBefore(index: number): Visit | undefined {
  const visit = visits.get(index - 1);
  return visit !== undefined && isEntry(index - 1, visit.href) ? visit : undefined;
}

interface NeighboursProps {
  uniqueId: string;
  /** Path of the page of a record. */
  pathOf: (uniqueId: string) => string;
}

/** Leads to the record before and after this one in the list from which it was opened. Nothing without a list. */
export function Neighbours({ uniqueId, pathOf }: NeighboursProps) {
  const { navigate } = useRouter();
  const index = useLocation({ select: ({ state }) => state.__TSR_index });
  const visit = visitBefore(index);
  const place = visit?.ids.indexOf(uniqueId) ?? -1;
  const [isLoading, setIsLoading] = useState(false);
  const hasNext =
    visit !== undefined &&
    (place + 1 < visit.ids.length || (visit.loadNext !== undefined && visit.ids.length < visit.total));

  // The entry of the history stays the same, so that "Back" leads to the list.
  const show = (id: string | undefined) => id !== undefined && void navigate({ href: pathOf(id), replace: true });
  const showNext = async () => {
    if (!hasNext || place === -1 || isLoading) return;
    const { ids, loadNext } = visit;
    if (place + 1 < ids.length || loadNext === undefined) {
      show(ids[place + 1]);
      return;
    }
    setIsLoading(true);
    try {
      const loaded = await loadNext();
      visits.set(index - 1, { ...visit, ids: loaded });
      show(loaded[place + 1]);
    } catch (error) {
      fail({ title: 'The next page of the list could not be loaded', reasons: [errorDetails(error).message] });
    } finally {
      setIsLoading(false);
    }
  };
  const showPrevious = () => show(visit?.ids[place - 1]);
  useShortcut('j', () => void showNext());
  useShortcut('k', showPrevious);

  if (visit === undefined || place === -1) return null;
  const position = `${(place + 1).toLocaleString('en')} of ${visit.total.toLocaleString('en')}`;
  return (
    <Group gap={6} wrap="nowrap" className="screen-only" role="group" aria-label="Place in the list">
      <Button variant="default" size="compact-sm" aria-keyshortcuts="k" disabled={place === 0} onClick={showPrevious}>
        Previous
      </Button>
      <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        {position}
      </Text>
      <Button
        variant="default"
        size="compact-sm"
        aria-keyshortcuts="j"
        disabled={!hasNext}
        loading={isLoading}
        onClick={() => void showNext()}
      >
        Next
      </Button>
    </Group>
  );
}
