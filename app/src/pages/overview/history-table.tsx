import '../../components/table/data-table.css';
import { statusText } from '../../components/status-dot.tsx';
import { TASK_STATUSES } from '../../components/task/choices.ts';
import { shortDate } from '../../dates.ts';
import type { Day } from './series.ts';

/** Numbers of tasks by status and day, newest first. */
export function HistoryTable({ days }: { days: readonly Day[] }) {
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
