import { Button, Menu } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import IconColumns from '@tabler/icons-react/dist/esm/icons/IconColumns3.mjs';
import type { ReactNode } from 'react';
import type { Column } from './column-header.tsx';

/**
 * The columns that a person chose. The browser keeps the choice.
 * @param table name of the table in the storage
 * @returns the columns, and the button that changes the choice
 */
export function useColumns<Row>(table: string, all: readonly Column<Row>[]): [readonly Column<Row>[], ReactNode] {
  const choices = all.filter(({ leaves }) => leaves !== undefined);
  const defaults = choices.filter(({ isOptional }) => isOptional !== true).map(({ id }) => id);
  const [chosen, setChosen] = useLocalStorage<string[]>({
    key: `columns-${table}`,
    defaultValue: defaults,
    getInitialValueInEffect: false,
    serialize: (ids) => ids.join(),
    deserialize: (text) => text?.split(',') ?? defaults,
  });
  return [
    all.filter((column) => !choices.includes(column) || chosen.includes(column.id)),
    <Menu key="columns" position="bottom-end" shadow="md">
      <Menu.Target>
        <Button variant="default" visibleFrom="xs" leftSection={<IconColumns size={14} aria-hidden />}>
          Columns
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.CheckboxGroup value={chosen} onChange={setChosen}>
          {choices.map(({ id, header }) => (
            <Menu.CheckboxItem key={id} value={id}>
              {header}
            </Menu.CheckboxItem>
          ))}
        </Menu.CheckboxGroup>
        <Menu.Label>Narrow windows show fewer.</Menu.Label>
      </Menu.Dropdown>
    </Menu>,
  ];
}
