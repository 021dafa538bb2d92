import { Button, Menu, SegmentedControl, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client, trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { Created } from '../../components/created.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Page as Frame } from '../../components/page.tsx';
import { useMembers } from '../../components/person/use-members.ts';
import { StatusDot } from '../../components/status-dot.tsx';
import { ListBar, useList } from '../../components/table/list.tsx';
import { sampleExport, sampleOrder, WITHOUT_SAMPLE } from '../../components/table/sample.tsx';
import { useExportMenu } from '../../components/table/use-export-menu.tsx';
import { ActionMenu, DateAction, SelectionTable } from '../../components/table/selection.tsx';
import { useSearch } from '../../components/table/use-search.ts';
import { TASK_BATCH } from '../../components/task/batch.ts';
import type { ListedTask, TaskChanges } from '../../components/task/batch.ts';
import { PRIORITIES, referenceOptions, TASK_STATUSES } from '../../components/task/choices.ts';
import type { Task } from '../../components/task/choices.ts';
import { mayReview } from '../../components/task/fields.tsx';
import { Priority } from '../../components/task/priority.tsx';
import { useSession } from '../../components/use-session.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import { requirementNames } from '../../components/requirement/names.tsx';
import { vendorNames } from '../../components/vendor/names.ts';
import { useCurrentView } from '../../components/views/use-views.ts';
import { ViewActions } from '../../components/views/view-actions.tsx';
import { dateIn } from '../../dates.ts';
import { usePrinting } from '../../print/printing.ts';
import { AssignItems, Board } from './board.tsx';
import { TASK_SORTS, taskColumns, taskFilters, useTaskPages } from './list.tsx';
import { openNewTask } from './new-task-dialog.tsx';

interface TaskActionsProps {
  /** Selected tasks. */
  tasks: readonly ListedTask[];
  departments: Outputs['department']['list'];
  isBusy: boolean;
  onUpdate: (changes: TaskChanges) => void;
}

/** Changes of the selected tasks. */
const TaskActions = ({ tasks, departments, isBusy, onUpdate }: TaskActionsProps) => (
  <>
    <ActionMenu label="Set status" disabled={isBusy}>
      {TASK_STATUSES.map((status) => (
        <Menu.Item key={status} onClick={() => onUpdate({ status })}>
          <StatusDot status={status} />
        </Menu.Item>
      ))}
    </ActionMenu>
    <ActionMenu label="Set priority" disabled={isBusy}>
      {PRIORITIES.map((priority) => (
        <Menu.Item key={priority} onClick={() => onUpdate({ priority })}>
          <Priority priority={priority} />
        </Menu.Item>
      ))}
    </ActionMenu>
    <ActionMenu label="Set assignee" disabled={isBusy}>
      <AssignItems
        frameworks={new Set(tasks.map(({ framework }) => framework))}
        onAssign={(assigneeId) => onUpdate({ assigneeId })}
      />
    </ActionMenu>
    <ActionMenu label="Set reviewer" disabled={isBusy}>
      <AssignItems
        frameworks={new Set(tasks.map(({ framework }) => framework))}
        mayBe={(member) => tasks.every(({ assignee }) => mayReview(member, assignee))}
        onAssign={(reviewerId) => onUpdate({ reviewerId })}
      />
    </ActionMenu>
    <DateAction
      name="due date"
      description="For a recurring task, this changes only this one"
      disabled={isBusy}
      onApply={(dueDate) => onUpdate({ dueDate })}
    />
    <ActionMenu label="Set department" disabled={isBusy}>
      {referenceOptions(departments).map(({ value, label }) => (
        <Menu.Item key={value} onClick={() => onUpdate({ departmentId: Number(value) })}>
          {label}
        </Menu.Item>
      ))}
      <Menu.Item onClick={() => onUpdate({ departmentId: null })}>No department</Menu.Item>
    </ActionMenu>
  </>
);

const PAGE_SIZE = 100;
const VIEWS = [
  { value: 'table', label: 'Table' },
  { value: 'board', label: 'Board' },
];

export function Page() {
  const { canWrite, company, isAdmin, member: own } = useSession();
  const [created, setCreated] = useState<Task>();
  const frameworks = useQuery(trpc.framework.list.queryOptions());
  const { data: departments = [] } = useQuery(trpc.department.list.queryOptions());
  const { members } = useMembers();
  const [{ vendor, requirement, status: statusOfUrl }] = useSearch(['vendor', 'requirement', 'status']);
  const vendors = vendorNames.useNames(vendor === undefined ? [] : [vendor]);
  const requirements = requirementNames.useNames(
    requirement === undefined || requirement === 'none' ? [] : requirement.split(','),
  );
  const today = dateIn(company.timeZone);
  const references = {
    frameworks: frameworks.data ?? [],
    departments,
    members,
    own,
    today,
    isOpenOnly: statusOfUrl === 'open',
    vendors,
    requirements,
  };
  const list = useList({
    name: 'tasks',
    unit: TASK_BATCH.unit,
    columns: taskColumns(references),
    filters: taskFilters(references),
    sorts: TASK_SORTS,
    hasSamples: true,
    parameters: ['view', 'closed'],
  });
  const { values, setValues, sample } = list;
  const { title = 'Tasks' } = useCurrentView('tasks', values);
  const isPrinting = usePrinting();
  // A board has the order of its columns.
  const isBoard = values['view'] === 'board' && sample === undefined;
  const isClosedShown = values['closed'] === 'shown';
  const { status = isBoard && !isClosedShown ? 'open' : undefined } = list.query;
  const filters = { ...list.query, status, ...sampleOrder(sample) };
  // On paper a board is its table.
  const hasTable = !isBoard || isPrinting;
  const pages = useTaskPages(filters, hasTable ? PAGE_SIZE : 1, sample?.count);
  const isOfOneFramework = values['framework']?.includes(',') === false;
  // The navigation leads to the open tasks.
  const isFiltered = list.set.some((name) => name !== 'framework' && (name !== 'status' || status !== 'open'));
  const hasFramework = references.frameworks.some(({ archived }) => !archived);
  const canCreate = canWrite && hasFramework;
  const create = () => openNewTask(references.frameworks, values['framework'], setCreated);
  useShortcut('c', () => canCreate && create());

  const [exportMenu, exportStatus] = useExportMenu({
    fileName: 'tasks.csv',
    unit: TASK_BATCH.unit,
    load: (options, signal) =>
      client.task.exportAllCsv.query({ ...filters, ...sampleExport(sample), ...options }, { signal }),
    children: canCreate && (
      <Menu.Item
        renderRoot={(props) => (
          <Link
            to="/imports"
            search={{ kind: 'task', framework: isOfOneFramework ? values['framework'] : undefined }}
            {...props}
          />
        )}
      >
        Import a file
      </Menu.Item>
    ),
  });
  const newTask = canCreate && <Button onClick={create}>New task</Button>;
  const error = frameworks.error ?? pages.error;
  const isWithoutFramework = frameworks.data?.length === 0;
  const isEmpty = pages.total === 0 && !isFiltered && hasTable;
  const action = (
    <div className="page-actions">
      <ViewActions page="tasks" search={values} columns={list.columnChoice?.chosen} onChange={setValues} />
      {!isEmpty && exportMenu}
      {!isEmpty && newTask}
    </div>
  );

  return (
    <Frame title={title} action={action}>
      {exportStatus}
      <ListBar
        list={hasTable ? list : { ...list, columnChoice: undefined }}
        total={pages.total}
        matching={pages.matching}
      >
        <SegmentedControl
          size="xs"
          aria-label="View"
          data={VIEWS}
          value={isBoard ? 'board' : 'table'}
          onChange={(view) => setValues(view === 'board' ? { ...WITHOUT_SAMPLE, view } : { view: undefined })}
        />
        {!hasTable && (status === undefined || status === 'open') && (
          <Switch
            size="xs"
            label="Show closed"
            checked={status === undefined}
            onChange={({ currentTarget: { checked } }) =>
              setValues({ status: undefined, closed: checked ? 'shown' : undefined })
            }
          />
        )}
      </ListBar>
      {created !== undefined && <Created what="task" path={`/tasks/${created.uniqueId}`} />}
      {error !== null && (
        <ErrorMessage
          title="The tasks could not be loaded"
          error={error}
          onRetry={() => void (frameworks.error === null ? pages.refetch() : frameworks.refetch())}
        />
      )}
      {error === null && isWithoutFramework && <NoFramework canCreate={isAdmin} />}
      {error === null && !isWithoutFramework && !hasTable && (
        <Board
          filters={filters}
          frameworks={new Map(isOfOneFramework ? [] : references.frameworks.map(({ id, name }) => [id, name]))}
        />
      )}
      {error === null && !isWithoutFramework && hasTable && (
        <SelectionTable
          label="Tasks"
          kind={TASK_BATCH}
          pages={pages}
          table={{
            ...list.table,
            columns: list.table.columns.filter(({ id }) => id !== 'framework' || !isOfOneFramework),
          }}
          actions={(tasks, onUpdate, isBusy) => (
            <TaskActions tasks={tasks} departments={departments} isBusy={isBusy} onUpdate={onUpdate} />
          )}
          empty={
            isFiltered ? (
              <EmptyState text="No tasks match these filters." />
            ) : (
              <EmptyState
                text={`${status === 'open' ? 'There are no open tasks. ' : ''}Tasks are the work that a framework requires.`}
                action={
                  canCreate && (
                    <>
                      {newTask}{' '}
                      <Link to="/imports" search={{ kind: 'task', framework: values['framework'] }}>
                        Import a file
                      </Link>
                    </>
                  )
                }
              />
            )
          }
        />
      )}
    </Frame>
  );
}

const NoFramework = ({ canCreate }: { canCreate: boolean }) => (
  <EmptyState
    text={`Each task belongs to a framework, and there are no frameworks yet. ${canCreate ? 'Create the first one.' : 'Ask an admin of your company to create one.'}`}
    action={canCreate && <Button renderRoot={(props) => <Link to="/frameworks" {...props} />}>Go to frameworks</Button>}
  />
);
