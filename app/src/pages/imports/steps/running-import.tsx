import { Button, Group, Text } from '@mantine/core';
import { useSession } from '../../../components/use-session.ts';
import { doneRows, hasEnded, useImports } from '../use-imports.ts';

/** Leads back to an import of this person that still runs. */
export function RunningImport({ onShow }: { onShow: (uniqueId: string) => void }) {
  const { member } = useSession();
  const { data } = useImports();
  const item = data?.pages
    .flatMap(({ items }) => items)
    .find((one) => !one.dryRun && !hasEnded(one) && one.createdBy.uniqueId === member);
  if (item === undefined) return null;
  const { uniqueId, kind, rows } = item;
  return (
    <Group className="notice" gap="sm" wrap="nowrap">
      <Text size="sm" style={{ flex: 1 }}>
        Your import of {kind}s continues
        {rows > 0 && `: ${doneRows(item).toLocaleString('en')} of ${rows.toLocaleString('en')} rows`}.
      </Text>
      <Button variant="default" size="xs" onClick={() => onShow(uniqueId)}>
        Show import
      </Button>
    </Group>
  );
}
