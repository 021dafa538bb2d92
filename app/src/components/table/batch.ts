import { useState } from 'react';
import { errorDetails } from '../../api/errors.ts';
import { messageText } from '../error-text.ts';
import { closeFailures, endMessage, fail, say } from '../undo/undo.ts';

/** Maximum number of items of a batch. */
const CHUNK_SIZE = 100;
const PRECONDITION_FAILED = 412;
const CHANGED_MEANWHILE = 'Somebody else changed it in the meantime.';

/** A change of a row, or its deletion. */
export type Action<Changes> = { op: 'update'; body: Changes; ifMatch?: string } | { op: 'delete' };

interface Step<Row, Changes> {
  row: Row;
  action: Action<Changes>;
}

/** A step that succeeded. */
interface Success<Row> {
  row: Row;
  /** The row after the change, if the service returns it. */
  item: Row | undefined;
  /** Entity tag after the change; a deletion has none. */
  etag: string | undefined;
}

interface Failure<Row> {
  row: Row;
  message: string;
}

interface Listed {
  uniqueId: string;
  version: number;
}

/** How rows of a kind are changed together. */
export interface BatchKind<Row extends Listed, Changes> {
  /** Word for the rows: `['vendor', 'vendors']`. */
  unit: readonly [one: string, many: string];
  nameOf: (row: Row) => string;
  /** Sends at most 100 items. */
  send: (items: readonly (Action<Changes> & { uniqueId: string })[]) => Promise<{
    results: readonly { index: number; status: number; item?: Row; etag?: string; error?: string }[];
  }>;
  /** The values that a row had before changes. */
  formerOf: (row: Row, changes: Changes) => Changes;
  /** Loads the lists again. */
  reload: () => Promise<unknown>;
  /** What the service did beside the changes, as a sentence. */
  alsoText?: (changed: readonly Success<Row>[]) => string;
}

/** "12 tasks" */
export const countText = ([one, many]: readonly [string, string], count: number) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** Sends steps in batches of the permitted size. A part of them may fail. @param onProgress gets the number of sent steps */
async function runSteps<Row extends Listed, Changes>(
  { send }: BatchKind<Row, Changes>,
  steps: readonly Step<Row, Changes>[],
  onProgress: (done: number) => void = () => undefined,
) {
  const successes: Success<Row>[] = [];
  const failures: Failure<Row>[] = [];
  for (let start = 0; start < steps.length; start += CHUNK_SIZE) {
    onProgress(start);
    const chunk = steps.slice(start, start + CHUNK_SIZE);
    try {
      const { results } = await send(chunk.map(({ row: { uniqueId }, action }) => ({ ...action, uniqueId })));
      for (const { index, status, item, etag, error } of results) {
        const row = chunk[index]?.row;
        if (row === undefined) continue;
        if (error === undefined) successes.push({ row, item, etag });
        else failures.push({ row, message: status === PRECONDITION_FAILED ? CHANGED_MEANWHILE : messageText(error) });
      }
    } catch (error) {
      // Later batches would fail for the same reason.
      const message = messageText(errorDetails(error).message);
      failures.push(...steps.slice(start).map(({ row }) => ({ row, message })));
      break;
    }
  }
  return { successes, failures };
}

/** False if the row was no longer as the list showed it when it was changed. The tag begins with the version. */
const isFormerKnown = <Row extends Listed>({ row, etag }: Success<Row>): boolean =>
  etag !== undefined && Number.parseInt(etag, 10) - row.version <= 1;

const reasonsOf = <Row extends Listed, Changes>(
  { nameOf }: BatchKind<Row, Changes>,
  failures: readonly Failure<Row>[],
) => failures.map(({ row, message }) => `${nameOf(row)}: ${message}`);

/** Gives rows their former values back, unless somebody else changed them, and says so. */
async function undo<Row extends Listed, Changes>(
  kind: BatchKind<Row, Changes>,
  changed: readonly Success<Row>[],
  changes: Changes,
): Promise<void> {
  const { unit, formerOf, reload } = kind;
  say(`Undoing the change of ${countText(unit, changed.length)} …`);
  const steps = changed.filter(isFormerKnown).map(({ row, etag }) => ({
    row,
    // The step succeeds only if the row is as the last change left it.
    action: { op: 'update' as const, body: formerOf(row, changes), ...(etag !== undefined && { ifMatch: etag }) },
  }));
  const unknown = changed.filter((one) => !isFormerKnown(one)).map(({ row }) => ({ row, message: CHANGED_MEANWHILE }));
  const failures = [...unknown, ...(await runSteps(kind, steps)).failures];
  await reload();
  const restored = changed.length - failures.length;
  if (restored > 0) say(`The change of ${countText(unit, restored)} was undone.`);
  else endMessage();
  if (failures.length > 0) {
    fail({
      title: `The change of ${countText(unit, failures.length)} could not be undone`,
      advice: `The ${unit[1]} below keep their current values.`,
      reasons: reasonsOf(kind, failures),
    });
  }
}

/** What messages say of an action in place of "12 tasks changed." */
interface Words {
  /** "12 tasks of Ann were handed over to Bob." @param count of the rows */
  done?: (count: number) => string;
  /** "handed over" */
  verb?: string;
  /** The effect of a failure. @param count of the rows */
  advice?: (count: number) => string;
  onProgress?: (done: number) => void;
  /** False if the action cannot be undone. */
  isUndoable?: boolean;
}

/**
 * Runs an action on rows. Messages at the bottom of the window say what was done, and undo changes.
 * @returns the rows that failed
 */
export async function runBatch<Row extends Listed, Changes>(
  kind: BatchKind<Row, Changes>,
  rows: readonly Row[],
  action: Action<Changes>,
  words: Words = {},
): Promise<Row[]> {
  const { unit, reload, alsoText = () => '' } = kind;
  const { verb = action.op === 'update' ? 'changed' : 'deleted', advice, onProgress, isUndoable = true } = words;
  const { done = (count: number) => `${countText(unit, count)} ${verb}.` } = words;
  closeFailures();
  const { successes, failures } = await runSteps(
    kind,
    rows.map((row) => ({ row, action })),
    onProgress,
  );
  await reload();
  if (successes.length > 0)
    say(
      `${done(successes.length)}${alsoText(successes)}`,
      action.op === 'update' && isUndoable ? () => void undo(kind, successes, action.body) : undefined,
    );
  if (failures.length > 0)
    fail({
      title: `${countText(unit, failures.length)} could not be ${verb}`,
      ...(advice !== undefined && { advice: advice(failures.length) }),
      reasons: reasonsOf(kind, failures),
    });
  return failures.map(({ row }) => row);
}

/** The same for a page that shows the progress. */
export function useBatch<Row extends Listed, Changes>(kind: BatchKind<Row, Changes>, advice?: string) {
  const [progress, setProgress] = useState<{ done: number; count: number }>();
  const run = async (rows: readonly Row[], action: Action<Changes>): Promise<Row[]> => {
    try {
      return await runBatch(kind, rows, action, {
        onProgress: (done) => setProgress({ done, count: rows.length }),
        ...(advice !== undefined && { advice: () => advice }),
      });
    } finally {
      setProgress(undefined);
    }
  };
  return { run, progress };
}
