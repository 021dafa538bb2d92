import { Button, Menu } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
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
  const isShown = (id: string) => chosen.includes(id);
  const toggle = (id: string) => setChosen(isShown(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return [
    all.filter((column) => !choices.includes(column) || isShown(column.id)),
    <Menu key="columns" closeOnItemClick={false} position="bottom-end" shadow="md">
      <Menu.Target>
        <Button variant="default" leftSection={<IconColumns size={14} aria-hidden />}>
          Columns
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {choices.map(({ id, header }) => (
          <Menu.Item
            key={id}
            role="menuitemcheckbox"
            aria-checked={isShown(id)}
            leftSection={<IconCheck size={14} visibility={isShown(id) ? 'visible' : 'hidden'} aria-hidden />}
            onClick={() => toggle(id)}
          >
            {header}
          </Menu.Item>
        ))}
        <Menu.Label>Narrow windows show fewer.</Menu.Label>
      </Menu.Dropdown>
    </Menu>,
  ];
}
