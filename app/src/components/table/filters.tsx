import { Button, Group, MultiSelect, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { dateText, quarterOf } from '../../dates.ts';

/** Values of a filter as people read them. */
export type Options<Value extends string = string> = readonly { value: Value; label: string }[];

export interface FilterInputProps {
  /** Current text of the URL. */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  /** Sets several parameters of the list. */
  onChangeAll: (values: Record<string, string | undefined>) => void;
  /** Name and size, which depend on the place of the input. */
  frame: {
    size: 'xs';
    label?: string;
    'aria-label'?: string;
    w?: number;
    comboboxProps?: { keepMounted: false; withinPortal: boolean };
  };
}

/** A filter of a list: its text in the URL, its value for the API, its input, and its text for people. */
export interface Filter<Value> {
  /** "Status" */
  name: string;
  /** The value of the API; undefined for a text that filters nothing. */
  read: (text: string) => Value | undefined;
  /** The text as people read it; by default the text. */
  textOf?: (text: string) => string;
  /** Missing for a filter that only links set. */
  input?: (props: FilterInputProps) => ReactNode;
  /** Width of the input beside the search field, in pixels. Filters without it are behind the button "Filters". */
  width?: number;
  /** Label of the search field, if this is the text of a search. */
  search?: string;
  /** Parameter that a change removes, because its values depend on this filter. */
  resets?: string;
}

/** The filters of a list, by parameter of the URL and of the API, in the order of their inputs. */
export type Filters<Query> = { readonly [Name in keyof Query]-?: Filter<NonNullable<Query[Name]>> };

const asText = (text: string): string => text;

/** A value of the URL as people read it, even if it is a list: "Todo, Done". */
export const textIn = (options: Options) => (text: string) =>
  text
    .split(',')
    .map((part) => options.find(({ value }) => value === part)?.label ?? part)
    .join(', ');

/** The value of the URL if the filter has it. */
export const knownValue = <Value extends string>(
  options: Options<Value>,
  text: string | undefined,
): Value | undefined => options.find(({ value }) => value === text)?.value;

/** The list of the URL if it begins with a value that the filter has. The API validates the others. */
function knownList<Value extends string>(options: Options<Value>, text: string) {
  const first = options.find(({ value }) => text === value || text.startsWith(`${value},`))?.value;
  if (first === undefined || text === first) return first;
  return `${first},${text.slice(first.length + 1)}` as const;
}

/** The text of a search. @param label of its field: "Search vendors" */
export const searchFilter = (label: string): Filter<string> => ({ name: 'Search', read: asText, search: label });

/** A filter that only links set. */
export const linked = (name: string, textOf: (text: string) => string): Filter<string> => ({
  name,
  read: asText,
  textOf,
});

/** Options from which on a person types to find one. */
const MANY_OPTIONS = 10;

/** One of several values. @param placeholder shown without a value: "Any status" */
export const oneOf = <Value extends string>(
  name: string,
  placeholder: string,
  options: Options<Value>,
): Filter<Value> => ({
  name,
  read: (text) => knownValue(options, text),
  textOf: textIn(options),
  input: ({ value = null, onChange, frame }) => (
    <Select
      {...frame}
      placeholder={placeholder}
      clearable
      searchable={options.length > MANY_OPTIONS}
      data={
        value === null || options.some((option) => option.value === value)
          ? options
          : [...options, { value, label: textIn(options)(value) }]
      }
      value={value}
      onChange={(chosen) => onChange(chosen ?? undefined)}
    />
  ),
});

/** The same for values that the API validates: ids of what is still loading, and lists of them. */
export const oneReference = (name: string, placeholder: string, options: Options): Filter<string> => ({
  ...oneOf(name, placeholder, options),
  read: asText,
});

/** Several of some values. Those that are chosen are buttons below the filters. */
export const severalOf = <Value extends string>(
  name: string,
  placeholder: string,
  options: Options<Value>,
): Filter<Value | `${Value},${string}`> => ({
  name,
  read: (text) => knownList(options, text),
  textOf: textIn(options),
  input: ({ value, onChange, frame }) => (
    <MultiSelect
      {...frame}
      className="counted-select"
      placeholder={value === undefined ? placeholder : textIn(options)(value)}
      data={options}
      value={value?.split(',') ?? []}
      onChange={(chosen) => onChange(options.flatMap((one) => (chosen.includes(one.value) ? one.value : [])).join())}
    />
  ),
});

/** A text that the value has. */
export const textFilter = (name: string, placeholder: string): Filter<string> => ({
  name,
  read: asText,
  input: (props) => <DelayedInput placeholder={placeholder} {...props} />,
});

const DELAY_MS = 300;

function DelayedInput({ placeholder, value = '', onChange, frame }: FilterInputProps & { placeholder: string }) {
  const change = useDebouncedCallback(onChange, DELAY_MS);
  const { comboboxProps: _comboboxProps, ...rest } = frame;
  return (
    <TextInput
      {...rest}
      placeholder={placeholder}
      defaultValue={value}
      onChange={({ currentTarget }) => change(currentTarget.value.trim())}
    />
  );
}

/** A date of the URL, which may be malformed. */
const dateOf = (text: string) => (Number.isNaN(Date.parse(text)) ? text : dateText(text));

interface DayOptions {
  /** By default the date. */
  textOf?: (text: string) => string;
  /** The day of the text of the URL, and back; by default the text is the day. */
  toDay?: (text: string | undefined) => string;
  fromDay?: (day: string) => string | undefined;
}

/** A day. Beside the search field its name is in the input. */
export const dayFilter = (
  name: string,
  { textOf = dateOf, toDay = (value = '') => value, fromDay = asText }: DayOptions = {},
): Filter<string> => ({
  name,
  read: asText,
  textOf,
  input: ({ value, onChange, frame: { comboboxProps: _comboboxProps, ...frame } }) => (
    <TextInput
      {...frame}
      {...(frame.label === undefined && {
        'aria-label': `${name} date`,
        leftSection: <span>{name}</span>,
        leftSectionWidth: 14 + 8 * name.length,
      })}
      type="date"
      value={toDay(value)}
      onChange={({ currentTarget }) => onChange(fromDay(currentTarget.value))}
    />
  ),
});

/** Days of a range, and its name: "This quarter". */
export interface Range {
  label: string;
  first: string;
  last: string;
}

/** Quarters around today. @param shifts -1 for the last one, 0 for this one, 1 for the next one */
export const quarters = (today: string, shifts: readonly (-1 | 0 | 1)[]): Range[] =>
  shifts.map((shift) => ({ label: `${QUARTERS[shift]} quarter`, ...quarterOf(today, shift) }));

const QUARTERS = { [-1]: 'Last', 0: 'This', 1: 'Next' } as const;

/**
 * Two days, with buttons that set both.
 * @param name "Contract end"
 * @param parameters of the first and the last day
 * @param also other parameters that the buttons set
 */
export function rangeFilters<First extends string, Last extends string>(
  name: string,
  [first, last]: readonly [First, Last],
  ranges: readonly Range[],
  also?: Record<string, undefined>,
): Record<First | Last, Filter<string>>;
export function rangeFilters(
  name: string,
  [first, last]: readonly [string, string],
  ranges: readonly Range[],
  also: Record<string, undefined> = {},
) {
  const from = dayFilter(`${name} from`);
  const until = dayFilter(`${name} until`);
  return {
    [first]: from,
    [last]: {
      ...until,
      input: (props: FilterInputProps) => (
        <>
          {until.input?.(props)}
          <Group gap={6}>
            {ranges.map((range) => (
              <Button
                key={range.label}
                variant="default"
                size="compact-xs"
                aria-label={`${name}: ${range.label}`}
                onClick={() => props.onChangeAll({ ...also, [first]: range.first, [last]: range.last })}
              >
                {range.label}
              </Button>
            ))}
          </Group>
        </>
      ),
    },
  };
}
