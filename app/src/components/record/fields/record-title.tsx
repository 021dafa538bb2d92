import { Input, Title } from '@mantine/core';
import { useId } from 'react';
import type { Field } from '../use-record.ts';
import { FieldFrame } from './field-frame.tsx';

interface RecordTitleProps {
  /** Name of the field. */
  label: string;
  field: Field<string>;
  readOnly: boolean;
}

/** The title of a record: a heading that is edited where it is. Enter saves it, Escape drops what was entered. */
export function RecordTitle({ label, field, readOnly }: RecordTitleProps) {
  const errorId = useId();
  const { name, value, edit, leave, restore, error } = field;
  if (readOnly)
    return (
      <Title order={1} className="record-title">
        {value}
      </Title>
    );
  return (
    <FieldFrame field={field} className="record-title">
      <Title order={1} className="title-box">
        {/* The text gives the box its size, so that long titles wrap. */}
        <span aria-hidden>{value} </span>
        <textarea
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
