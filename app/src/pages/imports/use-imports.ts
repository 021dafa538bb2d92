import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { client, queryClient, trpc } from '../../api/client.ts';
import type { Inputs, Outputs } from '../../api/client.ts';
import { pagesOptions } from '../../api/pages.ts';
import type { Kind } from './file/columns.ts';

export type Import = Outputs['import']['get'];
export type ListedImport = Outputs['import']['list']['items'][number];
type ImportInput = Inputs['vendor']['import'];
export type Options = Omit<ImportInput, 'content' | 'dryRun'>;
/** How rows find what is there already. Requirements have their refs. */
type Matching = Pick<ImportInput, 'source' | 'mode' | 'duplicates'>;

interface Upload extends Pick<ImportInput, 'dates' | 'lenient' | 'strict'> {
  content: string;
  /** `oscal` is a catalog of requirements. */
  format: NonNullable<Inputs['requirement']['import']['format']>;
  dryRun: boolean;
}

const POLL_MS = 700;
const LIST_POLL_MS = 2000;
const PAGE_SIZE = 50;

/** Rows that have a result. */
export const doneRows = ({ created, updated, unchanged, failed, skipped, deleted }: ListedImport): number =>
  created + updated + unchanged + failed + skipped + deleted;

export const hasEnded = ({ state }: Pick<Import, 'state'>): boolean => state !== 'queued' && state !== 'running';

interface Destination {
  kind: Kind;
  framework: number | null;
}

/** Shows an import that has just been queued. */
export async function keepStarted(started: Import): Promise<Import> {
  queryClient.setQueryData(trpc.import.get.queryKey({ importUniqueId: started.uniqueId }), started);
  await queryClient.invalidateQueries(trpc.import.list.pathFilter());
  return started;
}

/** Uploads a file and queues its import. */
export const startImport = async (destination: Destination, upload: Upload, matching: Matching): Promise<Import> =>
  keepStarted(await send(destination, upload, matching));

function send({ kind, framework }: Destination, { format, ...upload }: Upload, matching: Matching): Promise<Import> {
  if (kind === 'requirement' && framework !== null)
    return client.requirement.import.mutate({ ...upload, format, framework });
  const options = { ...upload, ...matching };
  return kind === 'task' && framework !== null
    ? client.task.import.mutate({ ...options, framework })
    : client.vendor.import.mutate(options);
}

/** An import, read again until it has ended. While the session has ended the request waits, so nothing is sent. */
export const useImport = (uniqueId: string | undefined) =>
  useQuery({
    ...trpc.import.get.queryOptions({ importUniqueId: uniqueId ?? '' }),
    enabled: uniqueId !== undefined,
    refetchInterval: ({ state: { data, status } }) =>
      status === 'error' || (data !== undefined && hasEnded(data)) ? false : POLL_MS,
  });

/** Imports of the last 30 days, newest first. They are read again while one runs. */
export const useImports = () =>
  useInfiniteQuery({
    ...pagesOptions([...trpc.import.list.queryKey(), 'all'], (position, options) =>
      client.import.list.query({ limit: PAGE_SIZE, ...position }, options),
    ),
    refetchInterval: ({ state: { data, status } }) =>
      status !== 'error' && data?.pages.some(({ items }) => !items.every(hasEnded)) === true ? LIST_POLL_MS : false,
  });

const NOTES_PAGE_SIZE = 1000;
/** Pages of warnings that are read. With more of them the file has other problems first. */
const MAX_NOTE_PAGES = 30;

/** A value, or a whole row, of which an import says the same in one or several rows. */
export interface Finding {
  field: string | null;
  value: string | null;
  /** Message of the service. */
  text: string;
  rows: number;
  /** Number of the first row, and its line; undefined if it is not known. */
  row: number;
  line: number | undefined;
}

/** Values that an import left out, by field and value, the most frequent first. */
export const useLeftOut = (item: Import | undefined) =>
  useQuery({
    queryKey: [...trpc.import.warnings.queryKey({ importUniqueId: item?.uniqueId ?? '' }), 'grouped'],
    enabled: item !== undefined && hasEnded(item) && item.warnings > 0,
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const groups = new Map<string, Finding>();
      let cursor: string | null | undefined;
      for (let page = 0; page < MAX_NOTE_PAGES && cursor !== null; page++) {
        const position = cursor === undefined ? {} : { cursor };
        const input = { importUniqueId: item?.uniqueId ?? '', limit: NOTES_PAGE_SIZE, ...position };
        const { items, nextCursor } = await client.import.warnings.query(input, { signal });
        for (const { field, value, reason: text, row, line } of items) {
          const key = JSON.stringify([field, value, text]);
          const group = groups.get(key) ?? { field, value, text, row, line: line ?? undefined, rows: 0 };
          groups.set(key, { ...group, rows: group.rows + 1 });
        }
        cursor = nextCursor;
      }
      return [...groups.values()].toSorted((one, other) => other.rows - one.rows);
    },
  });

/** Errors of an import by field and value, the most frequent first. */
export const useErrors = ({ uniqueId, failed, errors }: Import) =>
  useQuery({
    ...trpc.import.errorSummary.queryOptions({ importUniqueId: uniqueId }),
    enabled: failed > 0,
    select: ({ items }): Finding[] =>
      items.map(({ field, value, error: text, rows, firstRow }) => ({
        field,
        value,
        text,
        rows,
        row: firstRow,
        line: errors.find(({ row }) => row === firstRow)?.line ?? undefined,
      })),
  });
