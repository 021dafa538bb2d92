import { Button, Menu, Popover, TextInput } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { errorDetails } from '../../api/errors.ts';
import { askToConfirm } from '../form/dialog.tsx';
import { PageBar } from '../undo/bottom-bars.tsx';
import { fail } from '../undo/undo.ts';
import { useSession } from '../use-session.ts';
import { countText, useBatch } from './batch.ts';
import type { Action, BatchKind } from './batch.ts';
import { DataTable } from './data-table.tsx';
import type { Column } from './data-table.tsx';
import type { usePages } from './list.tsx';

/** Creates a hook like `useState` whose value belongs to an entry of the history: "Back" finds it again. */
export function entryState<Value>(initial: Value) {
  const values = new Map<string, Value>();
  return function useEntryState() {
    const key = useLocation({ select: ({ state }) => state.__TSR_key ?? '' });
    const [value, setValue] = useState(() => values.get(key) ?? initial);
    useEffect(() => {
      values.set(key, value);
    }, [key, value]);
    return [value, setValue] as const;
  };
}

const useSelectedKeys = entryState<ReadonlySet<string>>(new Set());

interface Selectable {
  uniqueId: string;
  version: number;
  /** Null or missing if it is not known. */
  evidenceCount?: number | null;
}

interface SelectionTableProps<Row extends Selectable, Changes> {
  /** Accessible name: "Tasks". */
  label: string;
  kind: BatchKind<Row, Changes>;
  pages: Pick<ReturnType<typeof usePages<Row>>, 'rows' | 'total' | 'loadMore' | 'loadAll'>;
  /** Columns and order of the list. */
  table: {
    columns: readonly Column<Row>[];
    kept: ReadonlySet<string>;
    sort: string | undefined;
    onSort: (sort: string | undefined) => void;
  };
  /** Menus that change the selected rows: `ActionMenu` and `DateAction`. */
  actions: (rows: readonly Row[], update: (changes: Changes) => void, isBusy: boolean) => ReactNode;
  empty: ReactNode;
  /** False for a person who may change the rows, and not delete them. */
  canDelete?: boolean;
}

/** A list as a table. A person who may write selects several rows, and changes or deletes them together. */
export function SelectionTable<Row extends Selectable, Changes>(props: SelectionTableProps<Row, Changes>) {
  const { label, kind, pages, table, actions, empty, canDelete = true } = props;
  const { rows = [], total = 0, loadMore, loadAll } = pages;
  const { unit, nameOf } = kind;
  const { canWrite } = useSession();
  const [keys, setKeys] = useSelectedKeys();
  const [isLoadingAll, setIsLoadingAll] = useState(false);
  const { run, progress } = useBatch(kind, `The ${unit[1]} below stay selected.`);
  const selected = rows.filter(({ uniqueId }) => keys.has(uniqueId));
  const count = selected.length;
  const isBusy = progress !== undefined;

  const select = (chosen: readonly Row[]) => setKeys(new Set(chosen.map(({ uniqueId }) => uniqueId)));
  const runOnSelected = async (action: Action<Changes>) => select(await run(selected, action));
  const askToDelete = () =>
    askToConfirm({
      title: `Delete ${countText(unit, count)}?`,
      text: `The ${unit[count === 1 ? 0 : 1]} cannot be restored. ${evidenceText(selected)}The audit log keeps the history.`,
      button: 'Delete',
      submit: () => runOnSelected({ op: 'delete' }),
    });
  const selectAll = async () => {
    setIsLoadingAll(true);
    try {
      select(await loadAll());
    } catch (error) {
      fail({ title: `The other ${unit[1]} could not be selected`, reasons: [errorDetails(error).message] });
    } finally {
      setIsLoadingAll(false);
    }
  };

  return (
    <>
      <DataTable
        {...table}
        label={label}
        rows={pages.rows}
        rowKey={({ uniqueId }) => uniqueId}
        rowName={nameOf}
        onLoadMore={loadMore}
        selection={
          canWrite ? { keys: new Set(selected.map(({ uniqueId }) => uniqueId)), onChange: setKeys } : undefined
        }
        empty={empty}
      />
      {count > 0 && (
        <PageBar label={`Selected ${unit[1]}`}>
          <span role="status">
            {isBusy ? `${progress.done} of ${progress.count} done` : `${count.toLocaleString('en')} selected`}
          </span>
          {loadMore !== undefined && count === rows.length && (
            <Button variant="light" disabled={isBusy} loading={isLoadingAll} onClick={() => void selectAll()}>
              Select all {total.toLocaleString('en')}
            </Button>
          )}
          {actions(selected, (body) => void runOnSelected({ op: 'update', body }), isBusy)}
          {canDelete && (
            <Button variant="default" c="var(--app-overdue)" disabled={isBusy} onClick={askToDelete}>
              Delete
            </Button>
          )}
          <Button variant="subtle" disabled={isBusy} onClick={() => select([])}>
            Clear selection
          </Button>
        </PageBar>
      )}
    </>
  );
}

/** Says that files and links of selected rows are deleted too. */
function evidenceText(rows: readonly Selectable[]): string {
  const count = rows.filter(({ evidenceCount }) => evidenceCount !== 0).length;
  if (count === 0) return '';
  const subject =
    rows.length === 1 ? 'It has' : `${count.toLocaleString('en')} of them ${count === 1 ? 'has' : 'have'}`;
  return `${subject} evidence, whose files and links are deleted too. `;
}

/** A menu of the bar, whose items change the selected rows. */
export const ActionMenu = ({
  label,
  disabled,
  children,
}: {
  label: string;
  disabled: boolean;
  children: ReactNode;
}) => (
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

interface DateActionProps {
  /** "due date" */
  name: string;
  description?: string;
  disabled: boolean;
  onApply: (date: string | null) => void;
}

/** Sets or removes a date of the selected rows. */
export function DateAction({ name, description, disabled, onApply }: DateActionProps) {
  const [opened, setOpened] = useState(false);
  const [date, setDate] = useState('');
  const apply = (value: string | null) => {
    setOpened(false);
    onApply(value);
  };
  return (
    <Popover opened={opened} onChange={setOpened} position="top-start" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" disabled={disabled} onClick={() => setOpened(!opened)}>
          Set {name}
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
            label={name.charAt(0).toUpperCase() + name.slice(1)}
            value={date}
            description={description}
            onChange={({ currentTarget }) => setDate(currentTarget.value)}
          />
          <Button.Group mt="xs">
            <Button type="submit" disabled={date === ''}>
              Apply
            </Button>
            <Button variant="default" onClick={() => apply(null)}>
              No {name}
            </Button>
          </Button.Group>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
