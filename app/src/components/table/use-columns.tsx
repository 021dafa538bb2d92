import { Button, Checkbox, Menu, Stack } from '@mantine/core';
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

/** Columns that a person may choose. */
export interface ColumnChoice {
  choices: readonly { id: string; header: string }[];
  /** Ids of the chosen columns. */
  chosen: readonly string[];
  /** @param back ids of columns that had left, and stay from now on */
  onChange: (ids: readonly string[], back: readonly string[]) => void;
}

/**
 * The columns that a person chose. The browser keeps the choice, unless the URL has one. A column that left a narrow table and is
 * chosen again stays in every window of this browser.
 * @param table name of the table in the storage
 */
export function useColumns<Row>(table: string, all: readonly Column<Row>[], { value: ofUrl, onChange }: ColumnsOfUrl) {
  const choices = all.filter(({ leaves }) => leaves !== undefined);
  const defaults = choices.filter(({ isOptional }) => isOptional !== true).map(({ id }) => id);
  // The browser keeps the differences from the defaults, so that a column that is added later appears.
  const [changed, setChanged] = useStoredIds(`changed-columns-${table}`);
  const [kept, setKept] = useStoredIds(`kept-columns-${table}`);
  const chosen = ofUrl?.split(',') ?? differences(defaults, changed, choices);
  const choice: ColumnChoice = {
    choices,
    chosen,
    onChange: (ids, back) => {
      if (ofUrl === undefined) setChanged(differences(defaults, ids, choices));
      else onChange(differences([], ids, choices).join());
      setKept([...kept.filter((id) => ids.includes(id)), ...back]);
    },
  };
  return {
    columns: all.filter((column) => !choices.includes(column) || chosen.includes(column.id)),
    kept: new Set(kept),
    /** Undefined if no column has a place in a narrow row. */
    choice: all.some(({ line }) => line !== undefined) ? choice : undefined,
  };
}

/** The choice while it is open: columns that have left are not checked. */
function useChecked({ chosen, onChange }: ColumnChoice) {
  const [gone, setGone] = useState<readonly string[]>(() => {
    const headings = [...document.querySelectorAll('main th[data-column]')];
    const shown = new Set(headings.map((heading) => heading.getAttribute('data-column')));
    return shown.size === 0 ? [] : chosen.filter((id) => !shown.has(id));
  });
  const check = (ids: string[]) => {
    const back = ids.filter((id) => gone.includes(id));
    onChange([...ids, ...gone], back);
    setGone(gone.filter((id) => !back.includes(id)));
  };
  return {
    group: { value: chosen.filter((id) => !gone.includes(id)), onChange: check },
    note:
      gone.length > 0 &&
      'Some columns are hidden because there is not enough room. A column that you choose stays visible.',
  };
}

/** The choice as fields of the filters of a narrow window. */
export function ColumnFields({ choice }: { choice: ColumnChoice }) {
  const { group, note } = useChecked(choice);
  return (
    <Checkbox.Group label="Columns" description={note} size="xs" {...group}>
      <Stack gap={8} mt={6}>
        {choice.choices.map(({ id, header }) => (
          <Checkbox key={id} size="xs" value={id} label={header} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

/** The choice as a menu. */
export const ColumnMenu = ({ choice }: { choice: ColumnChoice }) => (
  <Menu withInitialFocusPlaceholder={false} width={240} position="bottom-end" shadow="md">
    <Menu.Target>
      <Button variant="default" leftSection={<IconColumns size={14} aria-hidden />}>
        Columns
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      <ColumnItems choice={choice} />
    </Menu.Dropdown>
  </Menu>
);

function ColumnItems({ choice }: { choice: ColumnChoice }) {
  const { group, note } = useChecked(choice);
  return (
    <>
      <Menu.CheckboxGroup {...group}>
        {choice.choices.map(({ id, header }) => (
          <Menu.CheckboxItem key={id} value={id}>
            {header}
          </Menu.CheckboxItem>
        ))}
      </Menu.CheckboxGroup>
      {note !== false && <Menu.Label>{note}</Menu.Label>}
    </>
  );
}

/** Ids of the columns that are in one of two lists, in the order of the table. */
const differences = (one: readonly string[], other: readonly string[], columns: readonly { id: string }[]): string[] =>
  columns.map(({ id }) => id).filter((id) => one.includes(id) !== other.includes(id));
