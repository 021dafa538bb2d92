import { Button } from '@mantine/core';
import { useState } from 'react';
import { trpc } from '../../api/client.ts';
import { useQuery } from '@tanstack/react-query';
import { StackedChart } from '../../components/chart/stacked-chart.tsx';
import { shortDate } from '../../dates.ts';
import { FrameworkBars } from './framework-bars.tsx';
import { HistoryTable } from './history-table.tsx';
import { Panel } from './panel.tsx';
import { SERIES, countOf } from './series.ts';
import type { Day, FrameworkTasks } from './series.ts';

const HEIGHT = 260;
/** Days from which on a chart says more than the numbers of today. */
const MIN_DAYS = 7;

interface TaskHistoryProps {
  /** Numbers of today by framework; undefined while they load. */
  frameworks: readonly FrameworkTasks[] | undefined;
}

/** Tasks by status over the last 90 days, as a chart or as a table. In the first days: the numbers of today by framework. */
export function TaskHistory({ frameworks }: TaskHistoryProps) {
  const { data: days = [], isPending, error, refetch } = useQuery(trpc.overview.taskHistory.queryOptions({}));
  const [isTable, setIsTable] = useState(false);
  const today = days.at(-1);
  const isNew = days.length < MIN_DAYS;
  const toggle = (
    <Button variant="default" size="xs" onClick={() => setIsTable(!isTable)}>
      {isTable ? 'Show as chart' : 'Show as table'}
    </Button>
  );
  return (
    <Panel
      title={isNew ? 'Tasks today' : 'Tasks over the last 90 days'}
      className="panel-wide"
      height={HEIGHT}
      isLoading={isPending || frameworks === undefined}
      error={error}
      onRetry={() => void refetch()}
      action={today !== undefined && !isNew && toggle}
    >
      {isNew || today === undefined ? (
        <FirstDays frameworks={frameworks ?? []} />
      ) : isTable ? (
        <HistoryTable days={days} />
      ) : (
        <div className="history">
          <StackedChart
            label={summary(days, today)}
            days={days.map(({ day }) => day)}
            layers={SERIES.map(({ name, color, statuses }) => ({
              name,
              color,
              values: days.map((day) => countOf(day, statuses)),
            }))}
            kind="areas"
          />
          <Labels today={today} />
        </div>
      )}
    </Panel>
  );
}

const FirstDays = ({ frameworks }: { frameworks: readonly FrameworkTasks[] }) =>
  frameworks.length === 0 ? (
    <p className="quiet-text">The chart starts with the first framework.</p>
  ) : (
    <>
      <FrameworkBars rows={frameworks} />
      <p className="quiet-text">From the seventh day on, a chart shows the tasks over time.</p>
    </>
  );

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
