import { Button, Group, Skeleton, Text, useComputedColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { trpc } from '../../api/client.ts';
import { StackedChart } from '../../components/chart/stacked-chart.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { UsageTable } from './usage-table.tsx';

const COLOURS = {
  light: { succeeded: '#4263eb', errors: '#e8590c', rateLimited: '#868e96' },
  dark: { succeeded: '#748ffc', errors: '#ff922b', rateLimited: '#868e96' },
} as const;

/** Requests of a key by day, as a chart or a table. */
export function Usage({ uniqueId }: { uniqueId: string }) {
  const [isTable, setIsTable] = useState(false);
  const colours = COLOURS[useComputedColorScheme('light')];
  const { data: days, error, refetch } = useQuery(trpc.management.apiKey.usage.queryOptions({ uniqueId }));
  if (error !== null)
    return <ErrorMessage title="The usage could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (days === undefined) return <Skeleton h={260} />;

  const total = (field: 'requests' | 'errors' | 'rateLimited') => days.reduce((sum, day) => sum + day[field], 0);
  const [requests, errors, rateLimited] = [total('requests'), total('errors'), total('rateLimited')];
  const summary = `${count(requests, 'request')}, ${count(errors, 'error')} and ${rateLimited.toLocaleString('en')} rate-limited (429) in 30 days.`;
  if (requests === 0) return <Text c="dimmed">No request with this key in the last 30 days.</Text>;
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
