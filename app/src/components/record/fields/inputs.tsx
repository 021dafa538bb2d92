import { MultiSelect, Select, TagsInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Field } from '../use-record.ts';
import { FieldFrame, inputProps } from './field-frame.tsx';

interface FieldProps<Value> {
  label: string;
  field: Field<Value>;
}

interface Option<Value> {
  value: Value;
  label: string;
}

interface ChoiceProps<Value> {
  label: string;
  options: readonly Option<Value>[];
  /** Icon of the chosen option. */
  icon?: (value: Value) => ReactNode;
}

/** A choice, which is saved at once. */
export function Choice<Value extends string | number>(props: ChoiceProps<Value> & FieldProps<Value>) {
  const { field, label, options, icon } = props;
  return (
    <FieldFrame field={field}>
      <Select<Value>
        {...inputProps(field)}
        label={label}
        data={options}
        value={field.value}
        onChange={(value) => {
          if (value !== null) field.choose(value);
        }}
        allowDeselect={false}
        leftSection={icon?.(field.value)}
        leftSectionPointerEvents="none"
        renderOption={({ option }) => (
          <span className="option">
            {icon?.(option.value)} {option.label}
          </span>
        )}
      />
    </FieldFrame>
  );
}

/** A choice that can be cleared. */
export function OptionalChoice(props: ChoiceProps<number> & FieldProps<number | null>) {
  const { field, label, options } = props;
  return (
    <FieldFrame field={field}>
      <Select<number>
        {...inputProps(field)}
        label={label}
        data={options}
        value={field.value}
        onChange={field.choose}
        allowDeselect={false}
        clearable
        placeholder="None"
      />
    </FieldFrame>
  );
}

interface TypedFieldProps<Value> extends FieldProps<Value | null> {
  type: 'date' | 'url' | 'number';
  /** A value as the text of the input, and back. */
  format: (value: Value) => string;
  parse: (text: string) => Value;
  /** A line below the input. */
  note?: ReactNode;
}

/** A value that a person types, which is saved when a person leaves it. An empty input is null. */
function TypedField<Value>({ field, label, note, type, format, parse }: TypedFieldProps<Value>) {
  return (
    <FieldFrame field={field}>
      <TextInput
        {...inputProps(field)}
        label={label}
        type={type}
        value={field.value === null ? '' : format(field.value)}
        onChange={({ currentTarget: { value } }) => field.edit(value === '' ? null : parse(value))}
        onBlur={field.leave}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') currentTarget.blur();
          if (key === 'Escape') field.restore();
        }}
      />
      {note}
    </FieldFrame>
  );
}

const same = (text: string): string => text;

type NotedProps<Value> = FieldProps<Value | null> & { note?: ReactNode };

/** A calendar date. `note` is a line below it. */
export const DateField = (props: NotedProps<string>) => (
  <TypedField {...props} type="date" format={same} parse={same} />
);

/** An address of a web page. */
export const AddressField = (props: NotedProps<string>) => (
  <TypedField {...props} type="url" format={same} parse={same} />
);

/** A whole number. */
export const NumberField = (props: NotedProps<number>) => (
  <TypedField {...props} type="number" format={String} parse={Number} />
);

/** Words that a person types, for example labels. */
export const Words = ({ field, label }: FieldProps<string[]>) => (
  <FieldFrame field={field}>
    <TagsInput
      {...inputProps(field)}
      label={label}
      value={field.value}
      onChange={field.choose}
      {...(field.value.length === 0 && { placeholder: 'Type and press Enter' })}
    />
  </FieldFrame>
);

/** Several choices. */
export const Choices = ({ field, label, options }: FieldProps<number[]> & { options: readonly Option<number>[] }) => (
  <FieldFrame field={field}>
    <MultiSelect<number>
      {...inputProps(field)}
      label={label}
      data={options}
      value={field.value}
      onChange={field.choose}
      {...(field.value.length === 0 && { placeholder: 'None' })}
    />
  </FieldFrame>
);
