import { Button, Input, Text, Title } from '@mantine/core';
import { useId } from 'react';
import type { ReactNode } from 'react';
import { LazyEditor } from '../editor/lazy-editor.tsx';
import { SafeHtml } from '../editor/safe-html.tsx';
import './record.css';
import { fieldLabel, isEmpty, valueText } from './values.ts';
import type { FindName } from './values.ts';

/** A field of a record or of a form. */
export interface Field<Value> {
  /** Name in the API. */
  name: string;
  value: Value;
  /** Quiet text beside the label. */
  status: '' | 'Saving' | 'Saved';
  error: string | undefined;
  /** Keeps a value until the field is left. */
  edit: (value: Value) => void;
  /** Saves what was entered: `onBlur`. */
  leave: () => void;
  /** Saves a choice at once: `onChange` of a select. */
  choose: (value: Value) => void;
  /** Drops what was entered. */
  restore: () => void;
  /** Saves again after a failure; missing in a form, whose button does. */
  retry?: () => void;
}

/** How people enter the values of a field, and how they read them. */
export interface Kind<Value> {
  input: (field: Field<Value>, label: string) => ReactNode;
  /** False is "None". By default words, by the name of the field. */
  text?: (value: Value) => ReactNode;
}

/** The fields of a record in their order. Labels and words of values derive from their names. */
export type Fields<Values> = { readonly [Name in keyof Values]?: Kind<Values[Name]> };

/** Finds a field by its name. */
export type FindField<Values> = <Name extends keyof Values & string>(name: Name) => Field<Values[Name]>;

export function namesOf<Values>(fields: Fields<Values>): (keyof Values & string)[] {
  const names: (keyof Values & string)[] = [];
  for (const name in fields) names.push(name);
  return names;
}

interface InputsProps<Values> {
  fields: Fields<Values>;
  /** Those that are shown; by default all. */
  names?: readonly (keyof Values & string)[];
  field: FindField<Values>;
}

/** The inputs of fields. */
export function Inputs<Values>({ fields, names = namesOf(fields), field }: InputsProps<Values>) {
  return names.map((name) => <FieldInput key={name} kind={fields[name]} field={field(name)} />);
}

interface FieldInputProps<Value> {
  kind: Kind<Value> | undefined;
  field: Field<Value>;
}

const FieldInput = <Value,>({ kind, field }: FieldInputProps<Value>) => kind?.input(field, fieldLabel(field.name));

interface FactsProps<Values> {
  fields: Fields<Values>;
  names: readonly (keyof Values & string)[];
  record: Values;
  findName: FindName;
}

/** Fields as text: for a person who may not change them, and on paper. */
export function FieldFacts<Values>({ fields, names, record, findName }: FactsProps<Values>) {
  const textOf = <Value,>(name: string, kind: Kind<Value> | undefined, value: Value): ReactNode =>
    kind?.text === undefined ? !isEmpty(value) && valueText(name, value, findName) : kind.text(value);
  return names.map((name) => (
    <Fact key={name} name={fieldLabel(name)}>
      {textOf(name, fields[name], record[name])}
    </Fact>
  ));
}

/** A name with its value. An absent value is "None". */
export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd dir="auto">{children === false ? <span className="none">None</span> : children}</dd>
  </>
);

type FieldState = Pick<Field<unknown>, 'name' | 'status' | 'error' | 'retry'>;

/** Props of the input of a field: its name and its error. */
export const inputProps = ({ name, error }: FieldState) => ({ name, error, errorProps: { role: 'alert' } });

interface FieldFrameProps {
  field: FieldState;
  children: ReactNode;
  /** A line below the input. */
  note?: ReactNode;
  /** A part of the page with another layout. */
  className?: string;
}

/** A field with its quiet "Saved", which takes no space of its own, and a button for a save that failed. */
export const FieldFrame = ({ field: { status, error, retry }, children, note, className = '' }: FieldFrameProps) => (
  <div className={`field ${className}`}>
    {children}
    {note}
    <Text size="xs" c="dimmed" role="status" className="field-status">
      {status}
    </Text>
    {error !== undefined && retry !== undefined && (
      <Button variant="default" size="compact-xs" mt={4} onClick={retry}>
        Try again
      </Button>
    )}
  </div>
);

/** Words for a date that is near or past: "in 3 days", "42 days overdue". */
export interface DateWords {
  words: string;
  isOverdue: boolean;
}

/** These words as a line below a field. */
export const DateNote = ({ near }: { near: DateWords | undefined }) =>
  near !== undefined && <div className={near.isOverdue ? 'field-note overdue' : 'field-note'}>{near.words}</div>;

interface RecordTextProps {
  field: Field<string>;
  readOnly: boolean;
}

/** The title of a record: a heading that is edited where it is. Enter saves it, Escape drops what was entered. */
export function RecordTitle({ field, readOnly, mark }: RecordTextProps & { mark: string | undefined }) {
  const errorId = useId();
  const { name, value, edit, leave, restore, error } = field;
  const label = fieldLabel(name);
  if (readOnly)
    return (
      <Title order={1} className="record-title" dir="auto">
        {mark !== undefined && <span className="title-mark">{mark} </span>}
        {value}
      </Title>
    );
  return (
    <FieldFrame field={field} className="record-title">
      {mark !== undefined && <div className="title-mark">{mark}</div>}
      <Title order={1} className="title-box" dir="auto">
        {/* The text gives the box its size, so that long titles wrap. */}
        <span aria-hidden>{value} </span>
        <textarea
          dir="auto"
          aria-label={label}
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : errorId}
          name={name}
          rows={1}
          placeholder={label}
          value={value}
          onChange={({ currentTarget }) => edit(currentTarget.value.replaceAll(/[\r\n]+/g, ' '))}
          onBlur={leave}
          onKeyDown={({ key, currentTarget, nativeEvent }) => {
            if (key === 'Enter' && !nativeEvent.isComposing) currentTarget.blur();
            if (key === 'Escape') restore();
          }}
        />
      </Title>
      {error !== undefined && (
        <Input.Error role="alert" id={errorId}>
          {error}
        </Input.Error>
      )}
    </FieldFrame>
  );
}

/** The description of a record. It is sent only if a person edited it. */
export const Description = ({ field, readOnly }: RecordTextProps) => (
  <section className="description">
    <Title order={2} className="description-top">
      Description
    </Title>
    {readOnly ? (
      <div className="editor-text">
        {field.value === '' ? <span className="none">No description.</span> : <SafeHtml html={field.value} />}
      </div>
    ) : (
      <FieldFrame field={field}>
        <div
          onBlur={({ currentTarget, relatedTarget }) => {
            if (!currentTarget.contains(relatedTarget)) field.leave();
          }}
        >
          <LazyEditor
            label="Description"
            placeholder="Add a description"
            value={field.value}
            onChange={field.edit}
            onLeave={field.leave}
          />
        </div>
        {field.error !== undefined && (
          <Input.Error role="alert" mt={4}>
            {field.error}
          </Input.Error>
        )}
      </FieldFrame>
    )}
  </section>
);
