import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { OPERATOR } from '../../entities/company/user.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { findOldestMail } from '../../entities/inbox/mailing.ts';
import { MAX_MAILS_TO_STRANGER, deleteOldMails } from '../../entities/mail/queued-mail.ts';
import { Encryption } from '../../procedures/core/encryption.ts';
import { queueMail } from '../../procedures/mail/queue.ts';
import { mailResults } from '../../procedures/mail/sender.ts';
import { asOwner, database, sql } from '../support/database/database.ts';
import { smtpError } from '../support/servers/mail-server.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';
import { addItems, setPerson, startMailing, waitingItems } from '../support/tenants/mails.ts';

// Mails that are queued with the change that they are about. Contract, section 31.

const session = new Session(database, null, 'test');
const acme = await createCompany('Acme');
const bob = await createMember(acme, { name: 'Bob' });
const newEmail = () => `${newUniqueId()}@example.com`;

interface Queued {
  kind?: 'invitation' | 'reset' | 'email' | 'account';
  email?: string;
  person?: string | null;
  company?: number | null;
  /** Minutes until the link runs out. */
  minutes?: number;
}

/** Queues a mail. Each has another link. */
async function queue({
  kind = 'account',
  email = newEmail(),
  person = null,
  company = null,
  minutes = 60,
}: Queued = {}) {
  const link = `https://compliance.example.com/reset/${newUniqueId()}`;
  const mail = { to: email, subject: 'Set a new password', text: `Open ${link}`, html: `<a href="${link}">Open</a>` };
  const expiresAt = new Date(Date.now() + minutes * 60_000);
  await session.transaction((inside) => queueMail(inside, services, { kind, mail, person, company, expiresAt }));
  // Due by the clock of a mailing that has started before.
  await sql(
    `update queued_mail set next_attempt_at = now() - interval '1 minute' where email = $1 and attempts = 0`,
    email,
  );
  return { email, link };
}

const rowsOf = (email: string) =>
  sql<{ kind: string; attempts: number; waits: boolean }>(
    'select kind, attempts, content is not null as waits from queued_mail where email = $1 order by created_at, unique_id',
    email,
  );

describe('a queued mail', () => {
  test('is sent once by several processes, and its content is then removed', async () => {
    const mailing = await startMailing();
    const queued = [];
    for (let count = 0; count < 12; count++) queued.push(await queue());
    await Promise.all([mailing.runQueued(), mailing.runQueued(), mailing.runQueued()]);
    const mails = mailing.take();
    expect(mails.map(({ to, text }) => `${to}: ${text.trim()}`).toSorted()).toEqual(
      queued.map(({ email, link }) => `${email}: Open ${link}`).toSorted(),
    );
    for (const { email } of queued)
      expect(await rowsOf(email)).toEqual([{ kind: 'account', attempts: 1, waits: false }]);
    expect(mailing.lines).toEqual([]);
  });

  test('is encrypted in the database', async () => {
    const { email, link } = await queue();
    const [row] = await sql('select * from queued_mail where email = $1', email);
    expect(JSON.stringify(row)).not.toContain(link);
    expect(JSON.stringify(row)).not.toContain('Open');
  });

  test('is sent again after 1, 2, 4, … minutes while its link is valid, and then given up', async () => {
    let attempts = 0;
    const mailing = await startMailing({
      onRcptTo(_address, _session, done) {
        attempts += 1;
        done(smtpError(554, '5.7.1 Relay access denied'));
      },
    });
    const { email } = await queue({ minutes: 20 });
    const { failed } = mailResults;
    const minutes: number[] = [];
    for (let minute = 0; minute <= 40; minute++) {
      const before = attempts;
      await mailing.runQueued();
      if (attempts > before) minutes.push(minute);
      mailing.later(1);
    }
    expect(minutes).toEqual([0, 1, 3, 7, 15]);
    expect(await rowsOf(email)).toEqual([{ kind: 'account', attempts: 6, waits: false }]);
    expect(mailResults.failed).toBe(failed + 1);
    expect(mailing.lines[0]).toMatchObject([{ reply: '554 5.7.1 Relay access denied' }, 'mail: deferred']);
  });

  test('arrives after the mail server was away', async () => {
    let isDown = true;
    const mailing = await startMailing({ onRcptTo: (_a, _s, done) => done(isDown ? smtpError(451) : null) });
    const { email } = await queue();
    await mailing.runQueued();
    isDown = false;
    mailing.later(1);
    await mailing.runQueued();
    expect(mailing.take().map(({ to }) => to)).toEqual([email]);
    expect(await rowsOf(email)).toEqual([{ kind: 'account', attempts: 2, waits: false }]);
  });

  test('to a mailbox that does not exist is given up, and the person gets no items, but further queued mails', async () => {
    let isMissing = true;
    const mailing = await startMailing({
      onRcptTo: (_a, _s, done) => done(isMissing ? smtpError(550, '5.1.1 Unknown') : null),
    });
    const ann = await createMember(acme);
    await queue(ann);
    await queue();
    await mailing.runQueued();
    expect(await rowsOf(ann.email)).toEqual([{ kind: 'account', attempts: 1, waits: false }]);
    expect((await ann.caller.account.notifications.get()).refusedAt).toBe(mailing.now().toISOString());
    isMissing = false;
    await queue(ann);
    await mailing.runQueued();
    expect(mailing.take().map(({ to }) => to)).toEqual([ann.email]);
  });

  test('of a process that was killed after it sent it comes again, when its lease has ended', async () => {
    let kills = 1;
    const mailing = await startMailing({
      around: (send) => async (mail) => {
        const outcome = await send(mail);
        if (kills > 0) {
          kills -= 1;
          throw new Error('killed');
        }
        return outcome;
      },
    });
    const { email } = await queue();
    await mailing.runQueued();
    await mailing.runQueued();
    expect(mailing.take()).toHaveLength(1);
    mailing.later(1.1);
    await mailing.runQueued();
    expect(mailing.take()).toHaveLength(1);
    expect(await rowsOf(email)).toEqual([{ kind: 'account', attempts: 2, waits: false }]);
  });

  test('of a closed company waits until it is open again', async () => {
    const mailing = await startMailing();
    const beta = await createCompany('Beta');
    const setClosed = (closed: string) =>
      asOwner((run) => run(`update company set closed_at = ${closed} where id = $1`, beta.id), {
        company: beta.id,
        user: OPERATOR.uniqueId,
      });
    await setClosed('now()');
    const { email } = await queue({ company: beta.id });
    await mailing.runQueued();
    expect(mailing.take()).toEqual([]);
    await setClosed('null');
    await mailing.runQueued();
    expect(mailing.take().map(({ to }) => to)).toEqual([email]);
  });

  test('that this process cannot read is kept, and does not stop the others', async () => {
    const { email } = await queue();
    const mailing = await startMailing({ encryption: new Encryption([randomBytes(32)]) });
    const unreadable = await queue();
    await mailing.runQueued();
    expect(mailing.take()).toEqual([]);
    expect(mailing.lines).toEqual([[expect.any(Error), 'mail: failed on our side']]);
    expect(await rowsOf(unreadable.email)).toEqual([{ kind: 'account', attempts: 1, waits: true }]);
    expect(await rowsOf(email)).toEqual([]); // of an earlier test
  });

  test('whose link was replaced before it was sent is not sent, but the new one is', async () => {
    const mailing = await startMailing();
    const [ann, beta] = [await createMember(acme), await createCompany('Beta')];
    const person = { person: ann.person, email: ann.email };
    const invited = newEmail();
    await queue({ kind: 'reset', ...person });
    await queue({ kind: 'invitation', email: invited, company: acme.id });
    const sent = [
      await queue({ kind: 'account', ...person }),
      await queue({ kind: 'account', ...person }),
      await queue({ kind: 'reset', ...person }),
      await queue({ kind: 'invitation', email: invited, company: acme.id }),
      await queue({ kind: 'invitation', email: invited, company: beta.id }),
    ];
    await mailing.runQueued();
    expect(
      mailing
        .take()
        .map(({ text }) => text.trim())
        .toSorted(),
    ).toEqual(sent.map(({ link }) => `Open ${link}`).toSorted());
    expect((await rowsOf(invited)).map(({ waits }) => waits)).toEqual([false, false, false]);
  });

  test('that waits is in the metric of the oldest one', async () => {
    await startMailing();
    const { email } = await queue();
    await sql(`update queued_mail set created_at = now() - interval '1 hour' where email = $1`, email);
    const { oldestSeconds } = await session.one(findOldestMail, {});
    expect(oldestSeconds).toBeGreaterThan(3500);
  });

  test('stays for a day after it was sent, and until its link runs out before that', async () => {
    const mailing = await startMailing();
    const sent = await queue({ minutes: 3 * 24 * 60 });
    await mailing.runQueued();
    const waiting = await queue({ minutes: 3 * 24 * 60 });
    const emails = async () =>
      (await sql<{ email: string }>('select email from queued_mail')).map(({ email }) => email);
    const deleteAfter = (hours: number) =>
      session.one(deleteOldMails, { now: new Date(Date.now() + hours * 3_600_000).toISOString() });
    await deleteAfter(23);
    expect((await emails()).toSorted()).toEqual([sent.email, waiting.email].toSorted());
    await deleteAfter(25);
    expect(await emails()).toEqual([waiting.email]);
    await deleteAfter(73);
    expect(await emails()).toEqual([]);
  });
});

describe('an address that is not proven', () => {
  const subjects = (mailing: Awaited<ReturnType<typeof startMailing>>) => mailing.take().length;

  test('gets at most 20 mails in 24 hours, and the others are left out without a word', async () => {
    const mailing = await startMailing();
    const email = newEmail();
    for (let count = 0; count < 25; count++) await queue({ email });
    const other = await queue();
    const { sent, failed } = mailResults;
    await Promise.all([mailing.runQueued(), mailing.runQueued(), mailing.runQueued()]);
    const received = mailing.take().flatMap(({ recipients }) => recipients);
    expect(received.filter((one) => one === email)).toHaveLength(20);
    expect(received).toContain(other.email);
    expect(await rowsOf(email)).toHaveLength(20);
    expect([mailResults.sent - sent, mailResults.failed - failed]).toEqual([21, 0]);
    await queue({ email });
    await mailing.runQueued();
    expect(subjects(mailing)).toBe(0);
    await sql(`update queued_mail set created_at = created_at - interval '24 hours' where email = $1`, email);
    await queue({ email });
    await mailing.runQueued();
    expect(subjects(mailing)).toBe(1);
    expect(mailing.lines).toEqual([]);
  });

  test('is one without an account, and one of an account that is not proven; others get all mails', async () => {
    const mailing = await startMailing();
    const [stranger, proven] = [await createMember(acme), await createMember(acme)];
    await setPerson(proven, 'proven_at = now()');
    for (let count = 0; count < 22; count++) {
      await queue(stranger);
      await queue(proven);
    }
    await mailing.runQueued();
    const received = mailing.take().flatMap(({ recipients }) => recipients);
    expect(received.filter((one) => one === stranger.email)).toHaveLength(20);
    expect(received.filter((one) => one === proven.email)).toHaveLength(22);
  });

  test('gets items within the same limit', async () => {
    const mailing = await startMailing();
    const ann = await createMember(acme);
    const { uniqueId: resource } = await acme.newTask();
    const mailItem = async () => {
      await addItems(acme, ann, { resource, actor: bob.uniqueId, at: mailing.now() });
      mailing.later(2);
      await mailing.run();
      return mailing.take().length;
    };
    for (let count = 1; count < MAX_MAILS_TO_STRANGER; count++) await queue(ann);
    await mailing.runQueued();
    expect(mailing.take()).toHaveLength(19);
    expect(await mailItem()).toBe(1);
    expect((await rowsOf(ann.email)).at(-1)).toEqual({ kind: 'items', attempts: 1, waits: false });
    expect(await mailItem()).toBe(0);
    expect(await waitingItems(ann)).toBe(0);
    await queue(ann);
    await mailing.runQueued();
    expect(mailing.take()).toEqual([]);
    await setPerson(ann, 'proven_at = now()');
    expect(await mailItem()).toBe(1);
    expect(mailing.lines).toEqual([]);
  });
});
