import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { trpc } from '../../api/client.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { useHidden } from '../../components/undo/undo.ts';
import { useSession } from '../../components/use-session.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import { openNewGap } from '../frameworks/creating.tsx';
import { rowKey, toRow } from '../frameworks/kinds.ts';
import type { Framework } from '../frameworks/kinds.ts';
import { ReferenceTable } from '../frameworks/reference-table.tsx';
import { FrameworkFrame } from './frame.tsx';

/** What the framework requires and the company lacks. */
export function Gaps({ framework }: { framework: Framework }) {
  const { isAdmin } = useSession();
  const { data, error, refetch } = useQuery(trpc.management.gap.list.queryOptions());
  const hidden = useHidden();
  const rows = data?.flatMap((gap) =>
    gap.framework === framework.id && !hidden.has(rowKey('gaps', gap)) ? toRow(gap) : [],
  );
  const canCreate = isAdmin && framework.archivedAt === null;
  const create = () => openNewGap([framework], String(framework.id), () => undefined);
  useShortcut('c', () => canCreate && create());
  const newGap = canCreate && <Button onClick={create}>New gap</Button>;
  return (
    <FrameworkFrame framework={framework} part="gaps" action={rows?.length !== 0 && newGap}>
      {error === null ? (
        <ReferenceTable
          kindName="gaps"
          all={rows}
          frameworks={[framework]}
          framework={framework.id}
          isAdmin={isAdmin}
          firstAction={newGap}
        />
      ) : (
        <ErrorMessage title="The gaps could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
    </FrameworkFrame>
  );
}
