import { describe, expect, test } from 'vitest';
import { mailResults } from '../../procedures/mail/sender.ts';
import { todayIn } from '../../procedures/schemas/time-zone.ts';
import { sql } from '../support/database/database.ts';
import { smtpError } from '../support/servers/mail-server.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';
import { APP_URL, expectPlainHtml, setPerson, startMailing } from '../support/tenants/mails.ts';

// Summaries of the day. Contract, section 18.

const acme = await createCompany('Acme');
const DAY_MS = 86_400_000;

const addDays = (date: string, days: number) => new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);

/** Adds a summary that is due. */
const addSummary = ({ id }: { id: number }, { uniqueId }: TestMember, at: Date) =>
  sql(
    `insert into summary_mail (company_id, member_id, day, next_attempt_at, created_at)
    values ($1, $2, $3::timestamptz::date, $3::timestamptz, $3::timestamptz)`,
    id,
    uniqueId,
    at.toISOString(),
  );

const summariesOf = ({ uniqueId }: TestMember) =>
  sql('select attempts from summary_mail where member_id = $1', uniqueId);

const formatted = (date: string) =>
  new Date(date).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

describe('a summary', () => {
  test('has the open tasks of the member that are overdue or due within seven days', async () => {
    const mailing = await startMailing();
    const company = await createCompany('Kiri');
    await company.manage.settings.update({ timeZone: 'Pacific/Kiritimati' });
    const ann = await createMember(company);
    const bob = await createMember(company);
    const today = todayIn('Pacific/Kiritimati', mailing.now());
    const assigned = { assigneeId: ann.uniqueId, description: '<p>Secret</p>' };
    const late = await company.newTask({ ...assigned, title: 'Late', dueDate: addDays(today, -1) });
    const soon = await company.newTask({ ...assigned, title: 'Soon', dueDate: addDays(today, 7) });
    const now = await company.newTask({ ...assigned, title: 'Today', dueDate: today });
    await company.newTask({ ...assigned, title: 'Later', dueDate: addDays(today, 8) });
    await company.newTask({ ...assigned, title: 'Any day' });
    await company.newTask({ assigneeId: bob.uniqueId, title: 'Of Bob', dueDate: today });
    const closed = await company.newTask({ ...assigned, title: 'Closed', dueDate: today });
    await company.task.update({ taskUniqueId: closed.uniqueId, status: 'done' });
    const archived = await company.manage.framework.create({ name: 'Archived' });
    await company.newTask({ ...assigned, framework: archived.id, title: 'Archived', dueDate: today });
    await company.manage.framework.archive({ id: archived.id });
    await addSummary(company, ann, mailing.now());
    await mailing.run();
    const [mail, ...others] = mailing.take();
    expect(others).toEqual([]);
    expect(mail).toMatchObject({
      recipients: [ann.email],
      subject: 'Your tasks: 1 overdue, 2 due within seven days',
    });
    expect(mail?.text.split('\n--\n')[0]).toBe(`These tasks in Kiri are assigned to you.

Overdue

- ${formatted(addDays(today, -1))}: Late
  ${APP_URL}/tasks/${late.uniqueId}

Due within seven days

- ${formatted(today)}: Today
  ${APP_URL}/tasks/${now.uniqueId}
- ${formatted(addDays(today, 7))}: Soon
  ${APP_URL}/tasks/${soon.uniqueId}

Open your tasks:
${APP_URL}/tasks?assignee=${ann.uniqueId}
`);
    expect(`${mail?.text}${mail?.html}`).not.toContain('Secret');
    expectPlainHtml(mail?.html ?? '');
    expect(await summariesOf(ann)).toEqual([]);
  });

  test('has at most 20 tasks, and a link to all', async () => {
    const mailing = await startMailing();
    const ann = await createMember(acme);
    const today = todayIn('UTC', mailing.now());
    for (let count = 0; count < 23; count++)
      await acme.newTask({ assigneeId: ann.uniqueId, title: `Task ${count}`, dueDate: today });
    await addSummary(acme, ann, mailing.now());
    await mailing.run();
    const [mail] = mailing.take();
    expect(mail?.text.match(/^- /gm)).toHaveLength(21);
    expect(mail?.text).toContain(`- and 3 more\n  ${APP_URL}/tasks?assignee=${ann.uniqueId}&due=week\n`);
  });

  test('without a task, and one that is off, is not sent', async () => {
    const mailing = await startMailing();
    const [idle, off, limited, ended] = await Promise.all([
      createMember(acme),
      createMember(acme),
      createMember(acme, { role: 'editor' }),
      createMember(acme),
    ]);
    const admin = await createMember(acme);
    const other = await acme.manage.framework.create({ name: `Other ${limited.uniqueId}` });
    const dueDate = todayIn('UTC', mailing.now());
    for (const { uniqueId: assigneeId } of [off, limited, ended]) await acme.newTask({ assigneeId, dueDate });
    await off.caller.account.notifications.update({ summary: false });
    await admin.caller.management.member.update({ uniqueId: limited.uniqueId, frameworks: [other.id] });
    await admin.caller.management.member.end({ uniqueId: ended.uniqueId });
    for (const member of [idle, off, limited, ended]) await addSummary(acme, member, mailing.now());
    await mailing.run();
    expect(mailing.take()).toEqual([]);
    expect(await sql('select * from summary_mail')).toEqual([]);
    expect(mailing.lines).toEqual([]);
  });

  test('is sent once by two processes', async () => {
    const mailing = await startMailing();
    const ann = await createMember(acme);
    await acme.newTask({ assigneeId: ann.uniqueId, dueDate: todayIn('UTC', mailing.now()) });
    await addSummary(acme, ann, mailing.now());
    await Promise.all([mailing.run(), mailing.run(), mailing.run()]);
    expect(mailing.take()).toHaveLength(1);
  });
});

describe('a summary that the server does not take', () => {
  test('is sent again after growing pauses, and given up after a day', async () => {
    const mailing = await startMailing({ onRcptTo: (_address, _session, done) => done(smtpError(451)) });
    const ann = await createMember(acme);
    await acme.newTask({ assigneeId: ann.uniqueId, dueDate: todayIn('UTC', mailing.now()) });
    await addSummary(acme, ann, mailing.now());
    const { deferred, failed } = mailResults;
    for (const minutes of [0, 1, 2, 4]) {
      mailing.later(minutes);
      await mailing.run();
      await mailing.run();
    }
    expect(await summariesOf(ann)).toEqual([{ attempts: 4 }]);
    expect(mailResults).toMatchObject({ deferred: deferred + 4, failed });
    mailing.later(24 * 60);
    await mailing.run();
    expect(await summariesOf(ann)).toEqual([]);
    expect(mailResults).toMatchObject({ deferred: deferred + 5, failed: failed + 1 });
  });

  test('is given up if the mailbox rejects it', async () => {
    const mailing = await startMailing({ onRcptTo: (_address, _session, done) => done(smtpError(550)) });
    const ann = await createMember(acme);
    await acme.newTask({ assigneeId: ann.uniqueId, dueDate: todayIn('UTC', mailing.now()) });
    await addSummary(acme, ann, mailing.now());
    await mailing.run();
    expect(await summariesOf(ann)).toEqual([]);
    const { refusedAt } = await ann.caller.account.notifications.get();
    expect(refusedAt).toBe(mailing.now().toISOString());
    await setPerson(ann, 'mail_refused_at = null');
  });
});
