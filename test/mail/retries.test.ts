import { describe, expect, test } from 'vitest';
import { mailResults } from '../../procedures/mail/sender.ts';
import { createMailer } from '../../server/mail/mailer.ts';
import { startMailServer, smtpError } from '../support/servers/mail-server.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { addItems, setPerson, startMailing, waitingItems } from '../support/tenants/mails.ts';

// Mails that the mail server does not take. Contract, section 18.

const acme = await createCompany('Acme');
const bob = await createMember(acme, { name: 'Bob' });
const { uniqueId: task } = await acme.newTask({ title: 'Review access rights' });

/** Starts a member with an item that is due. */
async function startWithItem(options: Parameters<typeof startMailing>[0]) {
  const mailing = await startMailing(options);
  const ann = await createMember(acme);
  await addItems(acme, ann, { resource: task, actor: bob.uniqueId, at: mailing.now() });
  mailing.later(2);
  return { mailing, ann };
}

describe('a mail that the server cannot take now', () => {
  test('is sent again after 1, 2, 4, … minutes, at most an hour, and arrives', async () => {
    let attempts = 0;
    let isDown = true;
    const { mailing, ann } = await startWithItem({
      onRcptTo(_address, _session, done) {
        attempts += 1;
        done(isDown ? smtpError(451) : null);
      },
    });
    const { deferred, sent, failed } = mailResults;
    const minutes: number[] = [];
    const start = mailing.now().getTime();
    for (let minute = 0; minute <= 4 * 60; minute++) {
      const before = attempts;
      await mailing.run();
      if (attempts > before) minutes.push((mailing.now().getTime() - start) / 60_000);
      mailing.later(1);
    }
    expect(minutes).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
    expect(await waitingItems(ann)).toBe(1);
    isDown = false;
    mailing.later(2);
    await mailing.run();
    expect(mailing.take()).toHaveLength(1);
    expect(await waitingItems(ann)).toBe(0);
    expect(mailResults).toEqual({ deferred: deferred + 9, sent: sent + 1, failed });
    expect(mailing.lines[0]).toEqual([
      { code: 'EENVELOPE', responseCode: 451, command: 'RCPT TO', reply: '451 no' },
      'mail: deferred',
    ]);
  });

  test('is given up after a day, with the items of that time only', async () => {
    const { mailing, ann } = await startWithItem({ onRcptTo: (_address, _session, done) => done(smtpError(451)) });
    const { failed } = mailResults;
    for (let hour = 0; hour < 24; hour++) {
      await mailing.run();
      mailing.later(60);
    }
    expect(mailResults.failed).toBe(failed);
    await addItems(acme, ann, { resource: task, actor: bob.uniqueId, at: mailing.now() });
    expect(await waitingItems(ann)).toBe(2);
    mailing.later(60);
    await mailing.run();
    expect(await waitingItems(ann)).toBe(1);
    expect(mailResults.failed).toBe(failed + 1);
  });

  test('is deferred while no server listens, and none is lost', async () => {
    const { mailing, ann } = await startWithItem({});
    mailing.server.close();
    for (let hour = 0; hour < 20; hour++) {
      await mailing.run();
      mailing.later(60);
    }
    expect(await waitingItems(ann)).toBe(1);
    const restarted = await startMailServer({}, mailing.server.port);
    await mailing.run();
    expect(restarted.received.map(({ to }) => to)).toEqual([[ann.email]]);
    expect(await waitingItems(ann)).toBe(0);
  });
});

test('a mailbox that rejects mails gets none, and admins see it, until the person saves the settings again', async () => {
  let attempts = 0;
  const { mailing, ann } = await startWithItem({
    onRcptTo(_address, _session, done) {
      attempts += 1;
      done(attempts === 1 ? smtpError(550, `no such user`) : null);
    },
  });
  const { failed } = mailResults;
  const refusedAt = mailing.now().toISOString();
  await mailing.run();
  expect(await waitingItems(ann)).toBe(0);
  expect(mailResults.failed).toBe(failed + 1);
  expect(await ann.caller.account.notifications.get()).toEqual({
    assigned: true,
    mentioned: true,
    commented: false,
    summary: true,
    refusedAt,
  });
  const listed = await bob.caller.management.member.list();
  expect(listed.filter(({ mailRefusedAt }) => mailRefusedAt !== null)).toMatchObject([
    { uniqueId: ann.uniqueId, mailRefusedAt: refusedAt },
  ]);
  await addItems(acme, ann, { resource: task, actor: bob.uniqueId, at: mailing.now() });
  mailing.later(2);
  await mailing.run();
  expect(attempts).toBe(1);
  expect(await waitingItems(ann)).toBe(0);
  expect(await ann.caller.account.notifications.update({})).toMatchObject({ refusedAt: null });
  await addItems(acme, ann, { resource: task, actor: bob.uniqueId, at: mailing.now() });
  mailing.later(2);
  await mailing.run();
  expect(mailing.take()).toHaveLength(1);
});

test('an admin and the operator lift the mark of a mailbox, of an active member of their company only', async () => {
  const [ann, ended, stranger] = [
    await createMember(acme),
    await createMember(acme),
    await createMember(await createCompany('Beta')),
  ];
  const refuse = async () => {
    for (const one of [ann, ended, stranger]) await setPerson(one, 'mail_refused_at = now()');
  };
  await bob.caller.management.member.end({ uniqueId: ended.uniqueId });
  for (const management of [bob.caller.management, acme.manage]) {
    await refuse();
    const resume = (uniqueId: string) => management.member.resumeMail({ uniqueId });
    expect(await resume(ann.uniqueId)).toMatchObject({ uniqueId: ann.uniqueId, mailRefusedAt: null });
    expect(await resume(ann.uniqueId)).toMatchObject({ mailRefusedAt: null });
    await expect(resume(ended.uniqueId)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(resume(stranger.uniqueId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await stranger.caller.account.notifications.get()).refusedAt).not.toBeNull();
  }
});

describe('an attempt', () => {
  const mail = { to: 'ann@example.com', subject: 'Test', text: 'Test', html: '<p>Test</p>' };
  const mailerOf = (url: string, attemptTimeoutMs?: number) =>
    createMailer(
      url,
      { name: '', address: 'noreply@example.com' },
      { warn: () => {} },
      attemptTimeoutMs === undefined ? {} : { attemptTimeoutMs },
    );

  test('with a wrong password is deferred', async () => {
    const server = await startMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(new Error('5.7.8 wrong')),
    });
    const outcome = await mailerOf(server.url.replace('://', '://user:wrong@')).tryMail(mail);
    expect(outcome).toEqual({ result: 'deferred', reason: 'AUTH PLAIN: 535 5.7.8 [password]' });
  });

  test('that has no outcome in time is deferred, and so is one at the end of the process', async () => {
    const silent = { onRcptTo: () => {} };
    const server = await startMailServer(silent);
    const noResponse = { result: 'deferred', reason: 'no response in time' };
    expect(await mailerOf(server.url, 50).tryMail(mail)).toEqual(noResponse);
    const mailer = mailerOf(server.url);
    const outcome = mailer.tryMail(mail);
    mailer.endAttempts(0);
    expect(await outcome).toEqual(noResponse);
  });
});

test('a person who turned everything off gets no mail after a failure either', async () => {
  let isDown = true;
  const { mailing, ann } = await startWithItem({ onRcptTo: (_a, _s, done) => done(isDown ? smtpError(451) : null) });
  await mailing.run();
  await setPerson(ann, 'mail_assigned = false');
  isDown = false;
  mailing.later(1);
  await mailing.run();
  expect(mailing.take()).toEqual([]);
  expect(await waitingItems(ann)).toBe(0);
});
