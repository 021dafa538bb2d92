import { Button, Menu } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import IconColumns from '@tabler/icons-react/dist/esm/icons/IconColumns3.mjs';
import type { ReactNode } from 'react';
import type { Column } from './column-header.tsx';

/** Columns that the URL chooses, for example those of a view. */
interface ColumnsOfUrl {
  /** Ids of the columns, separated by commas. */
  value: string | undefined;
  onChange: (value: string) => void;
}

/**
 * The columns that a person chose. The browser keeps the choice, unless the URL has one.
 * @param table name of the table in the storage
 * @returns the columns, the button that changes the choice, and the ids of the chosen columns
 */
export function useColumns<Row>(
  table: string,
  all: readonly Column<Row>[],
  { value: idsOfUrl, onChange }: ColumnsOfUrl,
): [columns: readonly Column<Row>[], menu: ReactNode, ids: readonly string[]] {
  const choices = all.filter(({ leaves }) => leaves !== undefined);
  const defaults = choices.filter(({ isOptional }) => isOptional !== true).map(({ id }) => id);
  // The browser keeps the differences from the defaults, so that a column that is added later appears.
  const [changed, setChanged] = useLocalStorage<string[]>({
    key: `changed-columns-${table}`,
    defaultValue: [],
    getInitialValueInEffect: false,
    serialize: (ids) => ids.join(),
    deserialize: (text) => text?.split(',') ?? [],
  });
  const chosen = idsOfUrl?.split(',') ?? differences(defaults, changed, choices);
  const choose = (ids: string[]) =>
    idsOfUrl === undefined ? setChanged(differences(defaults, ids, choices)) : onChange(ids.join());
  return [
    all.filter((column) => !choices.includes(column) || chosen.includes(column.id)),
    <Menu key="columns" withInitialFocusPlaceholder={false} position="bottom-end" shadow="md">
      <Menu.Target>
        <Button variant="default" visibleFrom="xs" leftSection={<IconColumns size={14} aria-hidden />}>
          Columns
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.CheckboxGroup value={chosen} onChange={choose}>
          {choices.map(({ id, header }) => (
            <Menu.CheckboxItem key={id} value={id}>
              {header}
            </Menu.CheckboxItem>
          ))}
        </Menu.CheckboxGroup>
        <Menu.Label>Narrow windows show fewer.</Menu.Label>
      </Menu.Dropdown>
    </Menu>,
    chosen,
  ];
}

/** Ids of the columns that are in one of two lists, in the order of the table. */
const differences = (one: readonly string[], other: readonly string[], columns: readonly { id: string }[]): string[] =>
  columns.map(({ id }) => id).filter((id) => one.includes(id) !== other.includes(id));
