import { dateText, shortDate } from '../../dates.ts';
import { LAST_DAY, WEEKS, planOf, weekdayName, weekdayOf } from './plan.ts';
import type { Plan, Unit } from './plan.ts';

const UNIT_NAMES = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' } as const satisfies Record<
  Unit,
  string
>;

/** "month", "months" */
export const unitName = (unit: Unit, count: number): string => `${UNIT_NAMES[unit]}${count === 1 ? '' : 's'}`;

const list = new Intl.ListFormat('en');

/** A rule as people read it: "Every 3 months on the last day". @param dueDate date from which it starts; missing if it is unknown */
export function ruleText(rule: string, dueDate?: string): string {
  const plan = planOf(rule);
  return plan === undefined ? `Custom rule ${rule}` : `${everyText(plan, dueDate)}${endText(plan)}`;
}

function everyText(plan: Plan, dueDate: string | undefined): string {
  const { unit, interval } = plan;
  const every = interval === 1 ? `Every ${unitName(unit, 1)}` : `Every ${interval} ${unitName(unit, interval)}`;
  if (unit === 'DAILY') return every;
  const ofDate = dueDate === undefined ? undefined : { day: dueDate.slice(8), weekdays: [weekdayOf(dueDate)] };
  if (unit === 'YEARLY') return dueDate === undefined ? every : `${every} on ${shortDate(dueDate)}`;
  const day = plan.day === '' ? ofDate?.day : plan.day;
  if (unit === 'MONTHLY') return day === undefined ? every : `${every} on ${dayText(day)}`;
  const weekdays = plan.weekdays.length === 0 ? ofDate?.weekdays : plan.weekdays;
  if (weekdays === undefined) return every;
  const names = list.format(weekdays.map(weekdayName));
  if (interval > 2 || weekdays.length > 1) return `${every} on ${names}`;
  return interval === 1 ? `Every ${names}` : `Every second ${names}`;
}

/** A day of a month: "day 12", "the last day", "the first Monday". */
function dayText(day: string): string {
  if (day === LAST_DAY) return 'the last day';
  if (/^\d+$/.test(day)) return `day ${Number(day)}`;
  const week = WEEKS.find(({ value }) => value === day.slice(0, -2));
  return `the ${week?.label ?? ''} ${weekdayName(day.slice(-2))}`;
}

function endText({ end }: Plan): string {
  if (end.kind === 'until') return `, until ${dateText(end.date)}`;
  if (end.kind === 'never') return '';
  return end.count === 1 ? ', this task is the last one' : `, ${end.count} tasks with this one`;
}
