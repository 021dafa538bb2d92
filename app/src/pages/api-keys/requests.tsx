import { UnstyledButton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import IconChevron from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { useState } from 'react';
import { client, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { pagesOptions } from '../../api/pages.ts';
import { CopyableId } from '../../components/copyable-id.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Facts } from '../../components/section/facts.tsx';
import { Section } from '../../components/section/section.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { keyedRows } from '../../components/table/rows/keyed-rows.ts';
import { Time } from '../../components/time.tsx';
import { exactTime } from '../../dates.ts';
import './requests.css';

type Request = Outputs['management']['apiKey']['requests']['items'][number];
type Row = ReturnType<typeof keyedRows<Request>>[number];

const PAGE_SIZE = 50;
/** Milliseconds between two reads of a page of the list, while somebody looks at it. */
const INTERVAL_MS = 5000;

/** The last requests of a key, newest first. */
export function Requests({ uniqueId }: { uniqueId: string }) {
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    ...pagesOptions(trpc.management.apiKey.requests.queryKey({ uniqueId }), (position, options) =>
      client.management.apiKey.requests.query({ uniqueId, limit: PAGE_SIZE, ...position }, options),
    ),
    refetchInterval: ({ state }) => INTERVAL_MS * Math.max(1, state.data?.pages.length ?? 0),
  });
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string) => {
    const next = new Set(expanded);
    if (!next.delete(key)) next.add(key);
    setExpanded(next);
  };
  return (
    <Section
      title="Requests"
      text="The last 1,000 requests of one day, newest first. A new one is here within ten seconds."
    >
      {error !== null && (
        <ErrorMessage title="The requests could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {(error === null || data !== undefined) && (
        <div className="key-requests">
          <DataTable
            label="Requests"
            columns={columnsOf(expanded, toggle)}
            rows={data && keyedRows(data.pages.flatMap(({ items }) => items))}
            rowKey={({ key }) => key}
            onLoadMore={hasNextPage ? () => void fetchNextPage() : undefined}
            details={(row) => (expanded.has(row.key) ? <RequestFacts request={row} /> : undefined)}
            empty={<EmptyState text="No request with this key in the last day. Send one to see it here." />}
          />
        </div>
      )}
    </Section>
  );
}

/** The button with the method and the path shows and hides all facts. */
const columnsOf = (expanded: ReadonlySet<string>, onToggle: (key: string) => void): readonly Column<Row>[] => [
  {
    id: 'path',
    header: 'Request',
    render: ({ key, method, path }) => (
      <UnstyledButton className="expander" aria-expanded={expanded.has(key)} onClick={() => onToggle(key)}>
        <IconChevron size={14} aria-hidden />
        <span className="mono">{`${method} ${path}`}</span>
      </UnstyledButton>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: 110,
    render: ({ status, code }) => (
      <StatusDot status={code === null && status !== null ? 'succeeded' : 'failed'} label={statusText(status)} />
    ),
  },
  {
    id: 'code',
    header: 'Error code',
    width: 190,
    leaves: 2,
    render: ({ code }) => code ?? <span className="quiet">None</span>,
  },
  {
    id: 'duration',
    header: 'Duration',
    width: 90,
    leaves: 1,
    className: 'align-end',
    render: ({ durationMs }) => durationText(durationMs),
  },
  { id: 'at', header: 'Time', width: 190, leaves: 3, render: ({ at }) => <Time value={at} isExact /> },
];

const statusText = (status: number | null) => (status === null ? 'No response' : String(status));
const durationText = (durationMs: number) => `${durationMs.toLocaleString('en')} ms`;

const RequestFacts = ({ request: { at, method, path, status, code, requestId, durationMs } }: { request: Request }) => (
  <Facts
    facts={[
      ['Time', exactTime(at)],
      ['Request', <span key="request" className="mono">{`${method} ${path}`}</span>],
      ['Status', status === null ? 'None: the client closed the connection before the response' : status],
      ['Error code', code ?? 'None'],
      ['Duration', durationText(durationMs)],
      ['Request id', <CopyableId key="id" value={requestId} label="Copy request id" />],
    ]}
  />
);
