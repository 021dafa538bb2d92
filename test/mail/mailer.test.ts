import { expect, test } from 'vitest';
import { createMailer } from '../../server/mail/mailer.ts';
import { redactor } from '../../server/telemetry/redact.ts';
import { startMailServer } from '../support/servers/mail-server.ts';
import type { Received } from '../support/servers/mail-server.ts';

const LINK = 'https://compliance.example.com/invitation/secret-token';
const mail = { to: 'ann@example.com', subject: 'Invitation', text: `Open ${LINK}`, html: `<a href="${LINK}">Open</a>` };
const SENT = { result: 'sent' };

/** Creates a mailer whose log lines are kept. */
function createTestMailer(url: string) {
  const lines: unknown[][] = [];
  const from = { name: '', address: 'noreply@example.com' };
  return { ...createMailer(url, from, { warn: (...line: unknown[]) => void lines.push(line) }), lines };
}

const headersOf = ({ message }: Received) => message.slice(0, message.indexOf('\r\n\r\n'));

test('a mail has the sender of the settings, its recipient, its subject and its text', async () => {
  const server = await startMailServer();
  const { tryMail, lines } = createTestMailer(server.url);
  expect(await tryMail({ ...mail, subject: 'Einladung für Ännchen' })).toEqual(SENT);
  expect(lines).toEqual([]);
  expect(server.received).toEqual([
    { from: 'noreply@example.com', to: ['ann@example.com'], message: expect.stringContaining(LINK) },
  ]);
  expect(server.received.map(headersOf).join('\n')).toMatch(/^Subject: =\?UTF-8\?/m);
});

test('an automatic mail asks for no automatic answers', async () => {
  const server = await startMailServer();
  await createTestMailer(server.url).tryMail(mail);
  const headers = server.received.map(headersOf).join('\n');
  expect(headers).toMatch(/^Auto-Submitted: auto-generated\r?$/m);
  expect(headers).toMatch(/^X-Auto-Response-Suppress: All\r?$/m);
});

test('line breaks in a subject begin no header, and a recipient is one address', async () => {
  const server = await startMailServer();
  const { tryMail } = createTestMailer(server.url);
  await tryMail({ ...mail, subject: 'Join Acme\r\nBcc: mallory@example.com\r\n\r\nBody\nX-A: 1\u0000\u2028' });
  await tryMail({ ...mail, to: 'ann@example.com, mallory@example.com' });
  await tryMail({ ...mail, to: 'ann@example.com\r\nBcc: mallory@example.com' });
  const names = server.received.flatMap((one) => headersOf(one).match(/^[\w-]+(?=:)/gm) ?? []);
  expect(names).not.toContain('Bcc');
  expect(names).not.toContain('X-A');
  expect(server.received.flatMap(({ to }) => to)).not.toContain('mallory@example.com');
  const [first] = server.received;
  expect(first?.message).toMatch(/^Subject: Join Acme Bcc: mallory@example\.com Body X-A: 1/m);
});

test('at most 5 mails are sent at a time', async () => {
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
  const { tryMail, lines } = createTestMailer(server.url);
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => tryMail(mail)));
  expect(outcomes).toEqual(Array.from({ length: 50 }, () => SENT));
  expect(lines).toEqual([]);
  expect(server.received).toHaveLength(50);
  expect(most).toBeLessThanOrEqual(6); // the server notices the end of a connection later
});

test('without a mail server the failure is logged, and the password is in no line', async () => {
  const server = await startMailServer();
  const closed = Promise.withResolvers<void>();
  server.close();
  setImmediate(closed.resolve);
  await closed.promise;
  const url = `smtp://user:pass-word-123@127.0.0.1:${server.port}`;
  const { tryMail, lines } = createTestMailer(url);
  const reply = `connect ECONNREFUSED 127.0.0.1:${server.port}`;
  expect(await tryMail(mail)).toEqual({ result: 'deferred', reason: `CONN: ${reply}` });
  expect(lines).toEqual([[{ code: 'ESOCKET', command: 'CONN', reply }, 'mail: deferred']]);
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
  expect(await right.tryMail(mail)).toEqual(SENT);
  expect({ received: server.received.length, lines: right.lines }).toEqual({ received: 1, lines: [] });
  const wrong = createTestMailer(`smtp://user:other-password@127.0.0.1:${server.port}`);
  await wrong.tryMail(mail);
  expect(wrong.lines).toEqual([[expect.objectContaining({ code: 'EAUTH', responseCode: 535 }), 'mail: deferred']]);
  expect(JSON.stringify(wrong.lines)).not.toContain('other-password');
});
