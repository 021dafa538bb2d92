import { Button, Input, MultiSelect, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Outputs } from '../../api/client.ts';
import { MemberSelect, NOBODY } from '../person/member-select.tsx';
import { Person } from '../person/person.tsx';
import { maySee, useMembers } from '../person/use-members.ts';
import type { Member } from '../person/use-members.ts';
import { StatusDot, statusOptions, StatusSwatch } from '../status-dot.tsx';
import { CalendarDate } from '../time.tsx';
import { DateNote, FieldFrame, inputProps } from './fields.tsx';
import type { DateWords, Field, Kind } from './fields.tsx';

// The kinds of fields. In a record, a choice is saved at once, and what a person types when the field is left.

/** A status, which is saved at once. @param note a line below the input */
export const status = <Status extends string>(statuses: readonly Status[], note?: ReactNode): Kind<Status> => ({
  input: (field, label) => (
    <FieldFrame field={field} note={note}>
      <Select<Status>
        {...inputProps(field)}
        label={label}
        data={statusOptions(statuses)}
        value={field.value}
        onChange={(value) => {
          if (value !== null) field.choose(value);
        }}
        allowDeselect={false}
        leftSection={<StatusSwatch status={field.value} />}
        leftSectionPointerEvents="none"
        renderOption={({ option }) => (
          <span className="option">
            <StatusSwatch status={option.value} /> {option.label}
          </span>
        )}
      />
    </FieldFrame>
  ),
  text: (value) => <StatusDot status={value} />,
});

interface Option {
  value: number;
  label: string;
}

/** A choice, which is saved at once. */
export const choice = (options: readonly Option[], text: (value: number) => ReactNode): Kind<number> => ({
  input: (field, label) => (
    <FieldFrame field={field}>
      <Select<number>
        {...inputProps(field)}
        label={label}
        data={options}
        value={field.value}
        onChange={(value) => {
          if (value !== null) field.choose(value);
        }}
        allowDeselect={false}
      />
    </FieldFrame>
  ),
  text,
});

/** A choice that can be cleared. */
export const optionalChoice = (
  options: readonly Option[],
  text?: (value: number) => ReactNode,
): Kind<number | null> => ({
  input: (field, label) => (
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
  ),
  ...(text !== undefined && { text: (value) => value !== null && text(value) }),
});

/** Several choices. */
export const choices = (options: readonly Option[]): Kind<number[]> => ({
  input: (field, label) => (
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
  ),
});

interface TypedFieldProps<Value> {
  field: Field<Value | null>;
  label: string;
  type: 'date' | 'url' | 'number';
  /** A value as the text of the input, and back. */
  format: (value: Value) => string;
  parse: (text: string) => Value;
  note?: ReactNode;
}

/** A value that a person types, which is saved when a person leaves it. An empty input is null. */
function TypedField<Value>({ field, label, note, type, format, parse }: TypedFieldProps<Value>) {
  return (
    <FieldFrame field={field} note={note}>
      <TextInput
        {...inputProps(field)}
        label={label}
        type={type}
        value={field.value === null ? '' : format(field.value)}
        onChange={({ currentTarget: { value } }) => field.edit(value === '' ? null : parse(value))}
        onBlur={field.leave}
        onKeyDown={({ key, currentTarget }) => {
          if (field.retry === undefined) return;
          if (key === 'Enter') currentTarget.blur();
          if (key === 'Escape') field.restore();
        }}
      />
    </FieldFrame>
  );
}

const same = (text: string): string => text;

interface DateOptions {
  /** Words if it is near or past. */
  near?: DateWords | undefined;
  /** A line below the input; by default the words. */
  note?: ReactNode;
}

/** A calendar date. */
export const date = ({ near, note = <DateNote near={near} /> }: DateOptions = {}): Kind<string | null> => ({
  input: (field, label) => (
    <TypedField field={field} label={label} type="date" format={same} parse={same} note={note} />
  ),
  text: (value) =>
    value !== null && <CalendarDate value={value} addition={near?.words} isOverdue={near?.isOverdue ?? false} />,
});

interface WebsiteLinkProps {
  href: string;
  /** Words of the link; by default what a click does. */
  text?: string;
}

/** A link to another site, in a window of its own. */
const WebsiteLink = ({ href, text = 'Open the website' }: WebsiteLinkProps) => (
  <a href={href} target="_blank" rel="noopener noreferrer" className="field-link">
    {text}
  </a>
);

/** An address of a web page. @param saved the address that a link leads to */
export const address = (saved: string | null): Kind<string | null> => ({
  input: (field, label) => (
    <TypedField
      field={field}
      label={label}
      type="url"
      format={same}
      parse={same}
      note={saved !== null && <WebsiteLink href={saved} />}
    />
  ),
  text: (value) => value !== null && <WebsiteLink href={value} text={value} />,
});

/** A whole number. */
export const number: Kind<number | null> = {
  input: (field, label) => <TypedField field={field} label={label} type="number" format={String} parse={Number} />,
};

/** A text of one line, which is saved when a person leaves it. */
export const line: Kind<string> = {
  input: (field, label) => (
    <FieldFrame field={field}>
      <TextInput
        {...inputProps(field)}
        label={label}
        dir="auto"
        value={field.value}
        onChange={({ currentTarget: { value } }) => field.edit(value)}
        onBlur={field.leave}
        onKeyDown={({ key, currentTarget }) => {
          if (field.retry === undefined) return;
          if (key === 'Enter') currentTarget.blur();
          if (key === 'Escape') field.restore();
        }}
      />
    </FieldFrame>
  ),
};

/** A plain text of several lines. */
export const paragraph: Kind<string> = {
  input: (field, label) => (
    <FieldFrame field={field}>
      <Textarea
        {...inputProps(field)}
        label={label}
        dir="auto"
        autosize
        minRows={2}
        maxRows={12}
        value={field.value}
        onChange={({ currentTarget: { value } }) => field.edit(value)}
        onBlur={field.leave}
      />
    </FieldFrame>
  ),
  text: (value) => value !== '' && <span className="plain-text">{value}</span>,
};

/** Yes or no, in words. @param onChoose in place of a save at once */
export const yesOrNo = (
  [yes, no]: readonly [yes: string, no: string],
  onChoose: (field: Field<boolean>, value: boolean) => void = (field, value) => field.choose(value),
): Kind<boolean> => ({
  input: (field, label) => (
    <FieldFrame field={field}>
      <Select
        {...inputProps(field)}
        label={label}
        data={[yes, no]}
        value={field.value ? yes : no}
        onChange={(value) => onChoose(field, value === yes)}
        allowDeselect={false}
      />
    </FieldFrame>
  ),
  text: (value) => (value ? yes : no),
});

/** A value that follows from others, which nobody edits. */
export const derived = <Value,>(text: (value: Value) => ReactNode): Kind<Value> => ({
  input: ({ value }, label) => (
    <div className="field">
      <Input.Label labelElement="div">{label}</Input.Label>
      <div>{text(value)}</div>
    </div>
  ),
  text,
});

/** Words that a person types, for example labels. */
export const words: Kind<string[]> = {
  input: (field, label) => (
    <FieldFrame field={field}>
      <TagsInput
        {...inputProps(field)}
        label={label}
        value={field.value}
        onChange={field.choose}
        {...(field.value.length === 0 && { placeholder: 'Type and press Enter' })}
      />
    </FieldFrame>
  ),
};

/** A text of one line: the first field of a dialog. */
export const firstText: Kind<string> = {
  input: (field, label) => (
    <TextInput
      {...inputProps(field)}
      data-autofocus
      dir="auto"
      label={label}
      value={field.value}
      onChange={({ currentTarget }) => field.edit(currentTarget.value)}
    />
  ),
};

type PersonValue = Outputs['task']['get']['assignee'];

interface PersonFieldProps {
  label: string;
  toMe: string;
  field: Field<PersonValue>;
  framework: number | undefined;
  mayBe: (member: Member) => boolean;
}

/** The member who looks after a record. The choice is saved at once. */
function PersonField({ label, toMe, field, framework, mayBe }: PersonFieldProps) {
  const { me } = useMembers();
  const { value, choose } = field;
  const give = ({ uniqueId, name }: Member) => choose({ uniqueId, name, kind: 'human' });
  return (
    <FieldFrame field={field}>
      <MemberSelect
        {...inputProps(field)}
        label={label}
        framework={framework}
        mayBe={mayBe}
        current={value}
        value={value?.uniqueId ?? NOBODY}
        onChange={(chosen, member) => {
          if (member !== undefined) give(member);
          else if (chosen === NOBODY) choose(null);
        }}
      />
      {me !== undefined && maySee(me, framework) && mayBe(me) && me.uniqueId !== value?.uniqueId && (
        <Button variant="light" size="compact-sm" mt={4} onClick={() => give(me)}>
          {toMe}
        </Button>
      )}
    </FieldFrame>
  );
}

/**
 * The member who looks after a record.
 * @param toMe text of the button with which the reader takes it: "Assign to me"
 * @param framework the one that the person must see; missing for a vendor
 * @param mayBe true for a member who can be chosen
 */
export const person = (
  toMe: string,
  framework?: number,
  mayBe: (member: Member) => boolean = () => true,
): Kind<PersonValue> => ({
  input: (field, label) => <PersonField field={field} label={label} toMe={toMe} framework={framework} mayBe={mayBe} />,
  text: (value) => value !== null && <Person name={value.name} />,
});
