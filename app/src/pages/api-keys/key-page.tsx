import {
  Alert,
  Button,
  Group,
  Skeleton,
  Stack,
  Table,
  Text,
  Title,
  UnstyledButton,
  useComputedColorScheme,
} from '@mantine/core';
import IconChevron from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { pagesOptions } from '../../api/pages.ts';
import { StackedChart } from '../../components/chart/stacked-chart.tsx';
import { CopyableId } from '../../components/copyable-id.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { FrameworkNames } from '../../components/frameworks/framework-names.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { Facts } from '../../components/section/facts.tsx';
import { Section } from '../../components/section/section.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { keyedRows } from '../../components/table/keyed-rows.ts';
import { Time } from '../../components/time.tsx';
import { useSession } from '../../components/use-session.ts';
import { exactTime } from '../../dates.ts';
import { KeyActions } from './key-actions.tsx';
import { keyState } from './key-fields.tsx';
import type { ApiKey } from './key-fields.tsx';
import { BackLink } from '../../components/table/back-link.tsx';
import { useExpanded } from '../../components/table/use-expanded.ts';
import { useLoadMore } from '../../components/table/use-load-more.ts';

type Request = Outputs['management']['apiKey']['requests']['items'][number];
type Row = ReturnType<typeof keyedRows<Request>>[number];

const PAGE_SIZE = 50;
/** Milliseconds between two reads of a page of the list, while somebody looks at it. */
const INTERVAL_MS = 5000;

/** The last requests of a key, newest first. */
function Requests({ uniqueId }: { uniqueId: string }) {
  const query = useInfiniteQuery({
    ...pagesOptions(trpc.management.apiKey.requests.queryKey({ uniqueId }), (position, options) =>
      client.management.apiKey.requests.query({ uniqueId, limit: PAGE_SIZE, ...position }, options),
    ),
    refetchInterval: ({ state }) => INTERVAL_MS * Math.max(1, state.data?.pages.length ?? 0),
  });
  const { data, error, refetch } = query;
  const loadMore = useLoadMore(query);
  const [expanded, toggle] = useExpanded();
  return (
    <Section
      title="Requests"
      text="The last 1,000 requests of the past day, newest first. A new request appears within ten seconds."
    >
      {error !== null && (
        <ErrorMessage title="The requests could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {(error === null || data !== undefined) && (
        <div className="wide-facts">
          <DataTable
            label="Requests"
            columns={columnsOf(expanded, toggle)}
            rows={data && keyedRows(data.pages.flatMap(({ items }) => items))}
            rowKey={({ key }) => key}
            onLoadMore={loadMore}
            details={(row) => (expanded.has(row.key) ? <RequestFacts request={row} /> : undefined)}
            empty={<EmptyState text="There were no requests with this key in the last day. Send one to see it here." />}
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

/** Days of the chart, the latest first. */
function UsageTable({ days }: { days: Outputs['management']['apiKey']['usage'] }) {
  return (
    <Table aria-label="Usage by day">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Day (UTC)</Table.Th>
          <Table.Th ta="end">Requests</Table.Th>
          <Table.Th ta="end">Errors</Table.Th>
          <Table.Th ta="end">Rate-limited</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {days.toReversed().map(({ day, requests, errors, rateLimited }) => (
          <Table.Tr key={day}>
            <Table.Td>{day}</Table.Td>
            <Table.Td ta="end">{requests.toLocaleString('en')}</Table.Td>
            <Table.Td ta="end">{errors.toLocaleString('en')}</Table.Td>
            <Table.Td ta="end">{rateLimited.toLocaleString('en')}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

const COLOURS = {
  light: { succeeded: '#4263eb', errors: '#e8590c', rateLimited: '#868e96' },
  dark: { succeeded: '#748ffc', errors: '#ff922b', rateLimited: '#868e96' },
} as const;

/** Requests of a key by day, as a chart or a table. */
function Usage({ uniqueId }: { uniqueId: string }) {
  const [isTable, setIsTable] = useState(false);
  const colours = COLOURS[useComputedColorScheme('light')];
  const { data: days, error, refetch } = useQuery(trpc.management.apiKey.usage.queryOptions({ uniqueId }));
  if (error !== null)
    return <ErrorMessage title="The usage could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (days === undefined) return <Skeleton h={260} />;

  const total = (field: 'requests' | 'errors' | 'rateLimited') => days.reduce((sum, day) => sum + day[field], 0);
  const [requests, errors, rateLimited] = [total('requests'), total('errors'), total('rateLimited')];
  const summary = `${count(requests, 'request')}, ${count(errors, 'error')} and ${rateLimited.toLocaleString('en')} rate-limited (429) in 30 days.`;
  if (requests === 0) return <Text c="dimmed">There were no requests with this key in the last 30 days.</Text>;
  const series = [
    {
      name: 'Succeeded',
      color: colours.succeeded,
      values: days.map((day) => day.requests - day.errors - day.rateLimited),
    },
    { name: 'Errors', color: colours.errors, values: days.map((day) => day.errors) },
    { name: 'Rate-limited (429)', color: colours.rateLimited, values: days.map((day) => day.rateLimited) },
  ];
  return (
    <>
      <Group justify="space-between" mb="xs">
        <Group gap="md">
          {series.map(({ name, color, values }) => (
            <Group key={name} gap={6} wrap="nowrap">
              <svg width="10" height="10" aria-hidden>
                <rect width="10" height="10" rx="2" fill={color} />
              </svg>
              <Text size="sm">
                {name} <b>{values.reduce((sum, value) => sum + value, 0).toLocaleString('en')}</b>
              </Text>
            </Group>
          ))}
        </Group>
        <Button variant="default" onClick={() => setIsTable(!isTable)}>
          {isTable ? 'Show as chart' : 'Show as table'}
        </Button>
      </Group>
      {isTable ? (
        <UsageTable days={days} />
      ) : (
        <div style={{ height: 240 }}>
          <StackedChart label={summary} days={days.map(({ day }) => day)} layers={series} kind="bars" />
        </div>
      )}
    </>
  );
}

const count = (number: number, unit: string) => `${number.toLocaleString('en')} ${unit}${number === 1 ? '' : 's'}`;

/** The report of a key that was found in public, and what to do. */
function LeakReport({ apiKey }: { apiKey: ApiKey }) {
  const { leakedAt, leakedUrl, revokedAt, enabled } = apiKey;
  if (leakedAt === null) return null;
  return (
    <Alert color="red" variant="outline" title="This key was leaked">
      <Text size="sm">
        Reported <Time value={leakedAt} />
        {leakedUrl !== null && leakedUrl !== '' && (
          <>
            {' at '}
            <span className="mono" style={{ overflowWrap: 'anywhere' }}>
              {leakedUrl}
            </span>
          </>
        )}
        .
      </Text>
      <Text size="sm">{nextStep(revokedAt !== null, enabled)}</Text>
    </Alert>
  );
}

function nextStep(isRevoked: boolean, isEnabled: boolean): string {
  if (isRevoked) return 'The key is already revoked. Remove it from the place where it was found.';
  const step =
    'Rotate the key without an overlap and give the new secret to the program that uses it, or revoke the key.';
  return isEnabled ? step : `The key is disabled. ${step}`;
}

/** One key: usage, requests, properties, and what can be done with it. */
export function KeyPage({ uniqueId }: { uniqueId: string }) {
  const { isAdmin } = useSession();
  const { data: key, error, refetch } = useQuery(trpc.management.apiKey.get.queryOptions({ uniqueId }));
  return (
    <Frame title={key?.name ?? 'API key'}>
      <Stack gap="md">
        <Group justify="space-between">
          <BackLink to="/api-keys">Back to the API keys</BackLink>
          {isAdmin && key !== undefined && <KeyActions apiKey={key} />}
        </Group>
        {error !== null && (
          <ErrorMessage title="The API key could not be loaded" error={error} onRetry={() => void refetch()} />
        )}
        {key !== undefined && <LeakReport apiKey={key} />}
        {error === null && (
          <div className="with-facts">
            <section aria-labelledby="usage">
              <Title order={2} id="usage" mb="xs">
                Usage of the last 30 days
              </Title>
              <Usage uniqueId={uniqueId} />
            </section>
            {key === undefined ? <Skeleton h={360} /> : <Properties apiKey={key} />}
          </div>
        )}
        {error === null && <Requests uniqueId={uniqueId} />}
      </Stack>
    </Frame>
  );
}

const timeOrNever = (value: string | null) => (value === null ? 'Never' : <Time value={value} />);
const isFuture = (value: string | null): value is string => value !== null && Date.parse(value) > Date.now();

function Properties({ apiKey }: { apiKey: ApiKey }) {
  const { uniqueId, start, last4, scopes, frameworks, cidrs, expiresAt, revokedAt, rotatedUntil } = apiKey;
  return (
    <aside aria-label="Properties">
      <Facts
        facts={[
          ['Status', <StatusDot key="status" status={keyState(apiKey)} />],
          ['Key', <span key="key" className="mono">{`${start}…${last4}`}</span>],
          ['Last use', timeOrNever(apiKey.lastUsedAt)],
          ['Expiry', timeOrNever(expiresAt)],
          ['Revoked', revokedAt === null ? undefined : <Time value={revokedAt} />],
          ['Previous secret works until', isFuture(rotatedUntil) ? <Time value={rotatedUntil} /> : undefined],
          ['Scopes', scopes.join(', ')],
          ['Frameworks', <FrameworkNames key="frameworks" ids={frameworks} />],
          ['Address ranges', cidrs === null ? 'All' : cidrs.join(', ')],
          ['Created', <Time key="created" value={apiKey.createdAt} />],
          ['Id', <CopyableId key="id" value={uniqueId} />],
        ]}
      />
    </aside>
  );
}
