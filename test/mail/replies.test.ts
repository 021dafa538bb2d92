import { describe, expect, test } from 'vitest';
import { createMailer } from '../../server/mail/mailer.ts';
import { smtpError, startMailServer } from '../support/servers/mail-server.ts';

// What the replies of a mail server mean. Contract, section 31; RFC 5321 and RFC 3463.

const LINK = 'https://compliance.example.com/invitation/secret-token';
const mail = { to: 'ann@example.com', subject: 'Invitation', text: `Open ${LINK}`, html: `<a href="${LINK}">Open</a>` };

/** Sends the mail to a server. */
async function attempt({ url }: { url: string }) {
  const lines: unknown[][] = [];
  const from = { name: '', address: 'noreply@example.com' };
  const { tryMail } = createMailer(url, from, { warn: (...line: unknown[]) => void lines.push(line) });
  return { outcome: await tryMail(mail), lines };
}

const startWithReply = {
  'RCPT TO': (code: number, reply: string) =>
    startMailServer({ onRcptTo: (_address, _session, done) => done(smtpError(code, reply)) }),
  DATA: (code: number, reply: string) =>
    startMailServer({
      onData: (stream, _session, done) => void stream.on('end', () => done(smtpError(code, reply))).resume(),
    }),
};

const REPLIES: [code: number, reply: string, atRecipient: 'rejected' | 'deferred', atData: 'rejected' | 'deferred'][] =
  [
    [550, '5.1.1 User unknown', 'rejected', 'rejected'],
    [550, '5.1.2 Host unknown', 'rejected', 'rejected'],
    [553, '5.1.3 Bad destination mailbox address syntax', 'rejected', 'rejected'],
    [551, '5.1.6 Mailbox has moved', 'rejected', 'rejected'],
    [550, '5.2.1 Mailbox disabled', 'rejected', 'rejected'],
    [550, 'No such user here', 'rejected', 'deferred'],
    [550, '5.1.0 Address rejected', 'deferred', 'deferred'],
    [550, '5.1.8 Bad address of the sender', 'deferred', 'deferred'],
    [550, '5.1.10 Null MX', 'deferred', 'deferred'],
    [552, '5.2.2 Mailbox full', 'deferred', 'deferred'],
    [552, '5.3.4 Message too big', 'deferred', 'deferred'],
    [554, '5.4.14 Hop count exceeded', 'deferred', 'deferred'],
    [550, '5.7.1 Relay access denied', 'deferred', 'deferred'],
    [550, '5.7.26 Unauthenticated mail from example.com is not accepted', 'deferred', 'deferred'],
    [530, '5.7.0 Authentication required', 'deferred', 'deferred'],
    [503, '5.5.1 Bad sequence of commands', 'deferred', 'deferred'],
    [554, 'Transaction failed', 'deferred', 'deferred'],
    [454, '4.7.0 Temporary failure of authentication', 'deferred', 'deferred'],
    [450, '4.2.1 Mailbox busy', 'deferred', 'deferred'],
    [451, '4.7.1 Greylisted', 'deferred', 'deferred'],
    [452, '4.2.2 Mailbox full', 'deferred', 'deferred'],
    [450, '5.1.1 User unknown in a temporary reply', 'deferred', 'deferred'],
  ];

const CASES = REPLIES.flatMap(
  ([code, reply, atRecipient, atData]): [keyof typeof startWithReply, number, string, 'rejected' | 'deferred'][] => [
    ['RCPT TO', code, reply, atRecipient],
    ['DATA', code, reply, atData],
  ],
);

describe('only a mailbox that does not exist rejects mails', () => {
  test.concurrent.for(CASES)('%s: %d %s is %s', async ([command, code, reply, result]) => {
    const { outcome, lines } = await attempt(await startWithReply[command](code, reply));
    expect(outcome).toEqual({ result, reason: `${command}: ${code} ${reply}` });
    expect(lines).toEqual([
      [{ code: expect.any(String), responseCode: code, command, reply: `${code} ${reply}` }, `mail: ${result}`],
    ]);
  });

  test('and not a server that rejects the sender or the connection with the same codes', async () => {
    const sender = await startMailServer({
      onMailFrom: (_address, _session, done) => done(smtpError(550, '5.1.1 Unknown')),
    });
    expect((await attempt(sender)).outcome).toEqual({ result: 'deferred', reason: 'MAIL FROM: 550 5.1.1 Unknown' });
    const connection = await startMailServer({
      onConnect: (_session, done) => done(smtpError(550, '5.1.1 Unknown')),
    });
    expect((await attempt(connection)).outcome).toEqual({ result: 'deferred', reason: 'CONN: 550 5.1.1 Unknown' });
  });
});

describe('a reply', () => {
  test.for([
    [`5.7.1 Spam: "Open ${LINK}"`, '5.7.1 Spam: "Open [link]'],
    ['5.7.1 see www.example.net', '5.7.1 see [link]'],
    ['5.7.1 compliance.example.com/reset/abc is listed', '5.7.1 [link] is listed'],
    [`5.7.1 ${'Ab-_9'.repeat(9)} is listed`, '5.7.1 [link] is listed'],
    ['5.1.1 <ann@example.com>: no such user', '5.1.1 <[address]>: no such user'],
    ['5.7.1 Ä\u202Eb\tc', '5.7.1 Ä b c'],
    [`5.7.1 ${'long '.repeat(100)}`, `5.7.1 ${'long '.repeat(100)}`.slice(0, 296) + '…'],
  ])('is shown in one line, without the links and addresses that it quotes: %s', async ([reply = '', shown]) => {
    const { outcome } = await attempt(await startWithReply['RCPT TO'](554, reply));
    expect(outcome).toMatchObject({ reason: `RCPT TO: 554 ${shown}` });
  });
});
