import { Button, Menu } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import IconColumns from '@tabler/icons-react/dist/esm/icons/IconColumns3.mjs';
import { useState } from 'react';
import type { Column } from './data-table.tsx';

/** Columns that the URL chooses, for example those of a view. */
interface ColumnsOfUrl {
  /** Ids of the columns, separated by commas. */
  value: string | undefined;
  onChange: (value: string) => void;
}

/** Ids of columns in the storage of the browser. */
const useStoredIds = (key: string) =>
  useLocalStorage<string[]>({
    key,
    defaultValue: [],
    getInitialValueInEffect: false,
    serialize: (ids) => ids.join(),
    deserialize: (text) => text?.split(',') ?? [],
  });

/** Ids of the columns that the table shows in this window. */
const shownIds = () =>
  [...document.querySelectorAll('main th[data-column]')].map((heading) => heading.getAttribute('data-column'));

/**
 * The columns that a person chose. The browser keeps the choice, unless the URL has one. A column that left a narrow table and is
 * chosen again stays in every window of this browser.
 * @param table name of the table in the storage
 * @returns the columns, the ids of those that stay, the button that changes the choice, and the ids of the chosen columns
 */
export function useColumns<Row>(table: string, all: readonly Column<Row>[], { value: ofUrl, onChange }: ColumnsOfUrl) {
  const choices = all.filter(({ leaves }) => leaves !== undefined);
  const defaults = choices.filter(({ isOptional }) => isOptional !== true).map(({ id }) => id);
  // The browser keeps the differences from the defaults, so that a column that is added later appears.
  const [changed, setChanged] = useStoredIds(`changed-columns-${table}`);
  const [kept, setKept] = useStoredIds(`kept-columns-${table}`);
  const [gone, setGone] = useState<readonly string[]>([]);
  const chosen = ofUrl?.split(',') ?? differences(defaults, changed, choices);
  const shown = chosen.filter((id) => !gone.includes(id));

  const choose = (ids: string[]) => {
    const next = [...ids, ...gone];
    if (ofUrl === undefined) setChanged(differences(defaults, next, choices));
    else onChange(differences([], next, choices).join());
    const back = ids.filter((id) => gone.includes(id));
    setKept([...kept.filter((id) => next.includes(id)), ...back]);
    setGone(gone.filter((id) => !back.includes(id)));
  };
  const findGone = () => {
    const ids = shownIds();
    if (ids.length > 0) setGone(chosen.filter((id) => !ids.includes(id)));
  };
  return {
    columns: all.filter((column) => !choices.includes(column) || chosen.includes(column.id)),
    kept: new Set(kept),
    ids: chosen,
    menu: all.some(({ line }) => line !== undefined) && (
      <Menu withInitialFocusPlaceholder={false} width={240} position="bottom-end" shadow="md" onOpen={findGone}>
        <Menu.Target>
          <Button variant="default" visibleFrom="xs" leftSection={<IconColumns size={14} aria-hidden />}>
            Columns
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.CheckboxGroup value={shown} onChange={choose}>
            {choices.map(({ id, header }) => (
              <Menu.CheckboxItem key={id} value={id}>
                {header}
              </Menu.CheckboxItem>
            ))}
          </Menu.CheckboxGroup>
          {gone.length > 0 && <Menu.Label>Some columns left for lack of room. One that you choose stays.</Menu.Label>}
        </Menu.Dropdown>
      </Menu>
    ),
  };
}

/** Ids of the columns that are in one of two lists, in the order of the table. */
const differences = (one: readonly string[], other: readonly string[], columns: readonly { id: string }[]): string[] =>
  columns.map(({ id }) => id).filter((id) => one.includes(id) !== other.includes(id));
