import { Button } from '@mantine/core';
import { queryOptions } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { NOBODY } from '../../components/person/member-select.tsx';
import { CalendarDate } from '../../components/time.tsx';
import { overdueText } from '../../dates.ts';
import { usePrinting } from '../../print/printing.ts';

type List = Outputs['task']['listAll'];
type OverdueTask = NonNullable<List['items']>[number];
type Department = Outputs['department']['list'][number];

const FILTER = { due: 'overdue', sort: 'dueDate' } as const;
const PAGE_SIZE = 100;
const MAX_PAGES = 5;

/** Reads the overdue tasks, the oldest first. Of very many only the first: the service counts them neither by person nor by department. */
async function readOverdue(): Promise<{ tasks: readonly OverdueTask[]; total: number }> {
  const tasks: OverdueTask[] = [];
  let total = 0;
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const list: List = await client.task.listAll.query({
      ...FILTER,
      limit: PAGE_SIZE,
      ...(cursor !== null && { cursor }),
    });
    tasks.push(...(list.items ?? []));
    total = list.total;
    cursor = list.nextCursor ?? null;
    if (cursor === null) break;
  }
  return { tasks, total };
}

// Below the key of the procedure, so that changes of tasks invalidate it.
export const overdueQuery = queryOptions({
  queryKey: [...trpc.task.listAll.queryKey(FILTER), 'overview'],
  queryFn: readOverdue,
});

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

type Group = Pick<Share, 'key' | 'name' | 'search'>;

/** Groups tasks that are in the order of their due dates. Those with the most tasks come first, among equals those with the oldest one. */
function sharesOf(tasks: readonly OverdueTask[], groupOf: (task: OverdueTask) => Group): Share[] {
  const shares = new Map<string, Share>();
  for (const task of tasks) {
    const group = groupOf(task);
    const share = shares.get(group.key);
    if (share !== undefined) share.count += 1;
    else shares.set(group.key, { ...group, count: 1, oldest: task.dueDate ?? '' });
  }
  return [...shares.values()].toSorted((one, other) => other.count - one.count);
}

const personOf = ({ assignee }: OverdueTask): Group =>
  assignee === null
    ? { key: NOBODY, name: 'Nobody', search: { assignee: NOBODY } }
    : { key: assignee.uniqueId, name: assignee.name, search: { assignee: assignee.uniqueId } };

const departmentIn =
  (departments: readonly Department[]) =>
  ({ departmentId }: OverdueTask): Group => {
    const id = String(departmentId);
    if (departmentId === null) return { key: id, name: 'No department', search: undefined };
    const name = departments.find((department) => department.id === departmentId)?.name ?? id;
    return { key: id, name, search: { departmentId: id } };
  };

interface OverdueWorkProps {
  tasks: readonly OverdueTask[];
  total: number;
  departments: readonly Department[];
}

/** Who has the overdue tasks, and which departments. Each number leads to its tasks, the oldest first. */
export function OverdueWork({ tasks, total, departments }: OverdueWorkProps) {
  return (
    <>
      {tasks.length < total && (
        <p className="quiet-text">
          The {tasks.length.toLocaleString('en')} oldest of{' '}
          <Link to="/tasks" search={FILTER}>
            {total.toLocaleString('en')} overdue tasks
          </Link>
        </p>
      )}
      <div className="overdue-work">
        <ShareTable of="person" heading="Person" shares={sharesOf(tasks, personOf)} />
        <ShareTable of="department" heading="Department" shares={sharesOf(tasks, departmentIn(departments))} />
      </div>
    </>
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
          {hasAll ? `First ${MAX_SHOWN} by ${of}` : `All ${shares.length.toLocaleString('en')} by ${of}`}
        </Button>
      )}
    </div>
  );
}
