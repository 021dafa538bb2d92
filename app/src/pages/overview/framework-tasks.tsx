import { Link } from '@tanstack/react-router';
import type { Outputs } from '../../api/client.ts';
import '../../components/table/data-table.css';
import { addDays } from '../../dates.ts';

type Row = Outputs['overview']['tasks'][number];

interface FrameworkTasksProps {
  rows: readonly Row[];
  /** Date of the person, which decides what is overdue. */
  today: string;
}

/** Open, overdue and due tasks of each framework. Each number leads to its tasks. */
export function FrameworkTasks({ rows, today }: FrameworkTasksProps) {
  return (
    <table className="data-table" aria-label="Tasks by framework">
      <thead>
        <tr>
          <th scope="col">Framework</th>
          <th scope="col" className="align-end" style={{ width: '18%' }}>
            Open
          </th>
          <th scope="col" className="align-end" style={{ width: '22%' }}>
            Overdue
          </th>
          <th scope="col" className="align-end" style={{ width: '24%' }}>
            Due this week
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ framework: { id, name, archived }, open, overdue, dueThisWeek }) => {
          const search = { framework: String(id), status: 'open' };
          return (
            <tr key={id}>
              <td>
                <Link to="/tasks" search={{ framework: String(id) }}>
                  {name}
                </Link>
                {archived && ' (archived)'}
              </td>
              <td className="align-end">
                <Count value={{ count: open, more: false }} of={`open tasks of ${name}`} search={search} />
              </td>
              <td className={`align-end ${overdue.count > 0 ? 'overdue' : ''}`}>
                <Count
                  value={overdue}
                  of={`overdue tasks of ${name}`}
                  search={{ ...search, dueBefore: addDays(today, -1) }}
                />
              </td>
              <td className="align-end">
                <Count
                  value={dueThisWeek}
                  of={`tasks of ${name} that are due this week`}
                  search={{ ...search, dueAfter: today, dueBefore: addDays(today, 6) }}
                />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface CountProps {
  value: Row['overdue'];
  /** Accessible name after the number. */
  of: string;
  search: Record<string, string>;
}

function Count({ value: { count, more }, of, search }: CountProps) {
  const text = `${count.toLocaleString('en')}${more ? '+' : ''}`;
  return count === 0 ? (
    '0'
  ) : (
    <Link to="/tasks" search={search} aria-label={`${text} ${of}`}>
      {text}
    </Link>
  );
}
