import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Outputs } from '../../api/client.ts';
import { NOBODY } from '../../components/person/member-select.tsx';
import { CalendarDate } from '../../components/time.tsx';
import { overdueText } from '../../dates.ts';
import { usePrinting } from '../../print/printing.ts';

const FILTER = { due: 'overdue', sort: 'dueDate' } as const;

/** The overdue tasks of a person or of a department. */
interface Share {
  key: string;
  name: string;
  count: number;
  /** Due date of the oldest one. */
  oldest: string;
  /** Filter of the list; undefined if it has none. */
  search: Record<string, string> | undefined;
}

/** Who has the overdue tasks, and which departments. Each number leads to its tasks, the oldest first. */
export function OverdueWork({ people, departments }: Outputs['overview']['overdueTasks']) {
  const ofPeople = people.map(({ person, ...share }): Share => {
    const { uniqueId, name } = person ?? { uniqueId: NOBODY, name: 'Nobody' };
    return { ...share, key: uniqueId, name, search: { assignee: uniqueId } };
  });
  const ofDepartments = departments.map(({ department, ...share }): Share => {
    if (department === null) return { ...share, key: '', name: 'No department', search: undefined };
    const { id, name } = department;
    return { ...share, key: String(id), name, search: { departmentId: String(id) } };
  });
  return (
    <div className="overdue-work">
      <ShareTable of="person" heading="Person" shares={ofPeople} />
      <ShareTable of="department" heading="Department" shares={ofDepartments} />
    </div>
  );
}

/** Rows that are shown before a person asks for all. */
const MAX_SHOWN = 6;

interface ShareTableProps {
  of: 'person' | 'department';
  heading: string;
  shares: readonly Share[];
}

function ShareTable({ of, heading, shares }: ShareTableProps) {
  const [hasAll, setHasAll] = useState(false);
  const isPrinting = usePrinting();
  const shown = hasAll || isPrinting ? shares : shares.slice(0, MAX_SHOWN);
  return (
    <div>
      <table className="data-table" aria-label={`Overdue tasks by ${of}`}>
        <thead>
          <tr>
            <th scope="col">{heading}</th>
            <th scope="col" className="align-end">
              Overdue
            </th>
            <th scope="col">Oldest was due</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ key, name, count, oldest, search }) => (
            <tr key={key}>
              <td>{name}</td>
              <td className="align-end overdue">
                {search === undefined ? (
                  count.toLocaleString('en')
                ) : (
                  <Link
                    to="/tasks"
                    search={{ ...FILTER, ...search }}
                    aria-label={`${count.toLocaleString('en')} overdue tasks of ${name}`}
                  >
                    {count.toLocaleString('en')}
                  </Link>
                )}
              </td>
              <td>
                <CalendarDate value={oldest} addition={overdueText(oldest)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shares.length > MAX_SHOWN && (
        <Button variant="default" mt="xs" className="screen-only" onClick={() => setHasAll(!hasAll)}>
          {hasAll ? `Show first ${MAX_SHOWN} by ${of}` : `Show all ${shares.length.toLocaleString('en')} by ${of}`}
        </Button>
      )}
    </div>
  );
}
