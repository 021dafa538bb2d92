import { Button, Checkbox, Group, Input, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { KeyboardEvent } from 'react';
import { NextDates, RecurrenceText } from './recurrence-text.tsx';
import { isCount, LAST_DAY, planOf, proposedPlan, ruleOf, weekdayOf, WEEKDAYS, WEEKS } from './plan.ts';
import type { End, Plan, Unit } from './plan.ts';
import { unitName } from './words.ts';

interface CountInputProps {
  label: string;
  value: number;
  onChange: (value: number) => void;
  max?: number;
}

/** A whole number from 1. Other text is dropped when a person leaves the field. */
function CountInput({ label, value, onChange, max = Number.MAX_SAFE_INTEGER }: CountInputProps) {
  const [text, setText] = useState<string>();
  return (
    <TextInput
      type="number"
      min={1}
      label={label}
      value={text ?? String(value)}
      onChange={({ currentTarget }) => {
        const number = Number(currentTarget.value);
        setText(currentTarget.value);
        if (isCount(number) && number <= max) onChange(number);
      }}
      onBlur={() => setText(undefined)}
    />
  );
}

interface DayFieldsProps {
  plan: Plan;
  dueDate: string;
  onChange: (changes: Partial<Plan>) => void;
}

/** The weekdays of weeks. */
const WeekdaysField = ({ plan, dueDate, onChange }: DayFieldsProps) => (
  <Checkbox.Group
    label="Weekdays"
    value={plan.weekdays.length === 0 ? [weekdayOf(dueDate)] : [...plan.weekdays]}
    // A week has at least one day.
    onChange={(weekdays) => weekdays.length > 0 && onChange({ weekdays })}
  >
    <SimpleGrid cols={2} spacing="xs" verticalSpacing={8} mt={4}>
      {WEEKDAYS.map(({ value, label }) => (
        <Checkbox key={value} value={value} label={label} />
      ))}
    </SimpleGrid>
  </Checkbox.Group>
);

const KINDS = [
  { value: 'date', label: 'A day of the month' },
  { value: 'last', label: 'The last day' },
  { value: 'weekday', label: 'A weekday' },
];
const MAX_DAY = 31;

/** The day of months: a number, the last one, or a weekday. */
function MonthDayField({ plan, dueDate, onChange }: DayFieldsProps) {
  const day = plan.day === '' ? String(Number(dueDate.slice(8))) : plan.day;
  const isWeekday = /[A-Z]/.test(day);
  const kind = isWeekday ? 'weekday' : day === LAST_DAY ? 'last' : 'date';
  const [week, weekday] = isWeekday ? [day.slice(0, -2), day.slice(-2)] : ['1', weekdayOf(dueDate)];
  const dayOf = (chosen: string): string =>
    chosen === 'weekday' ? weekOfDue(dueDate) : chosen === 'last' ? LAST_DAY : String(Number(dueDate.slice(8)));
  return (
    <>
      <NativeSelect
        label="On"
        data={KINDS}
        value={kind}
        onChange={({ currentTarget }) => onChange({ day: dayOf(currentTarget.value) })}
      />
      {kind === 'date' && (
        <>
          <CountInput
            label="Day"
            max={MAX_DAY}
            value={Number(day)}
            onChange={(number) => onChange({ day: String(number) })}
          />
          {Number(day) > 28 && <div className="field-note">Months without this day are skipped.</div>}
        </>
      )}
      {kind === 'weekday' && (
        <Group grow gap="xs" align="flex-end">
          <NativeSelect
            label="Week"
            data={WEEKS}
            value={week}
            onChange={({ currentTarget }) => onChange({ day: `${currentTarget.value}${weekday}` })}
          />
          <NativeSelect
            label="Weekday"
            data={WEEKDAYS}
            value={weekday}
            onChange={({ currentTarget }) => onChange({ day: `${week}${currentTarget.value}` })}
          />
        </Group>
      )}
    </>
  );
}

/** The due date as a weekday of its month: the fifth one is the last. */
function weekOfDue(dueDate: string): string {
  const week = Math.ceil(Number(dueDate.slice(8)) / 7);
  return `${week > 4 ? -1 : week}${weekdayOf(dueDate)}`;
}

const ENDS = [
  { value: 'never', label: 'Never' },
  { value: 'count', label: 'After a number of tasks' },
  { value: 'until', label: 'On a date' },
];
const PROPOSED_COUNT = 4;

interface EndFieldsProps {
  end: End;
  dueDate: string;
  onChange: (end: End) => void;
}

/** The end of a series. */
function EndFields({ end, dueDate, onChange }: EndFieldsProps) {
  const choose = (kind: string) => {
    if (kind === 'count') onChange({ kind, count: PROPOSED_COUNT });
    else if (kind === 'until') onChange({ kind, date: aYearAfter(dueDate) });
    else onChange({ kind: 'never' });
  };
  return (
    <>
      <NativeSelect
        label="Ends"
        data={ENDS}
        value={end.kind}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      {end.kind === 'count' && (
        <CountInput
          label="Tasks, with this one"
          value={end.count}
          onChange={(count) => onChange({ kind: 'count', count })}
        />
      )}
      {end.kind === 'until' && (
        <TextInput
          type="date"
          label="Last date"
          value={end.date}
          onChange={({ currentTarget: { value } }) => value !== '' && onChange({ kind: 'until', date: value })}
        />
      )}
    </>
  );
}

/** 29 February becomes 28 February. */
function aYearAfter(date: string): string {
  const year = Number(date.slice(0, 4)) + 1;
  return date.endsWith('-02-29') ? `${year}-02-28` : `${year}${date.slice(4)}`;
}

const NONE = 'none';
const CUSTOM = 'custom';
const QUARTER = { unit: 'MONTHLY', interval: 3 } as const;

/** Choices for a plan. */
const CHOICES: readonly { value: string; label: string; unit: Unit; interval: number }[] = [
  { value: 'daily', label: 'Daily', unit: 'DAILY', interval: 1 },
  { value: 'weekly', label: 'Weekly', unit: 'WEEKLY', interval: 1 },
  { value: 'monthly', label: 'Monthly', unit: 'MONTHLY', interval: 1 },
  { value: 'quarterly', label: 'Quarterly', ...QUARTER },
  { value: 'yearly', label: 'Yearly', unit: 'YEARLY', interval: 1 },
];

const OPTIONS = [{ value: NONE, label: 'None' }, ...CHOICES, { value: CUSTOM, label: 'Custom' }].map(
  ({ value, label }) => ({ value, label }),
);

const choiceOf = ({ unit, interval }: Plan): string | undefined =>
  (
    CHOICES.find((choice) => choice.unit === unit && choice.interval === interval) ??
    CHOICES.find((choice) => choice.unit === unit)
  )?.value;

interface RecurrenceFormProps {
  /** RRULE; null for none. */
  value: string | null;
  onChange: (value: string | null) => void;
  dueDate: string;
  error: string | undefined;
  /** Puts the focus on the first field. */
  autoFocus?: boolean;
}

/** Chooses a recurrence in words, with the next dates. A rule that words cannot say is behind "Custom". */
function RecurrenceForm({ value, onChange, dueDate, error, autoFocus = false }: RecurrenceFormProps) {
  const plan = value === null ? undefined : planOf(value);
  const [isCustom, setIsCustom] = useState(value !== null && plan === undefined);
  const isRaw = isCustom || (value !== null && plan === undefined);
  const choose = (choice: string) => {
    setIsCustom(choice === CUSTOM);
    const chosen = CHOICES.find((one) => one.value === choice);
    if (choice === NONE) onChange(null);
    else if (chosen !== undefined)
      onChange(ruleOf(proposedPlan(chosen.unit, chosen.interval, dueDate, plan?.end ?? { kind: 'never' })));
    else onChange(value ?? 'FREQ=MONTHLY');
  };
  const change = (changes: Partial<Plan>) => plan !== undefined && onChange(ruleOf({ ...plan, ...changes }));
  return (
    <Stack gap="xs">
      <NativeSelect
        label="Recurrence"
        autoFocus={autoFocus}
        data={OPTIONS}
        value={isRaw ? CUSTOM : plan === undefined ? NONE : choiceOf(plan)}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      {isRaw && (
        <TextInput
          label="Rule"
          description="RRULE of RFC 5545, such as FREQ=MONTHLY;BYDAY=-1FR"
          classNames={{ input: 'mono' }}
          value={value ?? ''}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
      {!isRaw && plan !== undefined && (
        <>
          <CountInput
            label={`Every … ${unitName(plan.unit, 2)}`}
            value={plan.interval}
            onChange={(interval) => change({ interval })}
          />
          {plan.unit === 'WEEKLY' && <WeekdaysField plan={plan} dueDate={dueDate} onChange={change} />}
          {plan.unit === 'MONTHLY' && <MonthDayField plan={plan} dueDate={dueDate} onChange={change} />}
          <EndFields end={plan.end} dueDate={dueDate} onChange={(end) => change({ end })} />
        </>
      )}
      {value !== null && value !== '' && <NextDates rule={value} dueDate={dueDate} />}
      {error !== undefined && <Input.Error role="alert">{error}</Input.Error>}
    </Stack>
  );
}

interface RecurrenceInputProps {
  /** RRULE; null for none. */
  value: string | null;
  onChange: (value: string | null) => void;
  /** Null without one, from which no task recurs. */
  dueDate: string | null;
  error?: string | undefined;
  /** Shows the dates of the tasks that follow beside the words. */
  withDates?: boolean;
  /** Ends the editing with what was entered. Without it the fields stay. */
  onDone?: () => void;
  /** Drops what was entered. */
  onCancel?: () => void;
}

/** A recurrence in words, with a button that opens its fields. */
export function RecurrenceInput(props: RecurrenceInputProps) {
  const { value, onChange, dueDate, error, withDates = false, onDone, onCancel } = props;
  const [isOpen, setIsOpen] = useState(false);
  const [wasOpen, setWasOpen] = useState(false);
  const close = (end: () => void) => {
    end();
    setIsOpen(false);
    setWasOpen(true);
  };
  if (isOpen && dueDate !== null) {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && onCancel !== undefined) close(onCancel);
      if (event.key === 'Enter' && onDone !== undefined && event.target instanceof HTMLInputElement) {
        // The button that comes in place of the fields would be pressed.
        event.preventDefault();
        close(onDone);
      }
    };
    return (
      // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the fields inside have the focus
      <div onKeyDown={onKeyDown}>
        <RecurrenceForm value={value} onChange={onChange} dueDate={dueDate} error={error} autoFocus />
        {onDone !== undefined && (
          <Button variant="default" size="compact-sm" mt="xs" onClick={() => close(onDone)}>
            Done
          </Button>
        )}
      </div>
    );
  }
  return (
    <div>
      <Input.Label labelElement="div" display="block">
        Recurrence
      </Input.Label>
      {value !== null && dueDate !== null && <RecurrenceText rule={value} dueDate={dueDate} withDates={withDates} />}
      {dueDate === null ? (
        <div className="field-note">A recurrence needs a due date.</div>
      ) : (
        <Button variant="default" size="compact-sm" mt={4} autoFocus={wasOpen} onClick={() => setIsOpen(true)}>
          {value === null ? 'Set recurrence' : 'Change recurrence'}
        </Button>
      )}
      {error !== undefined && (
        <Input.Error role="alert" mt={4}>
          {error}
        </Input.Error>
      )}
    </div>
  );
}
