import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { trpc } from '../../api/client.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { useSearch } from '../../components/table/use-search.ts';
import { useHidden } from '../../components/undo/undo.ts';
import { useSession } from '../../components/use-session.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import { openNewGap, openNewNamed } from './creating.tsx';
import { KIND_NAMES, KINDS, rowKey, toRow } from './kinds.ts';
import type { KindName } from './kinds.ts';
import { ReferenceTable } from './reference-table.tsx';

/** Parameters of a list without filters. */
const searchOf = (name: KindName) => (name === 'frameworks' ? {} : { tab: name });

/** Frameworks, gaps and departments, with the ids that the API takes. */
export function Page() {
  const { isAdmin } = useSession();
  const [search] = useSearch(['tab', 'q', 'framework']);
  const navigate = useNavigate();
  const tab = KIND_NAMES.find((name) => name === search.tab) ?? 'frameworks';
  const lists = useLists(tab);
  const { data, error, refetch } = lists[tab];
  const { data: counts = [] } = useQuery(trpc.overview.tasks.queryOptions({}, { enabled: tab === 'frameworks' }));
  const hidden = useHidden();
  const rows = data?.filter((row) => !hidden.has(rowKey(tab, row)));
  const frameworks = lists.frameworks.data ?? [];
  const hasFramework = frameworks.some(({ archivedAt }) => archivedAt === null);
  const canCreate = isAdmin && (tab !== 'gaps' || hasFramework);
  const create = () => {
    const showList = () => void navigate({ to: '.', search: searchOf(tab) });
    if (tab === 'gaps') openNewGap(frameworks, search.framework, showList);
    else openNewNamed(KINDS[tab].one, showList);
  };
  useShortcut('c', () => canCreate && create());
  const newButton = canCreate && <Button onClick={create}>New {KINDS[tab].one}</Button>;

  const isEmpty = rows?.length === 0 && search.q === undefined && search.framework === undefined;

  return (
    <Frame title="Frameworks" action={!isEmpty && newButton}>
      <nav className="tabs" aria-label="Lists">
        {KIND_NAMES.map((name) => (
          <Link
            key={name}
            to="."
            search={searchOf(name)}
            activeOptions={{ exact: true }}
            aria-current={name === tab ? 'page' : undefined}
          >
            {KINDS[name].heading}
          </Link>
        ))}
      </nav>
      {error === null ? (
        <ReferenceTable
          key={tab}
          kindName={tab}
          all={rows}
          frameworks={frameworks}
          counts={counts}
          isAdmin={isAdmin}
          firstAction={newButton}
        />
      ) : (
        <ErrorMessage
          title={`The ${KINDS[tab].unit[1]} could not be loaded`}
          error={error}
          onRetry={() => void refetch()}
        />
      )}
    </Frame>
  );
}

/** The list of a tab, and the frameworks, whose names the gaps show. */
function useLists(tab: KindName) {
  const { management } = trpc;
  return {
    frameworks: useQuery(management.framework.list.queryOptions()),
    departments: useQuery(management.department.list.queryOptions(undefined, { enabled: tab === 'departments' })),
    gaps: useQuery(
      management.gap.list.queryOptions(undefined, {
        enabled: tab === 'gaps',
        select: (gaps) => gaps.map(toRow),
      }),
    ),
  };
}
