import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { trpc } from '../../api/client.ts';
import { StackedChart } from '../../components/chart/stacked-chart.tsx';
import { statusText } from '../../components/status-dot.tsx';
import '../../components/table/data-table.css';
import { TASK_STATUSES } from '../../components/task/choices.ts';
import { shortDate } from '../../dates.ts';
import { usePrinting } from '../../print/printing.ts';
import { Panel } from './panel.tsx';
import { countOf, SERIES, totalOf } from './series.ts';
import type { Day, FrameworkTasks } from './series.ts';
import { StackedBar } from './stacked-bar.tsx';

/** Days between two rows on paper. */
const PAPER_STEP_DAYS = 7;

/** Numbers of tasks by status and day, newest first; on paper by week. */
function HistoryTable({ days: given }: { days: readonly Day[] }) {
  const isPrinting = usePrinting();
  const days = given.filter((_, index) => !isPrinting || (given.length - 1 - index) % PAPER_STEP_DAYS === 0);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it
    <div className="scroll" role="region" aria-label="Numbers by day" tabIndex={0}>
      <table className="data-table" aria-label="Tasks by status and day">
        <thead>
          <tr>
            <th scope="col">Day</th>
            {TASK_STATUSES.map((status) => (
              <th key={status} scope="col" className="align-end">
                {statusText(status)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ day, counts }) => (
            <tr key={day}>
              <td>{shortDate(day)}</td>
              {TASK_STATUSES.map((status) => (
                <td key={status} className="align-end">
                  {counts[status].toLocaleString('en')}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Done tasks come first, open ones last. */
const ORDER = [...SERIES.slice(1), ...SERIES.slice(0, 1)];

/** Numbers of today: one bar for each framework, with its parts in words. */
const FrameworkBars = ({ rows }: { rows: readonly FrameworkTasks[] }) => (
  <ul className="panel-list framework-bars">
    {rows.map((row) => {
      const parts = ORDER.map(({ name, color, today }) => ({ name, color, count: today(row) }));
      const { id, name } = row.framework;
      const words = parts.map((part) => `${part.count.toLocaleString('en')} ${part.name.toLowerCase()}`);
      return (
        <li key={id}>
          <b>{name}</b>
          <StackedBar parts={parts} total={totalOf(row)} label={`${name}: ${words.join(', ')}`} />
          <span className="bar-labels">
            {parts.map((part, index) => (
              <span key={part.name}>
                <i style={{ background: part.color }} />
                {words[index]}
              </span>
            ))}
          </span>
        </li>
      );
    })}
  </ul>
);

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
  const isPrinting = usePrinting();
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
      ) : isTable || isPrinting ? (
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
    <p className="quiet-text">The chart starts when there is a framework.</p>
  ) : (
    <>
      <FrameworkBars rows={frameworks} />
      <p className="quiet-text">From the seventh day on, a chart shows how the tasks change over time.</p>
    </>
  );

/** Names of the layers with their current numbers, in the order of the chart. */
const Labels = ({ today }: { today: Day }) => (
  <div className="history-labels">
    {SERIES.toReversed().map(({ name, color, statuses }) => (
      <span key={name}>
        <i style={{ background: color }} />
        {name}
        <b>
          <Link
            to="/tasks"
            search={{ status: statuses.join() }}
            aria-label={`${countOf(today, statuses).toLocaleString('en')} tasks: ${name.toLowerCase()}`}
          >
            {countOf(today, statuses).toLocaleString('en')}
          </Link>
        </b>
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
