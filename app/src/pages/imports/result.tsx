import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client, queryClient, trpc } from '../../api/client.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { RowErrors } from './row-errors.tsx';
import { hasEnded } from './use-import-run.ts';
import type { Import } from './use-import-run.ts';

/** Progress of an import, then its numbers and errors. */
export function Result({ item }: { item: Import }) {
  const { dryRun, state, rows, created, updated, unchanged, failed, reason } = item;
  const isRunning = !hasEnded(item);
  const done = created + updated + unchanged + failed;
  return (
    <Stack gap="sm">
      {state === 'failed' ? (
        <Alert
          color="red"
          variant="outline"
          role="alert"
          title="The import failed. Nothing was written after the error."
        >
          <Text size="sm">{reason}</Text>
        </Alert>
      ) : (
        <Text size="sm" fw={600} role="status">
          {sentence(item)}
        </Text>
      )}
      {isRunning && (
        <Progress
          value={rows === 0 ? 100 : (done / rows) * 100}
          animated={rows === 0}
          aria-label="Progress of the import"
        />
      )}
      <dl className="counts">
        {Object.entries({ Rows: rows, Created: created, Updated: updated, Unchanged: unchanged, Failed: failed }).map(
          ([label, count]) => (
            <div key={label} data-failed={(label === 'Failed' && count > 0) || undefined}>
              <dt>
                {dryRun && (label === 'Created' || label === 'Updated') ? `Would be ${label.toLowerCase()}` : label}
              </dt>
              <dd>{count.toLocaleString('en')}</dd>
            </div>
          ),
        )}
      </dl>
      {isRunning && <CancelButton uniqueId={item.uniqueId} />}
      {failed > 0 && !isRunning && <RowErrors item={item} />}
    </Stack>
  );
}

function sentence({ dryRun, state, failed }: Import): string {
  if (state === 'queued') return 'The file waits for its turn.';
  if (state === 'running') return dryRun ? 'Checking the rows.' : 'Importing the rows.';
  if (state === 'canceled') return 'The import was canceled. Rows that were imported before stay.';
  if (dryRun) return failed === 0 ? 'Every row is valid. Nothing was written yet.' : 'Nothing was written yet.';
  return failed === 0 ? 'Every row was imported.' : 'The rows without an error were imported.';
}

function CancelButton({ uniqueId }: { uniqueId: string }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.import.cancel.mutate({ importUniqueId: uniqueId }),
    onSettled: () => queryClient.invalidateQueries(trpc.import.pathFilter()),
  });
  return (
    <Group justify="flex-end">
      {error !== null && <ErrorMessage error={error} />}
      <Button variant="default" loading={isPending} onClick={() => mutate()}>
        Cancel
      </Button>
    </Group>
  );
}
