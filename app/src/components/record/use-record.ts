import { useRef, useState } from 'react';
import { errorDetails } from '../../api/errors.ts';

/** A change by somebody else that came between reading and saving. */
export interface Conflict<Item, Changes> {
  /** State that the person edited. */
  base: Item;
  theirs: Item;
  mine: Changes;
  /** Ends the conflict: true keeps the person's changes, false uses theirs, undefined decides later. */
  decide: (keepMine: boolean | undefined) => void;
}

interface RecordOptions<Item, Changes> {
  /** Reads the present state. */
  read: () => Promise<Item>;
  update: (changes: Changes, ifMatch: string) => Promise<Item>;
  /** Runs after each new state, for example to load the history again. */
  onChange: () => void;
}

const UNDECIDED = 'Not saved: somebody else changed it meanwhile. Leave the field again to compare.';

/**
 * The shown state of a record. Saves its changes one after the other, each with the entity tag of the state that it changes.
 * If somebody else changed the record, the person compares both versions and decides.
 */
export function useRecord<Item extends { etag: string }, Changes extends object>(
  loaded: Item,
  { read, update, onChange }: RecordOptions<Item, Changes>,
) {
  const [item, setItem] = useState(loaded);
  const [conflict, setConflict] = useState<Conflict<Item, Changes>>();
  const latest = useRef(loaded);
  const queue = useRef<Promise<unknown>>(Promise.resolve());

  const show = (next: Item) => {
    latest.current = next;
    setItem(next);
    onChange();
  };

  const ask = async (versions: Omit<Conflict<Item, Changes>, 'decide'>): Promise<boolean | undefined> => {
    const { promise, resolve } = Promise.withResolvers<boolean | undefined>();
    setConflict({ ...versions, decide: resolve });
    const keepMine = await promise;
    setConflict(undefined);
    return keepMine;
  };

  const send = async (mine: Changes): Promise<void> => {
    const base = latest.current;
    try {
      show(await update(mine, base.etag));
    } catch (error) {
      if (errorDetails(error).status !== 412) throw error;
      const theirs = await read();
      const keepMine = await ask({ base, theirs, mine });
      if (keepMine === undefined) throw new Error(UNDECIDED, { cause: error });
      show(theirs);
      if (keepMine) await send(mine);
    }
  };

  const save = (changes: Changes): Promise<void> => {
    const before = queue.current;
    const saved = (async () => {
      await before;
      await send(changes);
    })();
    queue.current = saved.catch(() => {});
    return saved;
  };

  return { item, save, conflict };
}
