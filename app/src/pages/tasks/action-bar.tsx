import { Button, Menu, Popover, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { Outputs } from '../../api/client.ts';
import { askToConfirm } from '../../components/form/dialog.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { TASK_STATUSES, priorityOptions, referenceOptions } from '../../components/task/choices.ts';
import { Priority } from '../../components/task/priority.tsx';
import { PageBar } from '../../components/undo/bottom-bars.tsx';
import { AssignItems } from './assign-items.tsx';
import type { ListedTask } from './use-task-pages.ts';
import type { Action } from './run-batch.ts';
import type { Batch } from './use-batch.ts';

interface ActionBarProps {
  /** Selected tasks. */
  tasks: readonly ListedTask[];
  departments: Outputs['department']['list'];
  progress: Batch['progress'];
  onAction: (action: Action) => Promise<unknown>;
  onClear: () => void;
  /** Selects all matching tasks; missing if no more match than are selected. */
  more: { total: number; isLoading: boolean; onSelect: () => void } | undefined;
}

/** Actions on the selected tasks, at the bottom of the window. */
export function ActionBar({ tasks, departments, progress, onAction, onClear, more }: ActionBarProps) {
  const isBusy = progress !== undefined;
  const count = tasks.length;
  const update = (body: Extract<Action, { op: 'update' }>['body']) => void onAction({ op: 'update', body });
  const withEvidence = tasks.filter(({ evidenceCount }) => evidenceCount !== 0).length;
  const word = count === 1 ? 'task' : 'tasks';
  const askToDelete = () =>
    askToConfirm({
      title: `Delete ${count.toLocaleString('en')} ${word}?`,
      text: `The ${word} cannot be restored. ${withEvidence > 0 ? evidenceGoes(withEvidence, count) : ''}The audit log keeps the history.`,
      button: 'Delete',
      submit: () => onAction({ op: 'delete' }),
    });
  return (
    <PageBar label="Selected tasks">
      <span role="status">
        {isBusy ? `${progress.done} of ${progress.count} done` : `${count.toLocaleString('en')} selected`}
      </span>
      {more !== undefined && (
        <Button variant="light" disabled={isBusy} loading={more.isLoading} onClick={more.onSelect}>
          Select all {more.total.toLocaleString('en')}
        </Button>
      )}
      <ActionMenu label="Set status" disabled={isBusy}>
        {TASK_STATUSES.map((status) => (
          <Menu.Item key={status} onClick={() => update({ status })}>
            <StatusDot status={status} />
          </Menu.Item>
        ))}
      </ActionMenu>
      <ActionMenu label="Set priority" disabled={isBusy}>
        {priorityOptions.map(({ value }) => (
          <Menu.Item key={value} onClick={() => update({ priority: Number(value) })}>
            <Priority priority={Number(value)} />
          </Menu.Item>
        ))}
      </ActionMenu>
      <ActionMenu label="Set assignee" disabled={isBusy}>
        <AssignItems
          frameworks={new Set(tasks.map(({ framework }) => framework))}
          onAssign={(assigneeId) => update({ assigneeId })}
        />
      </ActionMenu>
      <DueDateAction disabled={isBusy} onApply={(dueDate) => update({ dueDate })} />
      <ActionMenu label="Set department" disabled={isBusy}>
        {referenceOptions(departments).map(({ value, label }) => (
          <Menu.Item key={value} onClick={() => update({ departmentId: Number(value) })}>
            {label}
          </Menu.Item>
        ))}
        <Menu.Item onClick={() => update({ departmentId: null })}>No department</Menu.Item>
      </ActionMenu>
      <Button variant="default" c="var(--app-overdue)" disabled={isBusy} onClick={askToDelete}>
        Delete
      </Button>
      <Button variant="subtle" disabled={isBusy} onClick={onClear}>
        Clear selection
      </Button>
    </PageBar>
  );
}

/** Says that files and links of selected tasks are deleted too. */
const evidenceGoes = (withEvidence: number, count: number): string => {
  const subject =
    count === 1 ? 'It has' : `${withEvidence.toLocaleString('en')} of them ${withEvidence === 1 ? 'has' : 'have'}`;
  return `${subject} evidence, whose files and links are deleted too. `;
};

const ActionMenu = ({ label, disabled, children }: { label: string; disabled: boolean; children: ReactNode }) => (
  <Menu withInitialFocusPlaceholder={false} position="top-start" shadow="md">
    <Menu.Target>
      <Button variant="default" disabled={disabled}>
        {label}
      </Button>
    </Menu.Target>
    <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
      {children}
    </Menu.Dropdown>
  </Menu>
);

interface DueDateActionProps {
  disabled: boolean;
  onApply: (dueDate: string | null) => void;
}

function DueDateAction({ disabled, onApply }: DueDateActionProps) {
  const [opened, setOpened] = useState(false);
  const [date, setDate] = useState('');
  const apply = (dueDate: string | null) => {
    setOpened(false);
    onApply(dueDate);
  };
  return (
    <Popover opened={opened} onChange={setOpened} position="top-start" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" disabled={disabled} onClick={() => setOpened(!opened)}>
          Set due date
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (date !== '') apply(date);
          }}
        >
          <TextInput
            size="xs"
            type="date"
            label="Due date"
            value={date}
            description="Of a task that recurs, only this one moves"
            onChange={({ currentTarget }) => setDate(currentTarget.value)}
          />
          <Button.Group mt="xs">
            <Button type="submit" disabled={date === ''}>
              Apply
            </Button>
            <Button variant="default" onClick={() => apply(null)}>
              No due date
            </Button>
          </Button.Group>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
