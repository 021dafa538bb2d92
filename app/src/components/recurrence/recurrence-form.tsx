import { Input, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { CountInput } from './count-input.tsx';
import { MonthDayField, WeekdaysField } from './day-fields.tsx';
import { EndFields } from './end-fields.tsx';
import { NextDates } from './next-dates.tsx';
import { planOf, proposedPlan, ruleOf } from './plan.ts';
import type { Plan, Unit } from './plan.ts';
import { unitName } from './words.ts';

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

export interface RecurrenceFormProps {
  /** RRULE; null for none. */
  value: string | null;
  onChange: (value: string | null) => void;
  dueDate: string;
  error: string | undefined;
  /** Puts the focus on the first field. */
  autoFocus?: boolean;
}

/** Chooses a recurrence in words, with the next dates. A rule that words cannot say is behind "Custom". */
export function RecurrenceForm({ value, onChange, dueDate, error, autoFocus = false }: RecurrenceFormProps) {
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
