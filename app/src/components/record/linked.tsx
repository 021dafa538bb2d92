import { Button, Input, MultiSelect, Pill, Skeleton } from '@mantine/core';
import type { MultiSelectProps } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { FieldFrame, inputProps } from './fields.tsx';
import type { Field, Kind } from './fields.tsx';
import { withoutRepeats } from './name-store.ts';
import type { Named } from './name-store.ts';

/** What a person may choose, found by name on the server. */
export interface Found {
  found: { value: string; label: string }[];
  isLoaded: boolean;
  text: string;
  setText: (text: string) => void;
  /** Begins to load. */
  use: () => void;
  /** A choice of where to search, below the field. */
  place?: ReactNode;
}

interface FoundInputProps extends Pick<
  MultiSelectProps,
  'name' | 'error' | 'errorProps' | 'renderPill' | 'autoFocus' | 'label' | 'maxValues'
> {
  chosen: readonly Named[];
  search: Found;
  /** Word for one of them: "vendor". */
  noun: string;
  onChange: (uniqueIds: string[]) => void;
}

/** Several records, found by name. */
export function FoundInput({ chosen, search, noun, onChange, ...rest }: FoundInputProps) {
  const { found, isLoaded, text, setText, use, place } = search;
  const options = chosen.map(({ uniqueId, name }) => ({ value: uniqueId, label: name ?? '…' }));
  return (
    <>
      <MultiSelect
        {...rest}
        data={withoutRepeats([...options, ...found])}
        value={options.map(({ value }) => value)}
        onChange={onChange}
        searchable
        searchValue={text}
        onSearchChange={setText}
        onFocus={use}
        // The server has searched. What is chosen is above, in the field.
        filter={({ options: all }) =>
          all.filter((option) => 'value' in option && found.some(({ value }) => value === option.value))
        }
        {...(isLoaded && { nothingFoundMessage: `No ${noun} has this name.` })}
        {...(chosen.length === 0 && { placeholder: 'None' })}
      />
      {place}
    </>
  );
}

/** Records that another one names. */
interface LinkedKind {
  /** Path of the pages of the records. */
  path: '/vendors/$uniqueId' | '/requirements/$uniqueId';
  /** Word for one of them: "vendor". */
  noun: string;
  useNames: (uniqueIds: readonly string[]) => Named[];
  useSearch: () => Found;
}

interface LinkedFieldProps {
  kind: LinkedKind;
  field: Field<string[]>;
  label: string;
  /** Puts the focus on the field. */
  autoFocus: boolean;
}

/** The records with links to their pages. A choice is saved at once. */
function LinkedInput({ kind: { path, noun, useNames, useSearch }, field, label, autoFocus }: LinkedFieldProps) {
  const renderPill: MultiSelectProps['renderPill'] = ({ option: { value, label: name }, onRemove }) => (
    <Pill withRemoveButton {...(onRemove !== undefined && { onRemove })}>
      <Link to={path} params={{ uniqueId: String(value) }}>
        {name}
      </Link>
    </Pill>
  );
  return (
    <FoundInput
      {...inputProps(field)}
      label={label}
      noun={noun}
      autoFocus={autoFocus}
      chosen={useNames(field.value)}
      search={useSearch()}
      onChange={field.choose}
      // In a form, a link would lead away from what was entered.
      {...(field.retry !== undefined && { renderPill })}
    />
  );
}

/** The field, with a button in its place while a record has none. */
function LinkedField({ kind, field, label }: Omit<LinkedFieldProps, 'autoFocus'>) {
  const [isAdding, setIsAdding] = useState(false);
  return (
    <FieldFrame field={field}>
      {isAdding || field.value.length > 0 || field.retry === undefined ? (
        <LinkedInput kind={kind} field={field} label={label} autoFocus={isAdding} />
      ) : (
        <>
          <Input.Label labelElement="div">{label}</Input.Label>
          <Button variant="default" size="compact-sm" display="block" onClick={() => setIsAdding(true)}>
            Add {label.toLowerCase()}
          </Button>
        </>
      )}
    </FieldFrame>
  );
}

/** Names with links to their pages. */
const Links = ({ kind: { path, useNames }, uniqueIds }: { kind: LinkedKind; uniqueIds: readonly string[] }) =>
  useNames(uniqueIds).map(({ uniqueId, name }) => (
    <div key={uniqueId}>
      {name === undefined ? (
        <Skeleton h={18} />
      ) : (
        <Link to={path} params={{ uniqueId }}>
          {name}
        </Link>
      )}
    </div>
  ));

/** Records that another one names: the vendors of a task. */
export const linked = (kind: LinkedKind): Kind<string[]> => ({
  input: (field, label) => <LinkedField kind={kind} field={field} label={label} />,
  text: (uniqueIds) => uniqueIds.length > 0 && <Links kind={kind} uniqueIds={uniqueIds} />,
});
