import { Alert, Stack, Text } from '@mantine/core';
import { hasEnded } from '../use-imports.ts';
import type { Import } from '../use-imports.ts';
import { CancelButton } from './cancel-button.tsx';
import { Counts } from './counts.tsx';
import { Progress } from './progress.tsx';
import { RejectedRows } from './rejected-rows.tsx';
import type { SentRows } from './rejected-rows.tsx';

interface ResultProps {
  item: Import;
  /** Time at which it was read, in milliseconds. */
  at: number;
  /** Rows of the file, if it is in this page. */
  sentRows?: SentRows | undefined;
}

/** Progress of an import, then its numbers and the rejected rows. */
export function Result({ item, at, sentRows }: ResultProps) {
  const { uniqueId, state, failed, reason } = item;
  const isRunning = !hasEnded(item);
  return (
    <Stack gap="sm">
      {state === 'failed' ? (
        <Alert color="red" variant="outline" role="alert" title={failureTitle(item)}>
          <Text size="sm" className="chosen">
            {reason}
          </Text>
        </Alert>
      ) : (
        <Text size="sm" fw={600} role="status">
          {sentence(item)}
        </Text>
      )}
      {isRunning && <Progress item={item} at={at} />}
      <Counts item={item} />
      {isRunning && <CancelButton uniqueId={uniqueId} />}
      {failed > 0 && !isRunning && <RejectedRows item={item} sentRows={sentRows} />}
    </Stack>
  );
}

const failureTitle = ({ dryRun }: Import): string =>
  dryRun ? 'The file cannot be imported' : 'The import failed. Nothing was written after the error.';

function sentence({ dryRun, state, rows, created, updated, failed }: Import): string {
  if (state === 'queued') return 'The file waits for its turn.';
  if (state === 'running')
    return dryRun ? 'The rows are checked.' : 'The rows are imported. It continues when you leave this page.';
  if (state === 'canceled')
    return dryRun ? 'The check was canceled.' : 'The import was canceled. Rows that were imported before stay.';
  if (!dryRun) return failed === 0 ? 'Every row was imported.' : 'The rows without an error were imported.';
  if (rows === 0) return 'The file has no rows below the header. There is nothing to import.';
  if (failed === rows) return 'Every row would be rejected. Nothing was written.';
  if (created + updated === 0) return 'The rows change nothing. There is nothing to import.';
  return failed === 0 ? 'Every row is valid. Nothing was written yet.' : 'Nothing was written yet.';
}
