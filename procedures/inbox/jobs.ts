import { setTimeout as wait } from 'node:timers/promises';
import { addInboxReaders, fanOutItems, findInboxCompanies, findInboxLag } from '../../entities/inbox/fan-out.ts';
import { addReminders, listReminderStates } from '../../entities/inbox/reminders.ts';
import type { ReminderDays } from '../../entities/inbox/reminders.ts';
import type { CompaniesJob } from '../jobs/job.ts';
import { clockOf, timeAt } from '../schemas/time-zone.ts';

/** Hour of the day at which reminders come, in the time zone of the company. */
const REMINDER_HOUR = 7;
/** Maximum number of days whose reminders are added after a downtime: as long as items are kept. */
const MAX_DAYS = 90;
const DAY_MS = 86_400_000;

/** A day with the time of its reminders. */
interface ReminderDay {
  day: string;
  at: Date;
}

const dayOf = (clock: number): string => new Date(clock).toISOString().slice(0, 10);

/** The last day in a time zone whose reminders are due. */
export const lastReminderDay = (timeZone: string, now: Date): string =>
  dayOf(clockOf(now, timeZone) - REMINDER_HOUR * 3_600_000);

/**
 * The days whose reminders are due, oldest first. After a downtime they are those that were missed.
 * @param remindedOn day of the last reminders; null if there were none: then nothing is due before the next day
 * @param today the last of these days, from `lastReminderDay`
 */
export function reminderDays(timeZone: string, remindedOn: string | null, today: string): ReminderDay[] {
  if (remindedOn === null) return [];
  const count = Math.min(MAX_DAYS, Math.round((Date.parse(today) - Date.parse(remindedOn)) / DAY_MS));
  return Array.from({ length: Math.max(0, count) }, (_, index): ReminderDay => {
    const midnight = Date.parse(today) - (count - 1 - index) * DAY_MS;
    return { day: dayOf(midnight), at: timeAt(midnight + REMINDER_HOUR * 3_600_000, timeZone) };
  });
}

/** Milliseconds after new seals until one statement reads them. */
const COLLECT_MS = 20;

/** Items that this process added. */
const inboxItems = { added: 0 };

/** Adds the items of new events to the inboxes of all companies, as a second reader of the seals. */
export const fanOut: CompaniesJob = {
  kind: 'companies',
  name: 'fill-inboxes',
  failure: 'inbox: adding items failed',
  companyFailure: 'inbox: adding items of a company failed',
  intervalMs: 1000,
  gauges: [
    {
      name: 'inbox_seals_waiting',
      help: 'Sealed events that the inboxes have not read; NaN if the query fails',
      statement: findInboxLag,
      columns: ['seals'],
    },
  ],
  counters: [{ name: 'inbox_items_total', help: 'Items that this process added to inboxes', counts: inboxItems }],
  open({ database, session, mail }) {
    /** Resolves when there may be seals that the last search has missed. */
    let sealed = database.seals.next();
    return {
      async companies() {
        sealed = database.seals.next();
        const companies = await session.run(findInboxCompanies, {});
        if (companies.some(({ isNew }) => isNew)) await session.run(addInboxReaders, {});
        return companies.map(({ id }) => id);
      },
      async runSlice(company) {
        const { moved, items } = await session.asOperator(company).one(fanOutItems, { hasMail: mail !== undefined });
        inboxItems.added += items;
        return moved;
      },
      async next() {
        await sealed;
        await wait(COLLECT_MS, undefined, { ref: false });
      },
    };
  },
};

/** Adds the reminders of all companies at 07:00 in their time zones. */
export const reminders: CompaniesJob = {
  kind: 'companies',
  name: 'add-reminders',
  failure: 'inbox: adding reminders failed',
  companyFailure: 'inbox: adding reminders of a company failed',
  intervalMs: 10_000,
  open({ session, mail, now = () => new Date() }) {
    /** Companies whose reminders are due. */
    let due = new Map<number, ReminderDays>();
    return {
      async companies() {
        const time = now();
        // Once for each time zone: for each of 10,000 companies it would keep the thread of the requests busy for 0.6 s.
        const lastDays = new Map<string, string>();
        due = new Map();
        for (const { id, timeZone, remindedOn } of await session.run(listReminderStates, {})) {
          const today = lastDays.get(timeZone) ?? lastReminderDay(timeZone, time);
          lastDays.set(timeZone, today);
          const days = reminderDays(timeZone, remindedOn, today);
          if (remindedOn !== null && days.length === 0) continue;
          due.set(id, {
            today,
            remindedOn,
            days: days.map(({ day }) => day),
            times: days.map(({ at }) => at.toISOString()),
            now: time.toISOString(),
            hasMail: mail !== undefined,
          });
        }
        return [...due.keys()];
      },
      async runSlice(company) {
        const days = due.get(company);
        if (days === undefined) return false;
        const { items } = await session.asOperator(company).one(addReminders, days);
        inboxItems.added += items;
        return false;
      },
    };
  },
};
