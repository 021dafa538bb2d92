import { ActionIcon, Group, Text, Tooltip, VisuallyHidden } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import IconArchive from '@tabler/icons-react/dist/esm/icons/IconArchive.mjs';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { containsText } from '../../components/contains-text.ts';
import { CopyableId } from '../../components/copyable-id.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { MetShare, TaskCount } from '../../components/frameworks/counts.tsx';
import type { FrameworkCounts } from '../../components/frameworks/counts.tsx';
import { Person } from '../../components/person/person.tsx';
import { RequirementTitle } from '../../components/requirement/title.tsx';
import { useRequirements } from '../../components/requirement/use-requirements.ts';
import type { ListedRequirement } from '../../components/requirement/use-requirements.ts';
import { StatusDot, statusOptions } from '../../components/status-dot.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { oneOf, oneReference, searchFilter } from '../../components/table/filters.tsx';
import { ListBar, useList } from '../../components/table/list.tsx';
import { DueDate } from '../../components/task/due-date.tsx';
import { CalendarDate, Time } from '../../components/time.tsx';
import { delay } from '../../components/undo/undo.ts';
import { GAP_STATUSES, openEditing } from './editing.tsx';
import { invalidateReferences, KINDS, rowKey } from './kinds.ts';
import type { KindName, ReferenceRow } from './kinds.ts';

interface RowProps {
  kindName: KindName;
  row: ReferenceRow;
}

/** Buttons of a row. Reference data is archived, never deleted. */
function RowActions({ kindName, row }: RowProps) {
  const { id, name, archivedAt } = row;
  const { archiving, archive } = KINDS[kindName];
  const startArchiving = () =>
    delay({
      key: rowKey(kindName, row),
      text: `“${name}” was archived. ${archiving}`,
      failure: `“${name}” could not be archived`,
      send: async () => {
        await archive(id);
        await invalidateReferences();
      },
    });
  return (
    <Group gap={2} wrap="nowrap" justify="flex-start">
      <RowButton
        action={kindName === 'departments' ? 'Rename' : 'Edit'}
        name={name}
        Icon={IconPencil}
        onClick={() => openEditing(kindName, row)}
      />
      {archivedAt === null && <RowButton action="Archive" name={name} Icon={IconArchive} onClick={startArchiving} />}
    </Group>
  );
}

interface RowButtonProps {
  action: string;
  name: string;
  Icon: Icon;
  onClick: () => void;
}

/** A button with an icon. Its name is text and no label: "Rename" would match the label "Name" of a field. */
const RowButton = ({ action, name, Icon: ActionSymbol, onClick }: RowButtonProps) => (
  <Tooltip label={action}>
    <ActionIcon variant="subtle" color="gray" onClick={onClick}>
      <VisuallyHidden>
        {action} {name}
      </VisuallyHidden>
      <ActionSymbol size={16} aria-hidden />
    </ActionIcon>
  </Tooltip>
);

interface ReferenceTableProps {
  kindName: KindName;
  /** All rows; undefined while they load. */
  all: readonly ReferenceRow[] | undefined;
  frameworks: readonly ReferenceRow[];
  /** Requirements and tasks of the frameworks. */
  counts?: readonly FrameworkCounts[];
  /** Framework of the page, if it is that of one; undefined for a list of all. */
  framework?: number;
  isAdmin: boolean;
  /** Button of an empty list. */
  firstAction: ReactNode;
}

/** The reference data of one kind, with its ids. */
export function ReferenceTable(props: ReferenceTableProps) {
  const { kindName, all, frameworks, framework: own, firstAction } = props;
  const kind = KINDS[kindName];
  // The gaps of one framework show its requirements.
  const { data: requirements = [] } = useRequirements(own);
  const options = frameworks.map(({ id, name }) => ({ value: String(id), label: name }));
  const list = useList({
    name: kindName === 'departments' ? 'references' : kindName,
    unit: kind.unit,
    columns: columnsOf(props, requirements),
    filters: {
      q: searchFilter(`Search ${kind.unit[1]}`),
      framework:
        kindName === 'gaps' && own === undefined
          ? { ...oneReference('Framework', 'Any framework', options), width: 180 }
          : // Only gaps of several frameworks have one.
            { name: 'Framework', read: () => undefined },
      status:
        kindName === 'gaps'
          ? { ...oneOf('Status', 'Any status', statusOptions(GAP_STATUSES)), width: 120 }
          : { name: 'Status', read: () => undefined },
    },
    parameters: ['tab'],
  });
  const { q = '', framework, status } = list.values;
  const rows = all?.filter(
    (row) =>
      containsText(row.name, q) &&
      (framework === undefined || String(row.framework) === framework) &&
      (status === undefined || row.status === status),
  );
  return (
    <>
      <ListBar list={list} total={rows?.length} />
      <DataTable
        {...list.table}
        label="Reference data"
        rows={rows}
        rowKey={({ id }) => String(id)}
        empty={
          list.set.length > 0 ? (
            <EmptyState text={`No ${kind.unit[1]} match these filters.`} />
          ) : (
            <EmptyState text={kind.empty} action={firstAction} />
          )
        }
      />
    </>
  );
}

/** Open and overdue tasks of a framework: "12 open, 3 overdue". */
function OpenTasks({ counts: { framework, open, overdue } }: { counts: FrameworkCounts }) {
  const { id, name } = framework;
  const ofFramework = { framework: String(id) };
  return (
    <span>
      <TaskCount
        value={{ count: open, more: false }}
        of={`open tasks of ${name}`}
        search={{ ...ofFramework, status: 'open' }}
        word="open"
      />
      {overdue.count > 0 && (
        <>
          {', '}
          <span className="overdue">
            <TaskCount
              value={overdue}
              of={`overdue tasks of ${name}`}
              search={{ ...ofFramework, due: 'overdue' }}
              word="overdue"
            />
          </span>
        </>
      )}
    </span>
  );
}

/** Columns between the name and the id. */
const COLUMNS: Readonly<
  Record<
    KindName,
    (props: ReferenceTableProps, requirements: readonly ListedRequirement[]) => readonly Column<ReferenceRow>[]
  >
> = {
  departments: () => [],
  frameworks: ({ counts = [] }) => {
    const countsOf = (id: number) => counts.find(({ framework }) => framework.id === id);
    return [
      OWNER,
      {
        id: 'auditDate',
        header: 'Audit date',
        width: 110,
        leaves: 6,
        line: 2,
        render: ({ auditDate = null }) => auditDate !== null && <CalendarDate value={auditDate} />,
      },
      {
        id: 'met',
        header: 'Requirements',
        width: 165,
        leaves: 8,
        line: 1,
        render: ({ id }) => {
          const found = countsOf(id);
          return found !== undefined && <MetShare requirements={found.requirements} />;
        },
      },
      {
        id: 'tasks',
        header: 'Tasks',
        width: 165,
        leaves: 7,
        line: 3,
        render: ({ id }) => {
          const found = countsOf(id);
          return found !== undefined && <OpenTasks counts={found} />;
        },
      },
    ];
  },
  gaps: ({ frameworks, framework: own }, requirements) => [
    {
      id: 'status',
      header: 'Status',
      width: 110,
      leaves: 8,
      line: 3,
      render: ({ status = 'open' }) => <StatusDot status={status} />,
    },
    OWNER,
    {
      id: 'dueDate',
      header: 'Due date',
      width: 160,
      leaves: 7,
      line: 1,
      render: ({ dueDate = null, status }) => (
        <DueDate task={{ dueDate, status: status === 'closed' ? 'done' : 'todo' }} />
      ),
    },
    own === undefined
      ? {
          id: 'framework',
          header: 'Framework',
          width: 150,
          leaves: 3,
          render: ({ framework }) => frameworks.find(({ id }) => id === framework)?.name,
        }
      : {
          id: 'requirement',
          header: 'Requirement',
          width: 220,
          leaves: 5,
          render: ({ requirement = null }) => {
            const found = requirements.find(({ uniqueId }) => uniqueId === requirement);
            return found !== undefined && <RequirementTitle requirement={found} />;
          },
        },
  ],
};

const OWNER: Column<ReferenceRow> = {
  id: 'owner',
  header: 'Owner',
  width: 110,
  leaves: 4,
  render: ({ owner = null }) => owner !== null && <Person name={owner.name} />,
};

function columnsOf(
  props: ReferenceTableProps,
  requirements: readonly ListedRequirement[],
): readonly Column<ReferenceRow>[] {
  const { kindName, isAdmin } = props;
  const columns: Column<ReferenceRow>[] = [
    {
      id: 'name',
      header: KINDS[kindName].label,
      className: 'title',
      render: (row) => <Name kindName={kindName} row={row} />,
    },
    ...COLUMNS[kindName](props, requirements),
    {
      id: 'id',
      header: 'Id',
      width: 84,
      leaves: 2,
      render: ({ id, name }) => <CopyableId value={id} label={`Copy id of ${name}`} />,
    },
    {
      id: 'archivedAt',
      header: 'Archived',
      width: 130,
      leaves: 1,
      isOptional: true,
      render: ({ archivedAt }) => archivedAt !== null && <Time value={archivedAt} />,
    },
  ];
  if (isAdmin) {
    columns.push({
      id: 'actions',
      header: 'Actions',
      width: 88,
      // In a row of two lines they are at its end.
      line: 3,
      render: (row) => <RowActions kindName={kindName} row={row} />,
    });
  }
  return columns;
}

/** The name of a framework leads to its page, that of a department to its tasks. */
function Name({ kindName, row: { id, name, archivedAt } }: { kindName: KindName; row: ReferenceRow }) {
  const links = {
    frameworks: (
      <Link to="/frameworks/$framework" params={{ framework: String(id) }}>
        {name}
      </Link>
    ),
    departments: (
      <Link to="/tasks" search={{ departmentId: String(id) }}>
        {name}
      </Link>
    ),
    gaps: name,
  };
  return (
    <span>
      {links[kindName]}
      {archivedAt !== null && (
        <Text span size="sm" c="dimmed">
          {' '}
          (archived)
        </Text>
      )}
    </span>
  );
}
