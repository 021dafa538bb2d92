import { Checkbox, Group, NativeSelect, SimpleGrid } from '@mantine/core';
import { CountInput } from './count-input.tsx';
import { LAST_DAY, WEEKDAYS, WEEKS, weekdayOf } from './plan.ts';
import type { Plan } from './plan.ts';

interface DayFieldsProps {
  plan: Plan;
  dueDate: string;
  onChange: (changes: Partial<Plan>) => void;
}

/** The weekdays of weeks. */
export const WeekdaysField = ({ plan, dueDate, onChange }: DayFieldsProps) => (
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
export function MonthDayField({ plan, dueDate, onChange }: DayFieldsProps) {
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
          {Number(day) > 28 && <div className="field-note">Months without this day are left out.</div>}
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
