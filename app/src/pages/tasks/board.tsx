import { ActionIcon, Group, Menu, Skeleton, Text, VisuallyHidden } from '@mantine/core';
import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { client, queryClient, trpc } from '../../api/client.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { MemberItems } from '../../components/person/member-select.tsx';
import { Person } from '../../components/person/person.tsx';
import { maySee, nameIn, useMembers } from '../../components/person/use-members.ts';
import type { Member } from '../../components/person/use-members.ts';
import { StatusDot, statusText } from '../../components/status-dot.tsx';
import { useBatch } from '../../components/table/batch.ts';
import { LoadMore } from '../../components/table/data-table.tsx';
import { TASK_BATCH } from '../../components/task/batch.ts';
import type { ListedTask } from '../../components/task/batch.ts';
import { OPEN_STATUSES, TASK_STATUSES } from '../../components/task/choices.ts';
import type { TaskStatus } from '../../components/task/choices.ts';
import { DueDate, nextTaskText } from '../../components/task/due-date.tsx';
import { Priority } from '../../components/task/priority.tsx';
import { sayWithLink } from '../../components/undo/undo.ts';
import { useSession } from '../../components/use-session.ts';
import './board.css';
import { taskPagesKey, useTaskPages } from './list.tsx';
import type { TaskFilters, TaskList, TaskPages } from './list.tsx';

const links = (column: Element | undefined) => [...(column?.querySelectorAll<HTMLElement>('li a') ?? [])];

/** Moves the focus from a card to the next one: up or down in its column, left or right to another column. */
function moveFocus(link: HTMLElement, key: string): void {
  const columns = [...document.querySelectorAll('.board-column')].filter((column) => links(column).length > 0);
  const column = columns.findIndex((candidate) => candidate.contains(link));
  const row = links(columns[column]).indexOf(link);
  const sideways = { ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0;
  const along = { ArrowUp: -1, ArrowDown: 1 }[key] ?? 0;
  const target = links(columns[column + sideways]);
  target[Math.min(row + along, target.length - 1)]?.focus();
}

/** Status of the column beside another one; undefined at the ends of the board. */
function neighbour(status: TaskStatus, key: string, columns: readonly TaskStatus[]): TaskStatus | undefined {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
  return step === undefined ? undefined : columns[columns.indexOf(status) + step];
}

const ARROWS: ReadonlySet<string> = new Set(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']);

interface CardChanges {
  onMove: (status: TaskStatus) => void;
  /** @param assigneeId null for nobody */
  onAssign: (assigneeId: string | null) => void;
}

interface CardProps {
  task: ListedTask;
  /** Statuses of the columns. */
  columns: readonly TaskStatus[];
  /** Name of the framework, on a board of several. */
  framework: string | undefined;
  takesFocus: () => boolean;
  /** Undefined for a person who may not change tasks. */
  changes: CardChanges | undefined;
  onDragStart: () => void;
}

function Card({ task, columns, framework, takesFocus, changes, onDragStart }: CardProps) {
  const { uniqueId, title, status, priority, assignee } = task;
  const { members } = useMembers();
  const ref = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (takesFocus()) ref.current?.focus();
    // oxlint-disable-next-line react/exhaustive-deps -- only when the card appears in a column
  }, []);
  const handleKey = (event: KeyboardEvent<HTMLElement>) => {
    if (!ARROWS.has(event.key) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const target = neighbour(status, event.key, columns);
    if (!event.shiftKey) moveFocus(event.currentTarget, event.key);
    else if (target !== undefined) changes?.onMove(target);
  };
  return (
    <li
      className="board-card"
      draggable={changes !== undefined}
      onDragStart={({ dataTransfer }) => {
        dataTransfer.setData('text/plain', title);
        dataTransfer.effectAllowed = 'move';
        onDragStart();
      }}
    >
      <Group gap={4} align="flex-start" wrap="nowrap" justify="space-between">
        <Link
          ref={ref}
          to="/tasks/$taskUniqueId"
          params={{ taskUniqueId: uniqueId }}
          draggable={false}
          dir="auto"
          onKeyDown={handleKey}
        >
          {title}
        </Link>
        {changes !== undefined && <CardMenu task={task} {...changes} />}
      </Group>
      <Group gap="2px 12px" mt={4} c="dimmed" fz="xs">
        <Priority priority={priority} />
        <DueDate task={task} />
        {framework !== undefined && <span>{framework}</span>}
        {assignee !== null && <Person name={assignee.name} label={nameIn(members, assignee)} />}
      </Group>
    </li>
  );
}

interface CardMenuProps extends CardChanges {
  task: ListedTask;
}

const CardMenu = ({ task: { title, status, framework }, onMove, onAssign }: CardMenuProps) => (
  <Menu withInitialFocusPlaceholder={false} position="bottom-end" shadow="md" returnFocus>
    <Menu.Target>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Move or assign “${title}”`}>
        <IconDots size={16} aria-hidden />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
      <Menu.Label>Move to</Menu.Label>
      {TASK_STATUSES.filter((target) => target !== status).map((target) => (
        <Menu.Item key={target} onClick={() => onMove(target)}>
          <StatusDot status={target} />
        </Menu.Item>
      ))}
      <Menu.Label>Assign to</Menu.Label>
      <AssignItems frameworks={new Set([framework])} onAssign={onAssign} />
    </Menu.Dropdown>
  </Menu>
);

interface AssignItemsProps {
  /** Frameworks of the tasks, which the members may see. */
  frameworks: ReadonlySet<number>;
  /** True for a member who can be chosen; by default everybody. */
  mayBe?: (member: Member) => boolean;
  /** @param assigneeId uniqueId of a member; null for nobody */
  onAssign: (assigneeId: string | null) => void;
}

/** Items of a menu that gives tasks to a member. */
export function AssignItems({ frameworks, mayBe = () => true, onAssign }: AssignItemsProps) {
  const { members } = useMembers();
  const offered = members.filter(
    (member) => mayBe(member) && [...frameworks].every((framework) => maySee(member, framework)),
  );
  return <MemberItems members={offered} onChoose={onAssign} />;
}

/** Cards that a column loads at a time. */
const CARDS = 25;

/** Place of a card in its column. */
interface Place {
  page: number;
  index: number;
}

/** Statuses that a filter includes, as columns. */
function columnsOf(filter: string | undefined): readonly TaskStatus[] {
  if (filter === undefined) return TASK_STATUSES;
  const values = filter.split(',');
  return TASK_STATUSES.filter(
    (status) => values.includes(status) || (values.includes('open') && OPEN_STATUSES.includes(status)),
  );
}

const columnFilters = (filters: TaskFilters, status: TaskStatus): TaskFilters => ({ ...filters, status });

/** Changes the items of a page, and the total of a column, in the loaded pages. */
function updateColumn(
  filters: TaskFilters,
  status: TaskStatus,
  page: number,
  totalChange: number,
  change: (items: ListedTask[]) => ListedTask[],
): void {
  queryClient.setQueryData<TaskPages>(taskPagesKey(columnFilters(filters, status), CARDS), (data) =>
    data === undefined
      ? undefined
      : {
          ...data,
          pages: data.pages.map((list: TaskList, number) => ({
            ...list,
            total: list.total + totalChange,
            items: number === page ? change(list.items ?? []) : (list.items ?? []),
          })),
        },
  );
}

/** Place of a task in its column; undefined if it is not loaded. */
function placeOf(filters: TaskFilters, { uniqueId, status }: ListedTask): Place | undefined {
  const data = queryClient.getQueryData<TaskPages>(taskPagesKey(columnFilters(filters, status), CARDS));
  for (const [page, { items = [] }] of data?.pages.entries() ?? []) {
    const index = items.findIndex((item) => item.uniqueId === uniqueId);
    if (index !== -1) return { page, index };
  }
  return undefined;
}

const removeCard = (filters: TaskFilters, task: ListedTask, { page }: Place): void =>
  updateColumn(filters, task.status, page, -1, (items) => items.filter(({ uniqueId }) => uniqueId !== task.uniqueId));

const insertCard = (filters: TaskFilters, task: ListedTask, { page, index }: Place): void =>
  updateColumn(filters, task.status, page, 1, (items) => items.toSpliced(index, 0, task));

interface ColumnProps {
  filters: TaskFilters;
  status: TaskStatus;
  /** Moves the dragged card here. */
  onDrop: () => void;
  renderCard: (task: ListedTask) => ReactNode;
}

/** Tasks with one status. */
function Column({ filters, status, onDrop, renderCard }: ColumnProps) {
  const { rows: tasks, total, error, refetch, loadMore } = useTaskPages(columnFilters(filters, status), CARDS);
  const [isOver, setIsOver] = useState(false);
  return (
    <section
      className="board-column"
      aria-label={statusText(status)}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        onDrop();
      }}
    >
      <h2>
        <StatusDot status={status} />
        <Text span size="sm" c="dimmed">
          {total?.toLocaleString('en')}
        </Text>
      </h2>
      {error !== null && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      <div className="board-cards">
        <ul>{tasks?.map(renderCard)}</ul>
        {tasks === undefined && error === null && <Skeleton height={72} radius="md" />}
        {tasks?.length === 0 && (
          <Text size="sm" c="dimmed" ta="center" py="md">
            No tasks
          </Text>
        )}
        {loadMore !== undefined && <LoadMore key={tasks?.length} onLoadMore={loadMore} />}
      </div>
    </section>
  );
}

const TOP = { page: 0, index: 0 };

/** Moves cards between columns at once. A card whose change the server rejects returns to its place. */
function useMove(filters: TaskFilters) {
  const [announcement, setAnnouncement] = useState('');
  const [failure, setFailure] = useState<{ title: string; error: unknown }>();
  /** The card that takes the focus when it appears in its new column. */
  const focused = useRef<string>(undefined);
  /** The change before, which ends before the next one is sent: requests overtake each other. */
  const saving = useRef<Promise<unknown>>(Promise.resolve());
  /** Number of moves that have not ended. */
  const pending = useRef(0);
  /** True if a card came to a column that was still loading, and that has no place for it. */
  const isIncomplete = useRef(false);

  const relocate = (from: ListedTask, to: ListedTask, target = TOP) => {
    const place = placeOf(filters, from);
    if (place === undefined) return undefined;
    removeCard(filters, from, place);
    insertCard(filters, to, target);
    return place;
  };

  /** Shows the next task of one that recurs, which a closing made. */
  const showNext = async (taskUniqueId: string) => {
    const next = await client.task.get.query({ taskUniqueId });
    insertCard(filters, next, TOP);
    sayWithLink(nextTaskText(next), taskUniqueId);
  };

  const move = async (task: ListedTask, status: TaskStatus) => {
    if (task.status === status) return;
    setFailure(undefined);
    focused.current = task.uniqueId;
    pending.current += 1;
    await queryClient.cancelQueries(trpc.task.listAll.pathFilter());
    const moved = { ...task, status };
    const origin = relocate(task, moved);
    isIncomplete.current ||= placeOf(filters, moved) === undefined;
    try {
      const saved = saving.current.then(() => client.task.update.mutate({ taskUniqueId: task.uniqueId, status }));
      saving.current = saved.catch(() => undefined);
      const { next } = await saved;
      setAnnouncement(`“${task.title}” moved to ${statusText(status)}.`);
      if (next !== null && next !== task.next) await showNext(next);
      // Other pages load again. The board keeps the card where the person put it.
      await queryClient.invalidateQueries({ ...trpc.task.pathFilter(), refetchType: 'none' });
    } catch (error) {
      relocate(moved, task, origin);
      setAnnouncement('');
      setFailure({ title: `“${task.title}” could not be moved to ${statusText(status)}`, error });
    }
    pending.current -= 1;
    // A response from before another move would take its card away, so the last one loads the columns.
    if (pending.current > 0) return;
    const isAll = isIncomplete.current;
    isIncomplete.current = false;
    await queryClient.refetchQueries({
      ...trpc.task.listAll.pathFilter(),
      type: 'active',
      // The request of a column that was still loading was cancelled above.
      predicate: ({ state }) => isAll || state.data === undefined,
    });
  };

  return { move, announcement, failure, focused };
}

interface BoardProps {
  filters: TaskFilters;
  /** Names of the frameworks by id; empty on a board of one framework. */
  frameworks: ReadonlyMap<number, string>;
}

/** Tasks by status. Cards move with the mouse, with their menu, or with Shift and an arrow key. */
export function Board({ filters, frameworks }: BoardProps) {
  const { canWrite } = useSession();
  const dragged = useRef<ListedTask>(undefined);
  const { move, announcement, failure, focused } = useMove(filters);
  const { run } = useBatch(TASK_BATCH);
  const columns = columnsOf(filters.status);
  return (
    <>
      {failure !== undefined && <ErrorMessage {...failure} />}
      {canWrite && (
        <Text size="xs" c="dimmed" mb="xs">
          Drag a card to another column, or focus it and press Shift with the left or right arrow key.
        </Text>
      )}
      <VisuallyHidden role="status">{announcement}</VisuallyHidden>
      <div
        className="board"
        role="region"
        aria-label="Board"
        // A board without cards has nothing else that takes the focus, and is wider than a narrow window.
        tabIndex={0}
        onDragEnd={() => {
          dragged.current = undefined;
        }}
      >
        {columns.map((status) => (
          <Column
            key={status}
            filters={filters}
            status={status}
            onDrop={() => {
              if (dragged.current !== undefined) void move(dragged.current, status);
              dragged.current = undefined;
            }}
            renderCard={(task) => (
              <Card
                key={task.uniqueId}
                task={task}
                columns={columns}
                framework={frameworks.get(task.framework)}
                takesFocus={() => focused.current === task.uniqueId}
                changes={
                  canWrite
                    ? {
                        onMove: (target) => void move(task, target),
                        onAssign: (assigneeId) => void run([task], { op: 'update', body: { assigneeId } }),
                      }
                    : undefined
                }
                onDragStart={() => {
                  dragged.current = task;
                }}
              />
            )}
          />
        ))}
      </div>
    </>
  );
}
