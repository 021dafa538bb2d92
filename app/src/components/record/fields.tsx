import { MultiSelect, Select, TagsInput, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAutoSave } from '../form/use-auto-save.ts';

interface FieldProps<Value> {
  label: string;
  /** Field of the API. */
  name: string;
  value: Value;
  onSave: (value: Value) => Promise<unknown>;
  readOnly: boolean;
}

interface Option {
  value: string;
  label: string;
}

/** A field of the panel with its quiet "Saved". */
const WithStatus = ({ status, children }: { status: string; children: ReactNode }) => (
  <div>
    {children}
    <Text size="xs" c="dimmed" role="status" mih={17}>
      {status}
    </Text>
  </div>
);

/** Props that all inputs of the panel share. */
const inputProps = <Value,>({ label, name, readOnly }: FieldProps<Value>, error: string | undefined) => ({
  label,
  name,
  readOnly,
  error,
  errorProps: { role: 'alert' },
  size: 'sm',
});

interface ChoiceProps extends FieldProps<string | null> {
  options: readonly Option[];
  /** Word for no choice. A field without it cannot be cleared. */
  placeholder?: string;
  /** Icon of the chosen option. */
  icon?: (value: string) => ReactNode;
}

/** A choice, which is saved at once. */
export function Choice(props: ChoiceProps) {
  const { value: saved, name, onSave, options, placeholder, icon, readOnly } = props;
  const { value, choose, status, error } = useAutoSave(name, saved, onSave);
  return (
    <WithStatus status={status}>
      <Select
        {...inputProps(props, error)}
        data={[...options]}
        value={value}
        onChange={choose}
        allowDeselect={false}
        clearable={placeholder !== undefined && !readOnly}
        leftSection={value !== null && icon?.(value)}
        leftSectionPointerEvents="none"
        renderOption={({ option }) => (
          <span className="option">
            {icon?.(option.value)} {option.label}
          </span>
        )}
        {...(placeholder !== undefined && { placeholder })}
      />
    </WithStatus>
  );
}

/** A calendar date, which is saved when a person leaves it. */
export function DateField(props: FieldProps<string | null>) {
  const { value: saved, name, onSave } = props;
  const { value, edit, leave, status, error } = useAutoSave(name, saved, onSave);
  return (
    <WithStatus status={status}>
      <TextInput
        {...inputProps(props, error)}
        type="date"
        value={value ?? ''}
        onChange={({ currentTarget }) => edit(currentTarget.value === '' ? null : currentTarget.value)}
        onBlur={leave}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') currentTarget.blur();
        }}
      />
    </WithStatus>
  );
}

/** Words that a person types, for example labels. */
export function Words(props: FieldProps<string[]> & { placeholder: string }) {
  const { value: saved, name, onSave, placeholder, readOnly } = props;
  const { value, choose, status, error } = useAutoSave(name, saved, onSave);
  return (
    <WithStatus status={status}>
      <TagsInput
        {...inputProps(props, error)}
        value={value}
        onChange={choose}
        {...(value.length === 0 && !readOnly && { placeholder })}
      />
    </WithStatus>
  );
}

/** Several choices. */
export function Choices(props: FieldProps<string[]> & { options: readonly Option[]; placeholder: string }) {
  const { value: saved, name, onSave, options, placeholder } = props;
  const { value, choose, status, error } = useAutoSave(name, saved, onSave);
  return (
    <WithStatus status={status}>
      <MultiSelect
        {...inputProps(props, error)}
        data={[...options]}
        value={value}
        onChange={choose}
        {...(value.length === 0 && { placeholder })}
      />
    </WithStatus>
  );
}
