import { Button, Menu, Popover, TagsInput, TextInput } from '@mantine/core';
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
import { useRememberedRows } from './neighbours.tsx';

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
  pages: Pick<ReturnType<typeof usePages<Row>>, 'rows' | 'total' | 'loadMore' | 'loadNext' | 'loadAll'>;
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
  /** Rows that the page of a record follows; by default all. */
  followed?: readonly Row[] | undefined;
  /** False for a person who may change the rows, and not delete them. */
  canDelete?: boolean;
}

/** A list as a table. A person who may write selects several rows, and changes or deletes them together. */
export function SelectionTable<Row extends Selectable, Changes>(props: SelectionTableProps<Row, Changes>) {
  const { label, kind, pages, table, actions, empty, followed, canDelete = true } = props;
  const { rows = [], total = 0, loadMore, loadNext, loadAll } = pages;
  const { unit, nameOf } = kind;
  const { canWrite } = useSession();
  const [keys, setKeys] = useSelectedKeys();
  const [isLoadingAll, setIsLoadingAll] = useState(false);
  const { run, progress } = useBatch(kind, `The ${unit[1]} below stay selected.`);
  const selected = rows.filter(({ uniqueId }) => keys.has(uniqueId));
  const count = selected.length;
  const isBusy = progress !== undefined;
  useRememberedRows({
    ids: (followed ?? rows).map(idOf),
    total: followed?.length ?? total,
    loadNext: loadNext && (async () => (await loadNext()).map(idOf)),
  });

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

const idOf = ({ uniqueId }: { uniqueId: string }): string => uniqueId;

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

interface FieldActionProps<Value> {
  /** "due date" */
  name: string;
  description?: string;
  disabled: boolean;
  /** @param value the one of none clears the field */
  onApply: (value: Value) => void;
}

interface FieldPopoverProps<Value> extends Pick<FieldActionProps<Value>, 'name' | 'disabled' | 'onApply'> {
  value: Value;
  none: Value;
  isEmpty: boolean;
  input: ReactNode;
}

/** Sets or clears a field of the selected rows. */
function FieldPopover<Value>({ name, disabled, onApply, value, none, isEmpty, input }: FieldPopoverProps<Value>) {
  const [opened, setOpened] = useState(false);
  const apply = (chosen: Value) => {
    setOpened(false);
    onApply(chosen);
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
            if (!isEmpty) apply(value);
          }}
        >
          {input}
          <Button.Group mt="xs">
            <Button type="submit" disabled={isEmpty}>
              Apply
            </Button>
            <Button variant="default" onClick={() => apply(none)}>
              No {name}
            </Button>
          </Button.Group>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}

const labelOf = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** Sets or removes a date of the selected rows. */
export function DateAction({ name, description, ...rest }: FieldActionProps<string | null>) {
  const [date, setDate] = useState('');
  const input = (
    <TextInput
      size="xs"
      type="date"
      label={labelOf(name)}
      value={date}
      description={description}
      onChange={({ currentTarget }) => setDate(currentTarget.value)}
    />
  );
  return <FieldPopover {...rest} name={name} value={date} none={null} isEmpty={date === ''} input={input} />;
}

/** Sets or removes words of the selected rows, for example labels. */
export function WordsAction({ name, description, ...rest }: FieldActionProps<string[]>) {
  const [words, setWords] = useState<string[]>([]);
  const input = (
    <TagsInput
      size="xs"
      w={240}
      label={labelOf(name)}
      description={description}
      placeholder="Type and press Enter"
      value={words}
      onChange={setWords}
      acceptValueOnBlur
      comboboxProps={{ withinPortal: false }}
    />
  );
  return <FieldPopover {...rest} name={name} value={words} none={[]} isEmpty={words.length === 0} input={input} />;
}
