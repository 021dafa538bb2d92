import { Button, Skeleton } from '@mantine/core';
import { Suspense, useState } from 'react';
import { trpc } from '../../api/client.ts';
import { useQuery } from '@tanstack/react-query';
import { lazyPart } from '../../components/upgrade/lazy-part.tsx';
import { shortDate } from '../../dates.ts';
import { HistoryTable } from './history-table.tsx';
import { Panel } from './panel.tsx';
import { SERIES, countOf } from './series.ts';
import type { Day } from './series.ts';

const Chart = lazyPart(async () => (await import('./chart.tsx')).Chart);
const HEIGHT = 260;

/** Tasks by status over the last 90 days, as a chart or as a table. */
export function TaskHistory() {
  const { data: days = [], isPending, error, refetch } = useQuery(trpc.overview.taskHistory.queryOptions({}));
  const [isTable, setIsTable] = useState(false);
  const today = days.at(-1);
  const toggle = (
    <Button variant="default" size="xs" onClick={() => setIsTable(!isTable)}>
      {isTable ? 'Show as chart' : 'Show as table'}
    </Button>
  );
  return (
    <Panel
      title="Tasks over the last 90 days"
      className="panel-wide"
      height={HEIGHT}
      isLoading={isPending}
      error={error}
      onRetry={() => void refetch()}
      action={today !== undefined && toggle}
    >
      {today === undefined ? (
        <p className="quiet-text">The chart starts with the first framework.</p>
      ) : isTable ? (
        <HistoryTable days={days} />
      ) : (
        <div className="history">
          {days.length < 2 ? (
            <p className="quiet-text">The chart starts with the second day. These are the numbers of today.</p>
          ) : (
            <div role="img" aria-label={summary(days, today)}>
              <Suspense fallback={<Skeleton height="100%" />}>
                <Chart days={days} />
              </Suspense>
            </div>
          )}
          <Labels today={today} />
        </div>
      )}
    </Panel>
  );
}

/** Names of the layers with their current numbers, in the order of the chart. */
const Labels = ({ today }: { today: Day }) => (
  <div className="history-labels">
    {SERIES.toReversed().map(({ name, color, statuses }) => (
      <span key={name}>
        <i style={{ background: color }} />
        {name}
        <b>{countOf(today, statuses).toLocaleString('en')}</b>
      </span>
    ))}
  </div>
);

/** The chart as a sentence. */
function summary(days: readonly Day[], today: Day): string {
  const [first = today] = days;
  const parts = SERIES.map(
    ({ name, statuses }) => `${name} from ${countOf(first, statuses)} to ${countOf(today, statuses)}`,
  );
  return `Tasks from ${shortDate(first.day)} to ${shortDate(today.day)}: ${parts.join(', ')}.`;
}
