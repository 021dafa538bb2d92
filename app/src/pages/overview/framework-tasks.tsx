import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usePrinting } from '../../print/printing.ts';
import { MetShare, TaskCount } from '../../components/frameworks/counts.tsx';
import { percentText } from '../../components/frameworks/percent.ts';
import '../../components/table/data-table.css';
import { COLORS, totalOf } from './series.ts';
import type { FrameworkTasks as Row } from './series.ts';
import { StackedBar } from './stacked-bar.tsx';

/** Frameworks that are shown before a person asks for all. */
const MAX_SHOWN = 8;

/** Those with the most overdue tasks first, then with the most that are due this week, then with the most open ones. */
const byAttention = (one: Row, other: Row): number =>
  other.overdue.count - one.overdue.count || other.dueThisWeek.count - one.dueThisWeek.count || other.open - one.open;

/** Tasks by framework. Of many frameworks those come first that need attention. */
export function FrameworkTasks({ rows }: { rows: readonly Row[] }) {
  const [hasAll, setHasAll] = useState(false);
  const isPrinting = usePrinting();
  if (rows.length <= MAX_SHOWN) return <FrameworkTable rows={rows} />;
  const sorted = rows.toSorted(byAttention);
  return (
    <>
      <FrameworkTable rows={hasAll || isPrinting ? sorted : sorted.slice(0, MAX_SHOWN)} />
      <Button variant="default" mt="xs" className="screen-only" onClick={() => setHasAll(!hasAll)}>
        {hasAll ? 'Show those that need attention' : `Show all ${rows.length.toLocaleString('en')} frameworks`}
      </Button>
    </>
  );
}

/** Progress of each framework, and its open, overdue and due tasks. Each number leads to its tasks. */
function FrameworkTable({ rows }: { rows: readonly Row[] }) {
  return (
    <table className="data-table" aria-label="Tasks by framework">
      <thead>
        <tr>
          <th scope="col">Framework</th>
          <th scope="col" className="align-end">
            Open
          </th>
          <th scope="col" className="align-end">
            Overdue
          </th>
          <th scope="col" className="align-end">
            Due this week
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const { framework, open, overdue, dueThisWeek } = row;
          const { id, name, archived } = framework;
          const search = { framework: String(id) };
          return (
            <tr key={id}>
              <td>
                <Link to="/tasks" search={search}>
                  {name}
                </Link>
                {archived && ' (archived)'}
                <Progress row={row} />
                {row.requirements.applicable > 0 && (
                  <div className="progress">
                    <Link to="/frameworks/$framework" params={{ framework: String(id) }}>
                      Requirements: <MetShare requirements={row.requirements} />
                    </Link>
                  </div>
                )}
              </td>
              <td className="align-end">
                <TaskCount
                  value={{ count: open, more: false }}
                  of={`open tasks of ${name}`}
                  search={{ ...search, status: 'open' }}
                />
              </td>
              <td className={`align-end ${overdue.count > 0 ? 'overdue' : ''}`}>
                <TaskCount value={overdue} of={`overdue tasks of ${name}`} search={{ ...search, due: 'overdue' }} />
              </td>
              <td className="align-end">
                <TaskCount
                  value={dueThisWeek}
                  of={`tasks of ${name} that are due this week`}
                  search={{ ...search, due: 'week' }}
                />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Done and not applicable tasks of all, as a bar and in numbers. Canceled tasks do not count for the percentage. */
function Progress({ row }: { row: Row }) {
  const { done, notApplicable, canceled } = row;
  const total = totalOf(row);
  const others = notApplicable === 0 ? '' : ` and ${notApplicable.toLocaleString('en')} not applicable`;
  const text = total === 0 ? 'No tasks' : `${done.toLocaleString('en')} done${others} of ${total.toLocaleString('en')}`;
  const counted = total - canceled;
  const percent = counted === 0 ? '' : `${percentText(done + notApplicable, counted)}, `;
  const parts = [
    { color: COLORS.done, count: done },
    { color: COLORS.other, count: notApplicable },
  ];
  return (
    <div className="progress">
      <StackedBar parts={parts} total={total} label={`Progress of ${row.framework.name}: ${text}`} />
      <span>
        {percent}
        {text}
      </span>
    </div>
  );
}
