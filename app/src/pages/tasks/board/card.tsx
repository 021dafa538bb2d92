import { ActionIcon, Group, Menu } from '@mantine/core';
import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { KeyboardEvent } from 'react';
import { Person } from '../../../components/person/person.tsx';
import { StatusDot } from '../../../components/status-dot.tsx';
import { TASK_STATUSES } from '../../../components/task/choices.ts';
import type { TaskStatus } from '../../../components/task/choices.ts';
import { DueDate } from '../../../components/task/due-date.tsx';
import { Priority } from '../../../components/task/priority.tsx';
import { AssignItems } from '../assign-items.tsx';
import type { ListedTask } from '../use-task-pages.ts';
import { ARROWS, moveFocus, neighbour } from './keys.ts';

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

export function Card({ task, columns, framework, takesFocus, changes, onDragStart }: CardProps) {
  const { uniqueId, title, status, priority, assignee } = task;
  const ref = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (takesFocus()) ref.current?.focus();
    // oxlint-disable-next-line react/exhaustive-deps -- only when the card appears in a column
  }, []);
  const handleKey = (event: KeyboardEvent<HTMLElement>) => {
    if (!ARROWS.includes(event.key) || event.ctrlKey || event.altKey || event.metaKey) return;
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
          onKeyDown={handleKey}
        >
          {title}
        </Link>
        {changes !== undefined && <CardMenu task={task} {...changes} />}
      </Group>
      <Group gap="2px 12px" c="dimmed" fz="xs">
        <Priority priority={priority} />
        <DueDate task={task} />
        {framework !== undefined && <span>{framework}</span>}
        {assignee !== null && <Person name={assignee.name} />}
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
