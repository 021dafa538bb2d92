import { Alert, Button, Group, Progress as Bar, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { durationText } from '../../dates.ts';
import { doneRows, hasEnded } from './use-imports.ts';
import type { Import } from './use-imports.ts';
import { RejectedRows } from './rejected-rows.tsx';
import type { SentRows } from './rejected-rows.tsx';

interface Sample {
  /** Milliseconds. */
  at: number;
  done: number;
}

/** Samples from which the speed is computed: those of the last seconds. */
const MAX_SAMPLES = 10;

/** Rows per second of an import that is read again and again; undefined until it is known. */
function useSpeed(done: number, at: number): number | undefined {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const last = samples.at(-1);
  if (last?.at !== at) {
    // A check before the import counts the rows too, so that the number of rows can fall.
    const earlier = last !== undefined && last.done > done ? [] : samples;
    setSamples([...earlier, { at, done }].slice(-MAX_SAMPLES));
  }
  const first = samples[0];
  if (first === undefined || last === undefined || last.done === first.done) return undefined;
  return ((last.done - first.done) / (last.at - first.at)) * 1000;
}

interface ProgressProps {
  item: Import;
  /** Time at which it was read, in milliseconds. */
  at: number;
}

/** Progress of an import: rows, rows per second and the time left. */
function Progress({ item, at }: ProgressProps) {
  const { rows, dryRun } = item;
  const done = doneRows(item);
  const speed = useSpeed(done, at);
  const parts = [
    rows > 0 && `${numberText(done)} of ${numberText(rows)} rows`,
    speed !== undefined && `${numberText(Math.round(speed))} rows per second`,
    speed !== undefined && rows > 0 && `about ${durationText((rows - done) / speed)} left`,
  ].filter((part) => part !== false);
  return (
    <Stack gap={6}>
      <Bar
        value={rows === 0 ? 100 : (done / rows) * 100}
        animated={rows === 0}
        aria-label={dryRun ? 'Progress of the check' : 'Progress of the import'}
      />
      <Text size="sm" className="progress-text">
        {parts.length === 0 ? 'The file is read.' : parts.join(', ')}
      </Text>
    </Stack>
  );
}

const numberText = (value: number): string => value.toLocaleString('en');

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
function Counts({ item }: { item: Import }) {
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

/** Cancels an import that has not ended. */
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
