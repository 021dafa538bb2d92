import { expect, test } from 'vitest';
import { createMailer } from '../../server/mail/mailer.ts';
import { sampleMails } from '../support/fixtures/mails.ts';
import { decodeMail, startMailServer } from '../support/servers/mail-server.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { addItems, expectPlainHtml, setPerson, startMailing } from '../support/tenants/mails.ts';
import { asOwner } from '../support/database/database.ts';

// Names and titles in mails. Contract, section 18.

/** Text that would begin a header, end the headers, or be decoded. */
const HOSTILE = [
  'Acme\r\nBcc: mallory@example.com\r\n\r\nBody',
  'Acme\nX-Injected: 1',
  'Acme\rX-Injected: 1',
  'Acme\u0000\u000b\u000c\u0085\u2028X-Injected: 1',
  '=?utf-8?B?QmNjOiBtYWxsb3J5QGV4YW1wbGUuY29t?=',
  '=?utf-8?Q?Acme=0D=0ABcc:_mallory=40example.com?=',
  'Acme =?utf-8?q?a?= =?utf-8?q?b?= =?x =?= ?=',
  `${'=?utf-8?Q?long?= Ä 😀 '.repeat(12)}end`,
  '"><script>alert(1)</script>, mallory@example.com',
];
const FROM = { name: 'Compliance', address: 'noreply@example.com' };
const HEADERS = new Set([
  'auto-submitted',
  'content-type',
  'date',
  'from',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'message-id',
  'mime-version',
  'subject',
  'to',
  'x-auto-response-suppress',
]);

/** The text as one line. */
const shown = (text: string) => text.replaceAll(/[\p{Cc}\u2028]+/gu, ' ').trim();

/** A text that becomes no link. It would not be put into a mail. */
const withoutDots = (text: string) => text.replaceAll('.', '_');

test.for(Object.keys(sampleMails({ company: '', person: '', title: '' })))(
  '%s arrives with the texts of users in one line, and with no other header',
  async (kind) => {
    const server = await startMailServer();
    const mailer = createMailer(server.url, FROM, { warn: () => {} });
    const texts = HOSTILE.map(withoutDots);
    const samples = texts.flatMap((text) => sampleMails({ company: text, person: text, title: text })[kind] ?? []);
    const outcomes = await Promise.all(samples.map((mail) => mailer.tryMail(mail)));
    expect(outcomes).toEqual(HOSTILE.map(() => ({ result: 'sent' })));
    const mails = server.received.map(decodeMail);
    expect(mails).toHaveLength(HOSTILE.length);
    expect(new Set(mails.map(({ subject }) => subject)).size).toBe(1);
    for (const mail of mails) {
      expect([...mail.headers.keys()].filter((header) => !HEADERS.has(header))).toEqual([]);
      expect([mail.from, mail.to, mail.recipients]).toEqual([
        'Compliance <noreply@example.com>',
        'ann@example.com',
        ['ann@example.com'],
      ]);
      expect(mail.text).not.toMatch(/^(?:Bcc|X-Injected):/m);
      expectPlainHtml(mail.html);
    }
  },
);

test('an address that looks like an encoded word or a list stays one address', async () => {
  const server = await startMailServer();
  const mailer = createMailer(server.url, FROM, { warn: () => {} });
  const content = { subject: 'Test', text: 'Test', html: '<p>Test</p>' };
  for (const to of [
    '=?utf-8?q?mallory=40example.com=2C?=@example.com',
    'ann@example.com, mallory@example.com',
    'ann@example.com\r\nBcc: mallory@example.com',
  ])
    await mailer.tryMail({ ...content, to });
  const mails = server.received.map(decodeMail);
  expect(mails.flatMap(({ recipients }) => recipients)).not.toContain('mallory@example.com');
  for (const mail of mails) {
    expect([...mail.headers.keys()].filter((header) => !HEADERS.has(header))).toEqual([]);
    expect(mail.recipients).toHaveLength(1);
  }
});

test('a title and the name of its actor arrive in one line in mails with items', async () => {
  const acme = await createCompany('Acme');
  const bob = await createMember(acme, { name: 'Bob' });
  const mailing = await startMailing();
  for (const title of HOSTILE.map(withoutDots)) {
    const ann = await createMember(acme);
    const { uniqueId: resource } = await acme.newTask({ title: 'Title' });
    const name = shown(title).slice(0, 100).trim();
    await asOwner(
      async (run) => {
        await run('update company_user set name = $1 where unique_id = $2', name, bob.uniqueId);
        await run(
          'update task set title = $1, updated_by_id = $2 where unique_id = $3',
          title.replaceAll('\u0000', ''),
          bob.uniqueId,
          resource,
        );
      },
      { company: acme.id, user: bob.uniqueId },
    );
    await addItems(acme, ann, { resource, actor: bob.uniqueId, at: mailing.now() });
    mailing.later(2);
    await mailing.run();
    const [mail] = mailing.take();
    const line = `${name} assigned “${shown(title.replaceAll('\u0000', ''))}” to you`;
    expect(mail?.subject).toBe('1 new item in your inbox');
    expect(mail?.text).toContain(`- ${shown(line)}\n`);
    expect([...(mail?.headers.keys() ?? [])].filter((header) => !HEADERS.has(header))).toEqual([]);
    expect(mail?.recipients).toEqual([ann.email]);
    expectPlainHtml(mail?.html ?? '');
    await setPerson(ann, 'mail_assigned = false');
  }
});
