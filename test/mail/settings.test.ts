import { describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { createCaller } from '../../procedures/index.ts';
import { createMailer } from '../../server/mail/mailer.ts';
import { database } from '../support/database/database.ts';
import { decodeMail, smtpError, startMailServer } from '../support/servers/mail-server.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';
import { APP_URL } from '../support/tenants/mails.ts';

// Settings of a person for mails, and the test of the mail server.

const acme = await createCompany('Acme');

describe('account.notifications', () => {
  test('has defaults, and update changes what it names, for all companies of the person', async () => {
    const { caller, email } = await createMember(acme);
    const { notifications } = caller.account;
    const defaults = { assigned: true, mentioned: true, commented: false, summary: true, refusedAt: null };
    expect(await notifications.get()).toEqual(defaults);
    expect(await notifications.update({})).toEqual(defaults);
    expect(await notifications.update({ assigned: false, commented: true })).toEqual({
      ...defaults,
      assigned: false,
      commented: true,
    });
    const elsewhere = await createMember(await createCompany('Beta'), { email });
    expect(await elsewhere.caller.account.notifications.get()).toEqual({
      ...defaults,
      assigned: false,
      commented: true,
    });
    const other = await createMember(acme);
    expect(await other.caller.account.notifications.get()).toEqual(defaults);
  });
});

describe('management.mail.test', () => {
  /** Caller of the operator in a process that sends mails to this server. */
  const operatorOf = (url: string | undefined) =>
    createCaller({
      requestId: 'test',
      caller: 'operator',
      address: null,
      session: new Session(database, null, 'test'),
      services: {
        ...services,
        appUrl: () => APP_URL,
        tryMail:
          url === undefined
            ? undefined
            : createMailer(url, { name: '', address: 'noreply@example.com' }, { warn: () => {} }).tryMail,
      },
    }).management.mail;

  test('sends a mail', async () => {
    const server = await startMailServer();
    expect(await operatorOf(server.url).test({ to: 'Ann@Example.com' })).toEqual({ sent: true });
    expect(server.received.map(decodeMail)).toMatchObject([
      { to: 'ann@example.com', subject: 'Test of the mail server', text: expect.stringContaining(APP_URL) },
    ]);
  });

  test.for<[string, number, string, string]>([
    ['onRcptTo', 550, '5.1.1 User unknown', 'to: the mailbox does not exist (RCPT TO: 550 5.1.1 User unknown)'],
    [
      'onRcptTo',
      554,
      '5.7.1 Relay access denied',
      'SMTP_URL: the mail was not sent (RCPT TO: 554 5.7.1 Relay access denied)',
    ],
    ['onRcptTo', 451, '4.7.1 Greylisted', 'SMTP_URL: the mail was not sent (RCPT TO: 451 4.7.1 Greylisted)'],
    ['onMailFrom', 553, 'Not yours', 'SMTP_URL: the mail was not sent (MAIL FROM: 553 Not yours)'],
  ])('shows the reply to %s with %d %s', async ([hook, code, reply, message]) => {
    const reject = (_address: unknown, _session: unknown, done: (error: Error) => void) => done(smtpError(code, reply));
    const server = await startMailServer({ [hook]: reject });
    await expect(operatorOf(server.url).test({ to: 'ann@example.com' })).rejects.toMatchObject({ message });
  });

  test('without a mail server and without SMTP_URL names the setting', async () => {
    await expect(operatorOf('smtp://127.0.0.1:1').test({ to: 'ann@example.com' })).rejects.toMatchObject({
      message: 'SMTP_URL: the mail was not sent (CONN: connect ECONNREFUSED 127.0.0.1:1)',
    });
    await expect(operatorOf(undefined).test({ to: 'ann@example.com' })).rejects.toMatchObject({
      message: 'SMTP_URL: required to send email',
    });
  });
});
