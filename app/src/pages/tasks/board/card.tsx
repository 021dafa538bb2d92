import { ActionIcon, Group, Menu } from '@mantine/core';
import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { KeyboardEvent } from 'react';
import { StatusDot } from '../../../components/status-dot.tsx';
import { TASK_STATUSES } from '../../../components/task/choices.ts';
import type { TaskStatus } from '../../../components/task/choices.ts';
import { DueDate } from '../../../components/task/due-date.tsx';
import { Priority } from '../../../components/task/priority.tsx';
import type { ListedTask } from '../use-task-pages.ts';
import { ARROWS, moveFocus, neighbour } from './keys.ts';

interface CardProps {
  task: ListedTask;
  /** Statuses of the columns. */
  columns: readonly TaskStatus[];
  takesFocus: () => boolean;
  /** Undefined for a person who may not change tasks. */
  onMove: ((status: TaskStatus) => void) | undefined;
  onDragStart: () => void;
}

export function Card({ task, columns, takesFocus, onMove, onDragStart }: CardProps) {
  const { uniqueId, title, status, priority } = task;
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
    else if (target !== undefined) onMove?.(target);
  };
  return (
    <li
      className="board-card"
      draggable={onMove !== undefined}
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
        {onMove !== undefined && <MoveMenu title={title} status={status} onMove={onMove} />}
      </Group>
      <Group gap="sm" c="dimmed" fz="xs">
        <Priority priority={priority} />
        <DueDate task={task} />
      </Group>
    </li>
  );
}

interface MoveMenuProps {
  title: string;
  status: TaskStatus;
  onMove: (status: TaskStatus) => void;
}

const MoveMenu = ({ title, status, onMove }: MoveMenuProps) => (
  <Menu position="bottom-end" shadow="md" returnFocus>
    <Menu.Target>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Move “${title}” to`}>
        <IconDots size={16} aria-hidden />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.Label>Move to</Menu.Label>
      {TASK_STATUSES.filter((target) => target !== status).map((target) => (
        <Menu.Item key={target} onClick={() => onMove(target)}>
          <StatusDot status={target} />
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);
