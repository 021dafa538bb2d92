import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { QueryKey } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { errorDetails } from '../../api/errors.ts';

// Names of records that events and other records mention. Those have only ids, and the list of all records may be long.

/** A record with its name. */
export interface Named {
  uniqueId: string;
  /** Undefined until it is loaded. */
  name: string | undefined;
}

interface NameOptions {
  /** "vendor" */
  noun: string;
  /** Key of the queries of the records. */
  key: QueryKey;
  /** Reads the name of a record. */
  read: (uniqueId: string, options: { signal?: AbortSignal }) => Promise<string>;
}

const STALE_MS = 60_000;

/** The names of records of one kind. */
export function nameStore({ noun, key, read }: NameOptions) {
  /** Undefined while a name loads. */
  let names: ReadonlyMap<string, string | undefined> = new Map();
  const listeners = new Set<() => void>();

  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };

  const keep = (uniqueId: string, name: string | undefined) => {
    names = new Map([...names, [uniqueId, name]]);
  };

  /** Reads a name; words for a record that was deleted, or that the person may not see. */
  async function readName(uniqueId: string, options: { signal?: AbortSignal } = {}): Promise<string> {
    try {
      return await read(uniqueId, options);
    } catch (error) {
      const { status } = errorDetails(error);
      if (status === 404) return `a deleted ${noun}`;
      if (status === 403) return `a ${noun} that you cannot see`;
      throw error;
    }
  }

  async function load(uniqueId: string): Promise<void> {
    try {
      keep(uniqueId, await readName(uniqueId));
      listeners.forEach((listener) => listener());
    } catch {
      // Without the name the sentence is complete. The next page that mentions the record tries again.
      names = new Map([...names].filter(([one]) => one !== uniqueId));
    }
  }

  /** The name of a record. Loads one that is unknown; all that a page needs are one request. */
  function nameOf(uniqueId: string): string | undefined {
    if (!names.has(uniqueId)) {
      keep(uniqueId, undefined);
      void load(uniqueId);
    }
    return names.get(uniqueId);
  }

  return {
    /** A function that finds names. The component renders again when names have loaded. */
    useName: (): ((uniqueId: string) => string | undefined) => {
      useSyncExternalStore(subscribe, () => names);
      return nameOf;
    },
    /** Names in the order of their ids. */
    useNames: (uniqueIds: readonly string[]): Named[] => {
      const { data = [] } = useQuery({
        queryKey: [...key, 'names', uniqueIds],
        queryFn: ({ signal }) =>
          Promise.all(uniqueIds.map(async (uniqueId) => ({ uniqueId, name: await readName(uniqueId, { signal }) }))),
        enabled: uniqueIds.length > 0,
        staleTime: STALE_MS,
        placeholderData: keepPreviousData,
      });
      return uniqueIds.map(
        (uniqueId) => data.find((one) => one.uniqueId === uniqueId) ?? { uniqueId, name: undefined },
      );
    },
  };
}

const DELAY_MS = 200;
/** Records that a list offers at once. A person types to find others. */
const MAX_OFFERED = 20;

/** What a person types to find records, which the server searches. Nothing is loaded before the field has the focus. */
export function useTypedSearch() {
  const [isUsed, setIsUsed] = useState(false);
  const [text, setText] = useState('');
  const [q] = useDebouncedValue(text.trim(), DELAY_MS);
  return {
    /** Input of the query. */
    input: { limit: MAX_OFFERED, ...(q !== '' && { q }) },
    options: { enabled: isUsed, placeholderData: keepPreviousData },
    text,
    setText,
    use: () => setIsUsed(true),
  };
}

/** Options without a second one of the same record. */
export const withoutRepeats = <Option extends { value: string }>(options: readonly Option[]): Option[] =>
  options.filter(({ value }, index) => options.findIndex((one) => one.value === value) === index);
