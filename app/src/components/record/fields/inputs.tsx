import { MultiSelect, Select, TagsInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Field } from '../edits/use-record.ts';
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

/** A calendar date, which is saved when a person leaves it. `note` is a line below it. */
export function DateField({ field, label, note }: FieldProps<string | null> & { note?: ReactNode }) {
  return (
    <FieldFrame field={field}>
      <TextInput
        {...inputProps(field)}
        label={label}
        type="date"
        value={field.value ?? ''}
        onChange={({ currentTarget }) => field.edit(currentTarget.value === '' ? null : currentTarget.value)}
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
