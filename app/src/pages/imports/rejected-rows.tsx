import { Button, Group, Skeleton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { client, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { ExportStatus } from '../../components/table/export-status.tsx';
import { useExport } from '../../components/table/use-export.ts';
import { fieldLabel } from '../../components/record/values.ts';
import { writeSafeRecord } from './file/facts.ts';
import type { Import } from './use-imports.ts';

const PAGE_SIZE = 100;
const EXPORT_PAGE_SIZE = 1000;
/** The maximum number of rows of a file. */
const MAX_ROWS = 100_000;
const SHOWN_CHARACTERS = 200;
const BOM = '\u{feff}';

type RowError = Outputs['import']['errors']['items'][number];

/** Facts about a row that only the page with the file has. */
export interface SentRows {
  /** Value of a field in the file. */
  valueOf: (row: number, field: string) => string | undefined;
  /** Error of a row that has other cells than the header. */
  widthError: (row: number) => string | undefined;
}

interface RejectedRowsProps {
  item: Pick<Import, 'uniqueId' | 'failed'>;
  sentRows: SentRows | undefined;
}

/** A rejected row as people read it. The value is empty if the file is not in this page. */
const toCells = ({ row, line, field, error }: RowError, sentRows: SentRows | undefined) => ({
  line: String(line),
  field: field === null ? '' : fieldLabel(field),
  value: field === null ? '' : (sentRows?.valueOf(row, field) ?? ''),
  error: sentRows?.widthError(row) ?? (field === null ? error : error.replace(`${field}: `, '')),
});

/** The rows that were rejected, in pages. All of them can be saved as a CSV file. */
export function RejectedRows({ item: { uniqueId, failed }, sentRows }: RejectedRowsProps) {
  const input = { importUniqueId: uniqueId };
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [...trpc.import.errors.queryKey(input), 'all'],
    queryFn: ({ pageParam }) =>
      client.import.errors.query({ ...input, limit: PAGE_SIZE, ...(pageParam !== null && { cursor: pageParam }) }),
    initialPageParam: NO_CURSOR,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const { start, ...exported } = useExport();
  const download = () =>
    start({
      fileName: 'rejected-rows.csv',
      type: 'text/csv;charset=utf-8',
      maxRows: MAX_ROWS,
      load: async (cursor, signal) => {
        const page = { ...input, limit: EXPORT_PAGE_SIZE, ...(cursor !== undefined && { cursor }) };
        const { items, nextCursor } = await client.import.errors.query(page, { signal });
        const records = items.map((item) => writeSafeRecord(Object.values(toCells(item, sentRows))));
        const header = cursor === undefined ? BOM + writeSafeRecord(['Line', 'Field', 'Value', 'Error']) : '';
        return { content: header + records.join(''), rows: items.length, nextCursor, total: failed };
      },
    });
  if (error !== null)
    return <ErrorMessage title="The rejected rows could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={80} />;
  const rows = data.pages.flatMap(({ items }) => items);
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it */}
      <div className="preview" role="region" aria-label="Rejected rows" tabIndex={0}>
        <table className="rejected">
          <thead>
            <tr>
              <th scope="col">Line</th>
              <th scope="col">Field</th>
              {sentRows !== undefined && <th scope="col">Value</th>}
              <th scope="col">Error</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const cells = toCells(row, sentRows);
              return (
                <tr key={row.row}>
                  <td>{cells.line}</td>
                  <td>{cells.field}</td>
                  {sentRows !== undefined && <td>{short(cells.value)}</td>}
                  <td>{cells.error}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
        {hasNextPage && (
          <Button variant="subtle" size="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {`Show more of ${failed.toLocaleString('en')}`}
          </Button>
        )}
      </div>
      <Group>
        <Button variant="default" loading={exported.state?.status === 'running'} onClick={() => void download()}>
          Download rejected rows
        </Button>
      </Group>
      <ExportStatus {...exported} unit={['row', 'rows']} />
    </>
  );
}

const NO_CURSOR: string | null = null;

const short = (text: string) => (text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
