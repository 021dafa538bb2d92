import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client, queryClient } from '../../api/client.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Result } from './result.tsx';
import { hasEnded, keepStarted, useImport } from './use-imports.ts';
import type { ListedImport } from './use-imports.ts';

/** True for an import that can be undone as a whole or in part. */
const mayUndo = ({ dryRun, undoOf, undoneBy, created, updated, ...item }: ListedImport): boolean =>
  !dryRun && undoOf === null && undoneBy === null && hasEnded(item) && created + updated > 0;

/** Undoes an import, after what would be undone, and what would stay and why, was shown. */
export function UndoImport({ item }: { item: ListedImport }) {
  const start = (dryRun: boolean) =>
    client.import.undo.mutate({ importUniqueId: item.uniqueId, dryRun }).then(keepStarted);
  const check = useMutation({ mutationFn: () => start(true) });
  const undo = useMutation({ mutationFn: () => start(false) });
  const shown = undo.data?.uniqueId ?? check.data?.uniqueId;
  const { data, error, dataUpdatedAt } = useImport(shown);
  const isOpen = !check.isIdle;
  const close = () => {
    check.reset();
    undo.reset();
    // Lists and records have other contents now.
    if (undo.data !== undefined) void queryClient.invalidateQueries();
  };
  if (!mayUndo(item) && !isOpen) return null;
  const problem = check.error ?? undo.error ?? error;
  const canUndo = undo.data === undefined && data?.state === 'done' && data.deleted + data.updated > 0;
  return (
    <>
      <Button variant="default" onClick={() => check.mutate()}>
        Undo this import
      </Button>
      <Modal opened={isOpen} onClose={close} title="Undo this import?" size="lg">
        <Stack gap="md">
          <Text size="sm">
            This deletes what the import created, and restores the earlier values of what it changed. Anything that
            somebody has since changed, commented on, linked or added evidence to is kept.
          </Text>
          {problem !== null && <ErrorMessage title="The import could not be undone" error={problem} />}
          {data === undefined && problem === null && <Skeleton height={80} />}
          {data !== undefined && <Result item={data} at={dataUpdatedAt} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Close
            </Button>
            {canUndo && (
              <Button color="red.9" data-autofocus loading={undo.isPending} onClick={() => undo.mutate()}>
                Undo
              </Button>
            )}
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
