import { ActionIcon, Group, Text, TextInput, Tooltip, VisuallyHidden } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import IconArchive from '@tabler/icons-react/dist/esm/icons/IconArchive.mjs';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { containsText } from '../../components/contains-text.ts';
import { CopyableId } from '../../components/copyable-id.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { openDialog } from '../../components/form/dialog.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { oneReference, searchFilter } from '../../components/table/filters.tsx';
import { ListBar, useList } from '../../components/table/list.tsx';
import { Time } from '../../components/time.tsx';
import { delay } from '../../components/undo/undo.ts';
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
      <RowButton action="Rename" name={name} Icon={IconPencil} onClick={() => openRenaming({ kindName, row })} />
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

function openRenaming({ kindName, row: { id, name } }: RowProps): void {
  const { one, field, label, rename } = KINDS[kindName];
  openDialog({
    title: `Rename ${one}`,
    // The field has the name of the API, for its errors.
    initial: { [field]: name },
    fields: (form) => (
      <TextInput
        data-autofocus
        label={label}
        {...form.field(field)}
        onChange={({ currentTarget }) => form.set(field, currentTarget.value)}
      />
    ),
    button: 'Save',
    submit: async ({ [field]: text = name }) => {
      await rename(id, text);
      await invalidateReferences();
    },
  });
}

interface ReferenceTableProps {
  kindName: KindName;
  /** All rows; undefined while they load. */
  all: readonly ReferenceRow[] | undefined;
  frameworks: readonly ReferenceRow[];
  isAdmin: boolean;
  /** Button of an empty list. */
  firstAction: ReactNode;
}

/** The reference data of one kind, with its ids. */
export function ReferenceTable({ kindName, all, frameworks, isAdmin, firstAction }: ReferenceTableProps) {
  const kind = KINDS[kindName];
  const options = frameworks.map(({ id, name }) => ({ value: String(id), label: name }));
  const list = useList({
    name: 'references',
    unit: kind.unit,
    columns: columnsOf(kindName, frameworks, isAdmin),
    filters: {
      q: searchFilter(`Search ${kind.unit[1]}`),
      framework:
        kindName === 'gaps'
          ? { ...oneReference('Framework', 'Any framework', options), width: 180 }
          : // Only gaps have a framework.
            { name: 'Framework', read: () => undefined },
    },
    parameters: ['tab'],
  });
  const { q = '', framework } = list.values;
  const rows = all?.filter(
    (row) => containsText(row.name, q) && (framework === undefined || String(row.framework) === framework),
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
            <EmptyState text={`No ${kind.one} matches these filters.`} />
          ) : (
            <EmptyState text={kind.empty} action={firstAction} />
          )
        }
      />
    </>
  );
}

function columnsOf(kindName: KindName, frameworks: readonly ReferenceRow[], isAdmin: boolean) {
  const kind = KINDS[kindName];
  const columns: Column<ReferenceRow>[] = [
    { id: 'name', header: kind.label, className: 'title', render: (row) => <Name kindName={kindName} row={row} /> },
    {
      id: 'id',
      header: 'Id',
      width: 104,
      render: ({ id, name }) => <CopyableId value={id} label={`Copy id of ${name}`} />,
    },
  ];
  if (kindName === 'gaps') {
    columns.push({
      id: 'framework',
      header: 'Framework',
      width: 220,
      leaves: 2,
      render: ({ framework }) => frameworks.find(({ id }) => id === framework)?.name,
    });
  }
  columns.push({
    id: 'archivedAt',
    header: 'Archived',
    width: 130,
    leaves: 1,
    render: ({ archivedAt }) => archivedAt !== null && <Time value={archivedAt} />,
  });
  if (isAdmin) {
    columns.push({
      id: 'actions',
      header: 'Actions',
      width: 104,
      render: (row) => <RowActions kindName={kindName} row={row} />,
    });
  }
  return columns;
}

/** The name leads to the tasks. */
function Name({ kindName, row: { id, name, archivedAt } }: { kindName: KindName; row: ReferenceRow }) {
  const search = { frameworks: { framework: String(id) }, departments: { departmentId: String(id) }, gaps: undefined };
  const tasks = search[kindName];
  return (
    <span>
      {tasks === undefined ? (
        name
      ) : (
        <Link to="/tasks" search={tasks}>
          {name}
        </Link>
      )}
      {archivedAt !== null && (
        <Text span size="sm" c="dimmed">
          {' '}
          (archived)
        </Text>
      )}
    </span>
  );
}
