import { Button, Skeleton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { client, trpc } from '../../api/client.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import type { Import } from './use-import-run.ts';

const PAGE_SIZE = 100;

/** The rows that could not be imported, in pages. */
export function RowErrors({ item: { uniqueId, failed } }: { item: Pick<Import, 'uniqueId' | 'failed'> }) {
  const input = { importUniqueId: uniqueId };
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [...trpc.import.errors.queryKey(input), 'all'],
    queryFn: ({ pageParam }) =>
      client.import.errors.query({ ...input, limit: PAGE_SIZE, ...(pageParam !== null && { cursor: pageParam }) }),
    initialPageParam: NO_CURSOR,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  if (error !== null)
    return <ErrorMessage title="The errors could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={80} />;
  const errors = data.pages.flatMap(({ items }) => items);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it
    <div className="preview row-errors" role="region" aria-label="Errors by line" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Column</th>
            <th scope="col">Error</th>
          </tr>
        </thead>
        <tbody>
          {errors.map(({ row, line, field, error: text }) => (
            <tr key={row}>
              <td>{line}</td>
              <td>{field ?? ''}</td>
              <td className="break">{field === null ? text : text.replace(`${field}: `, '')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {hasNextPage && (
        <Button variant="subtle" size="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {`Show more of ${failed.toLocaleString('en')}`}
        </Button>
      )}
    </div>
  );
}

const NO_CURSOR: string | null = null;
