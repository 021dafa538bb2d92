import { beforeEach, describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { addReminders, listReminderStates } from '../../entities/inbox/reminders.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { lastReminderDay, reminderDays } from '../../procedures/inbox/jobs.ts';
import { asOwner, database, sql } from '../support/database/database.ts';
import { createCommenters } from '../support/tenants/comments.ts';
import { dateIn, fillInboxes, morning, newItems, readAll, remind } from '../support/tenants/inbox.ts';

describe('the days of reminders', () => {
  const days = (timeZone: string, remindedOn: string | null, now: string) =>
    reminderDays(timeZone, remindedOn, lastReminderDay(timeZone, new Date(now))).map(
      ({ day, at }) => `${day} ${at.toISOString()}`,
    );

  test('begin at 07:00 in the time zone of the company', () => {
    expect(days('Europe/Berlin', '2026-01-14', '2026-01-15T05:59:59Z')).toEqual([]);
    expect(days('Europe/Berlin', '2026-01-14', '2026-01-15T06:00:00Z')).toEqual([
      '2026-01-15 2026-01-15T06:00:00.000Z',
    ]);
    expect(days('Pacific/Kiritimati', '2026-01-14', '2026-01-14T17:00:00Z')).toEqual([
      '2026-01-15 2026-01-14T17:00:00.000Z',
    ]);
  });

  test.each([
    ['the start', '2026-03-28', '2026-03-29', '2026-03-29T05:00:00.000Z'],
    ['the end', '2026-10-24', '2026-10-25', '2026-10-25T06:00:00.000Z'],
  ])('are at 07:00 of the clocks on %s of summer time', (_, before, day, at) => {
    expect(days('Europe/Berlin', before, at)).toEqual([`${day} ${at}`]);
    expect(days('Europe/Berlin', before, new Date(Date.parse(at) - 1).toISOString())).toEqual([]);
  });

  test('are those that were missed, at most 90', () => {
    expect(days('UTC', '2026-03-01', '2026-03-04T08:00:00Z')).toEqual([
      '2026-03-02 2026-03-02T07:00:00.000Z',
      '2026-03-03 2026-03-03T07:00:00.000Z',
      '2026-03-04 2026-03-04T07:00:00.000Z',
    ]);
    expect(days('UTC', '2025-01-01', '2026-03-04T08:00:00Z')).toHaveLength(90);
  });

  test('are none before the first one, nor while the clocks of a new time zone are behind', () => {
    expect(days('UTC', null, '2026-03-04T08:00:00Z')).toEqual([]);
    expect(lastReminderDay('UTC', new Date('2026-03-04T06:59:59Z'))).toBe('2026-03-03');
    expect(lastReminderDay('UTC', new Date('2026-03-04T08:00:00Z'))).toBe('2026-03-04');
    expect(days('America/Los_Angeles', '2026-03-04', '2026-03-04T08:00:00Z')).toEqual([]);
  });
});

type Commenters = Awaited<ReturnType<typeof createCommenters>>;
let { acme, ann, ben }: Commenters = {} as Commenters;
beforeEach(async () => {
  ({ acme, ann, ben } = await createCommenters());
  await fillInboxes(acme);
});

const newTask = (title: string, due: number, fields: object = {}) =>
  acme.newTask({ title, dueDate: dateIn(due), assigneeId: ben.uniqueId, ...fields });

describe('a reminder', () => {
  test('comes seven days before, on the day and once the day after, each once', async () => {
    await remind(acme, morning(0));
    await newTask('Review', 10);
    await readAll(acme, ben);
    for (const [day, expected] of [
      [1, []],
      [3, ['due: Review']],
      [3, []],
      [9, []],
      [10, ['due: Review']],
      [11, ['overdue: Review']],
      [12, []],
      [20, []],
    ] as const) {
      await remind(acme, morning(day));
      expect({ day, items: await newItems(ben) }).toEqual({ day, items: [...expected] });
    }
  });

  test('does not come before 07:00', async () => {
    await remind(acme, morning(0));
    await newTask('Review', 8);
    await readAll(acme, ben);
    await remind(acme, new Date(morning(1).getTime() - 1000));
    expect(await newItems(ben)).toEqual([]);
    await remind(acme, morning(1));
    expect(await newItems(ben)).toEqual(['due: Review']);
  });

  test('that was missed in a downtime comes late, once', async () => {
    await remind(acme, morning(0));
    await newTask('First', 8);
    await newTask('Second', 3);
    await readAll(acme, ben);
    await remind(acme, morning(9));
    expect(await newItems(ben)).toEqual([
      'due: First',
      'due: First',
      'due: Second',
      'overdue: First',
      'overdue: Second',
    ]);
    await remind(acme, morning(9));
    expect(await newItems(ben)).toEqual([]);
  });

  test('whose time was past when the date or the person was set does not come', async () => {
    await remind(acme, morning(-2));
    const { uniqueId: taskUniqueId } = await newTask('Late', 6);
    const unassigned = await newTask('Late person', 6, { assigneeId: null });
    await acme.task.update({ taskUniqueId: unassigned.uniqueId, assigneeId: ben.uniqueId });
    await readAll(acme, ben);
    await remind(acme, morning(-1));
    expect(await newItems(ben)).toEqual([]);
    await acme.task.update({ taskUniqueId, dueDate: dateIn(9) });
    await remind(acme, morning(2));
    expect(await newItems(ben)).toEqual(['due: Late']);
  });

  test('comes to who has the task then, and only for open tasks of frameworks that are not archived', async () => {
    await remind(acme, morning(0));
    const moved = await newTask('Moved', 8);
    const done = await newTask('Done', 8);
    const archived = await acme.manage.framework.create({ name: 'SOC 2' });
    await newTask('Archived', 8, { framework: archived.id });
    await acme.task.update({ taskUniqueId: moved.uniqueId, assigneeId: ann.uniqueId });
    await acme.task.update({ taskUniqueId: done.uniqueId, status: 'done' });
    await acme.manage.framework.archive({ id: archived.id });
    await readAll(acme, ben);
    await newItems(ann);
    await remind(acme, morning(1));
    expect(await newItems(ben)).toEqual([]);
    expect(await newItems(ann)).toEqual(['due: Moved']);
  });

  test('of a key that expires within 14 days comes to admins once, also if the date was set later', async () => {
    await remind(acme, morning(0));
    await acme.manage.apiKey.create({ name: 'Short', expiresAt: morning(5).toISOString() });
    await acme.manage.apiKey.create({ name: 'Long', expiresAt: morning(20).toISOString() });
    await remind(acme, morning(1));
    expect(await newItems(ann)).toEqual(['key: Short']);
    await remind(acme, morning(2));
    expect(await newItems(ann)).toEqual([]);
    await remind(acme, morning(6));
    expect(await newItems(ann)).toEqual(['key: Long']);
    expect(await newItems(ben)).toEqual([]);
  });
});

test('several processes add the reminders of a day once', async () => {
  await remind(acme, morning(0));
  for (let index = 0; index < 20; index += 1) await newTask(`Task ${index}`, 8);
  await readAll(acme, ben);
  await Promise.all(Array.from({ length: 4 }, () => remind(acme, morning(1))));
  expect(await newItems(ben)).toHaveLength(20);
  const [row] = await sql(
    'select count(*)::int as count from inbox_item where company_id = $1 and reason = $2',
    acme.id,
    'due',
  );
  expect(row).toEqual({ count: 20 });
});

test('the summaries of the day wait for mail, one for each member with something that is due', async () => {
  await newTask('Soon', 7);
  await acme.newTask({ title: 'Later', dueDate: dateIn(9), assigneeId: ann.uniqueId });
  const session = new Session(database, operatorPrincipal(acme.id), 'test');
  await remind(acme, morning(-1));
  const at = morning(0).toISOString();
  const input = { days: [dateIn(0)], times: [at], remindedOn: dateIn(-1), today: dateIn(0), now: at, hasMail: true };
  expect(await session.one(addReminders, input)).toMatchObject({ moved: true });
  const rows = await sql('select member_id, day::text as day from summary_mail where company_id = $1', acme.id);
  expect(rows).toEqual([{ member_id: ben.uniqueId, day: dateIn(0) }]);
  expect(await session.one(addReminders, input)).toEqual({ moved: false, items: 0 });
  const states = await new Session(database, null, 'test').run(listReminderStates, {});
  expect(states.find(({ id }) => id === acme.id)).toMatchObject({ remindedOn: dateIn(0), timeZone: 'UTC' });
  await asOwner(async (run) => void (await run('delete from summary_mail where company_id = $1', acme.id)));
});

describe('a reminder of a vendor', () => {
  const newVendor = (name: string, fields: object) => acme.vendor.create({ name, ownerId: ben.uniqueId, ...fields });

  test('comes to the owner 30 days before the review and on the day, each once', async () => {
    await remind(acme, morning(0));
    await newVendor('Cloud', { nextReview: dateIn(40) });
    await readAll(acme, ben);
    for (const [day, expected] of [
      [9, []],
      [10, ['review: Cloud']],
      [10, []],
      [39, []],
      [40, ['review: Cloud']],
      [41, []],
    ] as const) {
      await remind(acme, morning(day));
      expect({ day, items: await newItems(ben) }).toEqual({ day, items: [...expected] });
    }
    expect(await newItems(ann)).toEqual([]);
    const { items } = await ben.caller.inbox.list({});
    expect(items.filter(({ reason }) => reason === 'review').map(({ date }) => date)).toEqual([dateIn(40), dateIn(40)]);
  });

  test('comes 60 days before the end of the contract', async () => {
    await remind(acme, morning(0));
    await newVendor('Cloud', { contractEnd: dateIn(65) });
    await readAll(acme, ben);
    await remind(acme, morning(4));
    expect(await newItems(ben)).toEqual([]);
    await remind(acme, morning(5));
    expect(await newItems(ben)).toEqual(['contract: Cloud']);
    await remind(acme, morning(65));
    expect(await newItems(ben)).toEqual([]);
  });

  test('comes late after downtime, and not for an archived vendor or one without an owner', async () => {
    await remind(acme, morning(0));
    await newVendor('Late', { nextReview: dateIn(31) });
    await newVendor('Nobody', { nextReview: dateIn(31), ownerId: null });
    const { uniqueId: vendor } = await newVendor('Archived', { nextReview: dateIn(31) });
    await acme.vendor.update({ vendor, status: 'archived' });
    await readAll(acme, ben);
    await remind(acme, morning(20));
    expect(await newItems(ben)).toEqual(['review: Late']);
  });

  test('is not caught up for a date or an owner that is set later', async () => {
    await remind(acme, morning(-3));
    await newVendor('New', { nextReview: dateIn(29) });
    const { uniqueId: vendor } = await newVendor('Reviewed', { reviewEveryMonths: 1 });
    await acme.vendor.review({ vendor, nextReview: dateIn(28) });
    await readAll(acme, ben);
    await remind(acme, morning(0));
    expect(await newItems(ben)).toEqual([]);
    await remind(acme, morning(29));
    expect(await newItems(ben)).toEqual(['review: New', 'review: Reviewed']);
  });
});
