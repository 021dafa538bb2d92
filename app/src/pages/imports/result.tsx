import { Alert, Button, Group, Progress as Bar, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { ResourceLink } from '../../components/record/events/resource-link.tsx';
import { durationText } from '../../dates.ts';
import { count, LeftOutValues, RejectedRows, SkippedRows } from './findings.tsx';
import type { FindRow } from './findings.tsx';
import { doneRows, hasEnded } from './use-imports.ts';
import type { Import } from './use-imports.ts';

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
  const { rows, dryRun, undoOf } = item;
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
        aria-label={`Progress of the ${dryRun ? 'check' : undoOf === null ? 'import' : 'undo'}`}
      />
      <Text size="sm" className="progress-text">
        {parts.length > 0 ? parts.join(', ') : undoOf === null ? 'Reading the file.' : 'Reading the changes.'}
      </Text>
    </Stack>
  );
}

const numberText = (value: number): string => value.toLocaleString('en');

type Counter = 'created' | 'updated' | 'unchanged' | 'skipped' | 'failed' | 'deleted';

/** Names of the numbers. A check says what an import would do. */
const NAMES: Readonly<Record<'import' | 'check' | 'undo' | 'undoCheck', Partial<Record<Counter, string>>>> = {
  import: { created: 'Created', updated: 'Changed', unchanged: 'Unchanged', skipped: 'Skipped', failed: 'Rejected' },
  check: {
    created: 'Would be created',
    updated: 'Would be changed',
    unchanged: 'Would stay unchanged',
    skipped: 'Would be skipped',
    failed: 'Would be rejected',
  },
  undo: { deleted: 'Deleted', updated: 'Changed back', skipped: 'Kept' },
  undoCheck: { deleted: 'Would be deleted', updated: 'Would be changed back', skipped: 'Would be kept' },
};

const COUNTERS: readonly Counter[] = ['deleted', 'created', 'updated', 'unchanged', 'skipped', 'failed'];

/** Numbers of rows by result. */
function Counts({ item }: { item: Import }) {
  const isUndo = item.undoOf !== null;
  const names = NAMES[item.dryRun ? (isUndo ? 'undoCheck' : 'check') : isUndo ? 'undo' : 'import'];
  return (
    <dl className="counts">
      {!isUndo && <Count name="Rows" value={item.rows} />}
      {COUNTERS.map((counter) => {
        const name = names[counter];
        return name === undefined ? null : (
          <Count key={counter} name={name} value={item[counter]} isBad={counter === 'failed' && item.failed > 0} />
        );
      })}
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

/** Items to which the result leads by name. */
const SHOWN_ITEMS = 5;

/** The last events of an import have the time of its end. */
const afterwards = (time: string): string => new Date(Date.parse(time) + 1000).toISOString();

/** Leads to the list of what an import made. */
function ListLink({ kind, framework }: Pick<Import, 'kind' | 'framework'>) {
  const newest = { sort: '-createdAt', ...(framework !== null && { framework: String(framework) }) };
  if (kind === 'requirement')
    return (
      <Link to="/frameworks/$framework" params={{ framework: String(framework) }}>
        All requirements
      </Link>
    );
  return (
    <Link to={kind === 'task' ? '/tasks' : '/vendors'} search={newest}>
      {kind === 'task' ? 'Newest tasks' : 'Newest vendors'}
    </Link>
  );
}

/** Links to what an import made. The audit log has all of it. */
function Made({ item: { kind, framework, created, updated, createdBy, createdAt, endedAt } }: { item: Import }) {
  const period = { since: createdAt, ...(endedAt !== null && { until: afterwards(endedAt) }) };
  const { data } = useQuery(
    trpc.audit.page.queryOptions(
      { ...period, actor: createdBy.uniqueId, action: `${kind}.create`, limit: SHOWN_ITEMS },
      { enabled: created > 0, staleTime: Infinity },
    ),
  );
  const made = data?.items.flatMap(({ resource }) => (resource.name === null ? [] : [resource])) ?? [];
  const others = created - made.length;
  return (
    <div className="made">
      {created > 0 && (
        <Text size="sm">
          {made.map(({ uniqueId, name, isDeleted }) => (
            <span key={uniqueId}>
              {isDeleted ? name : <ResourceLink resource={{ type: kind, uniqueId }}>{name}</ResourceLink>}
              {', '}
            </span>
          ))}
          {made.length > 0 && others > 0 && `and ${others.toLocaleString('en')} more: `}
          <ListLink kind={kind} framework={framework} />
        </Text>
      )}
      <Text size="sm">
        <Link to="/audit-log" search={{ resourceType: kind, actor: createdBy.uniqueId, ...period }}>
          {created + updated === 1 ? 'The change' : `All ${count(created + updated, 'change')}`} in the audit log
        </Link>
      </Text>
    </div>
  );
}

interface ResultProps {
  item: Import;
  /** Time at which it was read, in milliseconds. */
  at: number;
  /** Missing without the file. */
  findRow?: FindRow | undefined;
}

/** Progress of an import, then its numbers, what it made, and what it left out. */
export function Result({ item, at, findRow }: ResultProps) {
  const { uniqueId, state, failed, warnings, skipped, reason, dryRun, undoOf, created, updated } = item;
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
      {!isRunning && (
        <>
          {!dryRun && undoOf === null && created + updated > 0 && <Made item={item} />}
          {failed > 0 && <RejectedRows item={item} findRow={findRow} />}
          {skipped > 0 && <SkippedRows item={item} findRow={findRow} />}
          {warnings > 0 && <LeftOutValues item={item} findRow={findRow} />}
        </>
      )}
    </Stack>
  );
}

const failureTitle = ({ dryRun, undoOf }: Import): string => {
  if (undoOf !== null) return 'The undo failed. Changes that were already undone stay undone.';
  return dryRun ? 'The file cannot be imported' : 'The import failed. Nothing was written after the error.';
};

function sentence(item: Import): string {
  const { dryRun, undoOf, undoneBy, state, rows, created, updated, failed, skipped, deleted } = item;
  if (undoOf !== null) return undoSentence(item);
  if (state === 'queued') return 'The file is waiting for its turn.';
  if (state === 'running')
    return dryRun ? 'Checking the rows.' : 'Importing the rows. You can leave this page while the import runs.';
  if (state === 'canceled')
    return dryRun ? 'The check was canceled.' : 'The import was canceled. Rows that were already imported are kept.';
  if (undoneBy !== null) return 'The import was undone.';
  if (!dryRun) return failed === 0 ? 'Every row was imported.' : 'The rows without an error were imported.';
  if (rows === 0) return 'The file has no rows below the heading. There is nothing to import.';
  if (failed === rows) return 'Every row would be rejected. Nothing was written.';
  if (created + updated + deleted === 0)
    return skipped > 0
      ? 'Everything in the file already exists. There is nothing to import.'
      : 'The rows change nothing. There is nothing to import.';
  return failed === 0 ? 'Every row is valid. Nothing has been written yet.' : 'Nothing has been written yet.';
}

function undoSentence({ dryRun, state, deleted, updated, skipped }: Import): string {
  if (state === 'queued') return dryRun ? 'Counting the changes.' : 'The undo is waiting for its turn.';
  if (state === 'running')
    return dryRun ? 'Counting the changes.' : 'Undoing the import. You can leave this page while the undo runs.';
  if (state === 'canceled') return 'The undo was canceled. Changes that were already undone stay undone.';
  if (deleted + updated === 0)
    return 'There is nothing to undo, because everything was changed or used since the import.';
  if (dryRun) return 'Nothing has been undone yet.';
  return skipped === 0 ? 'The import was undone.' : 'The import was undone, except for what was changed or used since.';
}
