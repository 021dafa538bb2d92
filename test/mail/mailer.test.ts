import { expect, test } from 'vitest';
import { MAX_PENDING_MAILS, createMailer } from '../../server/mail/mailer.ts';
import { redactor } from '../../server/telemetry/redact.ts';
import { smtpError, startMailServer } from '../support/servers/mail-server.ts';
import type { Received } from '../support/servers/mail-server.ts';
import { runProgram, startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

/** Creates a mailer whose log lines are kept. */
function createTestMailer(url: string) {
  const lines: unknown[][] = [];
  const mailer = createMailer(
    url,
    'noreply@example.com',
    { warn: (...line: unknown[]) => void lines.push(line) },
    { retryDelayMs: 1 },
  );
  return { ...mailer, lines };
}

const LINK = 'https://compliance.example.com/invitation/secret-token';
const mail = { to: 'ann@example.com', subject: 'Invitation', text: `Open ${LINK}`, html: `<a href="${LINK}">Open</a>` };

const headersOf = ({ message }: Received) => message.slice(0, message.indexOf('\r\n\r\n'));

test('a mail has the sender of the settings, its recipient, its subject and its text', async () => {
  const server = await startMailServer();
  const { sendMail, stop, lines } = createTestMailer(`smtp://127.0.0.1:${server.port}`);
  sendMail({ ...mail, subject: 'Einladung für Ännchen' });
  await stop(10_000);
  expect(lines).toEqual([]);
  expect(server.received).toEqual([
    { from: 'noreply@example.com', to: ['ann@example.com'], message: expect.stringContaining(LINK) },
  ]);
  expect(server.received.map(headersOf).join('\n')).toMatch(/^Subject: =\?UTF-8\?/m);
});

test('line breaks in a subject begin no header, and a recipient is one address', async () => {
  const server = await startMailServer();
  const { sendMail, stop } = createTestMailer(`smtp://127.0.0.1:${server.port}`);
  sendMail({ ...mail, subject: 'Join Acme\r\nBcc: mallory@example.com\r\n\r\nBody\nX-A: 1\u0000\u2028' });
  sendMail({ ...mail, to: 'ann@example.com, mallory@example.com' });
  sendMail({ ...mail, to: 'ann@example.com\r\nBcc: mallory@example.com' });
  await stop(10_000);
  const names = server.received.flatMap((one) => headersOf(one).match(/^[\w-]+(?=:)/gm) ?? []);
  expect(names).not.toContain('Bcc');
  expect(names).not.toContain('X-A');
  expect(server.received.flatMap(({ to }) => to)).not.toContain('mallory@example.com');
  const [first] = server.received;
  expect(first?.message).toMatch(/^Subject: Join Acme Bcc: mallory@example\.com Body X-A: 1/m);
});

test('a mail that the server rejects is logged without its text, and is not sent again', async () => {
  let attempts = 0;
  const server = await startMailServer({
    onRcptTo(_, __, done) {
      attempts += 1;
      done(smtpError(550, `rejected because of ${LINK}`));
    },
  });
  const { sendMail, stop, lines } = createTestMailer(`smtp://127.0.0.1:${server.port}`);
  sendMail(mail);
  await stop(10_000);
  expect(lines).toEqual([[{ code: 'EENVELOPE', responseCode: 550, command: 'RCPT TO' }, 'mail: not sent']]);
  expect(attempts).toBe(1);
});

test.each([
  ['and arrives', 1, { attempts: 2, received: 1, lines: 0 }],
  ['but not more often', 5, { attempts: 2, received: 0, lines: 1 }],
])('a mail that the server cannot take now is sent again once, %s', async (_, failures, expected) => {
  let attempts = 0;
  const server = await startMailServer({
    onRcptTo(_address, _session, done) {
      attempts += 1;
      done(attempts <= failures ? smtpError(451) : null);
    },
  });
  const { sendMail, stop, lines } = createTestMailer(`smtp://127.0.0.1:${server.port}`);
  sendMail(mail);
  await stop(10_000);
  expect({ attempts, received: server.received.length, lines: lines.length }).toEqual(expected);
});

test('at most 5 mails are sent at a time, at most 1,000 wait, and further ones are logged', async () => {
  let open = 0;
  let most = 0;
  const server = await startMailServer({
    maxClients: 100,
    onConnect(_, done) {
      open += 1;
      most = Math.max(most, open);
      done();
    },
    onClose() {
      open -= 1;
    },
  });
  const { sendMail, stop, lines } = createTestMailer(`smtp://127.0.0.1:${server.port}`);
  for (let count = 0; count < MAX_PENDING_MAILS + 2; count++) sendMail(mail);
  expect(lines).toEqual(
    Array.from({ length: 2 }, () => [{ waiting: MAX_PENDING_MAILS }, 'mail: not sent, because too many wait']),
  );
  await stop(60_000);
  expect(server.received).toHaveLength(MAX_PENDING_MAILS);
  expect(most).toBeLessThanOrEqual(6); // the server notices the end of a connection later
  sendMail(mail);
  await stop(10_000);
  expect(server.received).toHaveLength(MAX_PENDING_MAILS + 1);
});

test('without a mail server the mail is logged, and the password is in no line', async () => {
  const server = await startMailServer();
  const closed = Promise.withResolvers<void>();
  server.close();
  setImmediate(closed.resolve);
  await closed.promise;
  const url = `smtp://user:pass-word-123@127.0.0.1:${server.port}`;
  const { sendMail, stop, lines } = createTestMailer(url);
  sendMail(mail);
  await stop(10_000);
  expect(lines).toEqual([[{ code: 'ESOCKET', responseCode: undefined, command: 'CONN' }, 'mail: not sent']]);
  expect(redactor()(`{"err":"cannot connect to ${url}"}`)).not.toContain('pass-word-123');
});

test('the mailer signs in with the password of the URL, and a wrong one is logged without it', async () => {
  const server = await startMailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _, done) =>
      password === 'p@ss word' ? done(null, { user: username }) : done(new Error(`wrong: ${password}`)),
  });
  const right = createTestMailer(`smtp://user:p%40ss%20word@127.0.0.1:${server.port}`);
  right.sendMail(mail);
  await right.stop(10_000);
  expect({ received: server.received.length, lines: right.lines }).toEqual({ received: 1, lines: [] });
  const wrong = createTestMailer(`smtp://user:other-password@127.0.0.1:${server.port}`);
  wrong.sendMail(mail);
  await wrong.stop(10_000);
  expect(wrong.lines).toEqual([[expect.objectContaining({ code: 'EAUTH', responseCode: 535 }), 'mail: not sent']]);
  expect(JSON.stringify(wrong.lines)).not.toContain('other-password');
});

test('a stop waits for pending mails, but no longer than its time', async () => {
  const taken = Promise.withResolvers<void>();
  const waiting: (() => void)[] = [];
  const server = await startMailServer({
    onRcptTo(_, __, done) {
      waiting.push(() => done());
      taken.resolve();
    },
  });
  const { sendMail, stop, lines } = createTestMailer(`smtp://127.0.0.1:${server.port}`);
  sendMail(mail);
  await taken.promise;
  await stop(1);
  expect(lines).toEqual([[{ mails: 1 }, 'mail: not sent before the shutdown']]);
  for (const go of waiting) go();
  await stop(10_000);
  expect(server.received).toHaveLength(1);
  expect(lines).toHaveLength(1);
});

test(
  'a service with SMTP_URL mails an invitation, and its shutdown waits for the mail',
  { timeout: 120_000 },
  async () => {
    const server = await startMailServer();
    const dataDir = await temporaryFolder();
    const service = await startServiceProcess({
      DATA_DIR: dataDir,
      SMTP_URL: `smtp://127.0.0.1:${server.port}`,
      SMTP_FROM: 'noreply@example.com',
      APP_URL: 'https://compliance.example.com',
    });
    const args = ['member', 'invite', '--email', 'Ann@Example.com', '--role', 'editor', '--server', service.url];
    const { code, stdout } = await runProgram('cli/manage.ts', args, { DATA_DIR: dataDir });
    expect(code).toBe(0);
    expect(await stopServiceProcess(service)).toBe(0);
    const { link } = JSON.parse(stdout) as { link: string };
    expect(link).toMatch(/^https:\/\/compliance\.example\.com\/invitation\/[\w-]{43}$/);
    // The invitation of the admin of Demo is printed, not sent.
    expect(server.received.map(({ to }) => to)).toEqual([['ann@example.com']]);
    expect(server.received[0]?.message.replaceAll('=\r\n', '')).toContain(link);
    expect(service.output).not.toContain(link);
  },
);
