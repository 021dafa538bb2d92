import { describe, expect, test } from 'vitest';
import { operatorPrincipal } from '../../entities/principal.ts';
import {
  actorIn,
  callerActor,
  capitalized,
  dateIn,
  maskedEmail,
  nameOr,
  timeIn,
  withoutLinks,
} from '../../procedures/mail/wording.ts';
import { expectPlainHtml } from '../support/tenants/mails.ts';
import { sampleMails } from '../support/fixtures/mails.ts';

// Words of mails, and the text of users in them. Contract, section 31.

/** Texts that mail programs turn into links by themselves. */
const LINKS = [
  'https://evil.example/x',
  'HTTP://EVIL.EXAMPLE',
  'evil.example',
  'evil.example/x?y=z',
  'www.evil',
  'sub.evil-host.co.uk',
  'mallory@evil.example',
  'mailto:mallory@localhost',
  'tel:+491234',
  '192.0.2.1',
  '(evil.example)',
  'xn--bcher-kva.example',
  'bücher.example',
  'evil.xn--p1ai',
  'evil．example',
  'evil。example',
  'evil｡example',
  'ｅｖｉｌ．ｅｘａｍｐｌｅ',
  'ev\u200Bil\u2060.exam\u00ADple',
  'ftp://evil',
];
/** Texts that are none. */
const PLAIN = [
  'Acme',
  'Acme GmbH & Co. KG',
  'St. Gallen',
  'Verein e.V.',
  'No.1',
  'ISO 27001:2022',
  'A.5.1',
  'v1.2.3',
  'package.json',
  'Node.js',
  'Personal data: names',
  'and/or',
  'Wait… what',
  'I. and J.',
];

describe('text that would become a link', () => {
  test.for(LINKS)('keeps a name out of a mail: %s', (link) => {
    for (const name of [link, `Acme ${link}`, `${link} Inc`]) expect(nameOr(name, 'a company')).toBe('a company');
  });

  test.for(LINKS)('is left out of a title: %s', (link) => {
    expect(withoutLinks(`Read ${link} today`)).toBe('Read [link] today');
  });

  test.for(LINKS)('is in no part of any mail: %s', (link) => {
    const text = `Acme ${link}`;
    for (const [name, mail] of Object.entries(sampleMails({ company: text, person: text, title: text }))) {
      const shown = `${mail.subject}\n${mail.text}\n${mail.html}`.replaceAll('https://compliance.example.com', '');
      expect([name, shown.includes(link)]).toEqual([name, false]);
    }
  });

  test.for(PLAIN)('is not this: %s', (text) => {
    expect(nameOr(text, 'a company')).toBe(text);
    expect(withoutLinks(text)).toBe(text);
  });
});

describe('a mail', () => {
  const texts = { company: 'Acme', person: 'Bob', title: 'Review access rights' };
  const mails = sampleMails(texts);
  const textOf = (name: string) => mails[name]?.text ?? '';

  test.for(Object.keys(mails))('has a subject without text of users: %s', (name) => {
    expect(mails[name]?.subject).not.toMatch(/Acme|Bob|Review/);
    expect(mails[name]?.subject).toBe(
      sampleMails({ company: 'Other', person: 'Other', title: 'Other' })[name]?.subject,
    );
    expectPlainHtml(mails[name]?.html ?? '');
  });

  test('of an invitation says who invites, to what, and until when', () => {
    expect(mails['invitation']?.subject).toBe('Invitation to Compliance');
    expect(textOf('invitation')).toBe(`Bob (an admin of Acme) invites you to join Acme in Compliance as an editor.

Compliance is the application that Acme uses to manage its compliance tasks, its vendors and their evidence. You find it at https://compliance.example.com. As an editor you work on its tasks, vendors and evidence.

Accept the invitation:
https://compliance.example.com/invitation/${'x'.repeat(43)}

The link works once and expires on 29 Nov 2026, 18:05 UTC.

If you do not know who is inviting you, ignore this email. No account will be created.
`);
    expect(mails['invitation']?.html).toContain(`<a class="button" href="https://compliance.example.com/invitation/`);
  });

  test('names the operator, who has no name here', () => {
    expect(capitalized(actorIn({ kind: 'operator' }))).toBe('The operator of this service');
    expect(callerActor(operatorPrincipal(1), 'Acme')).toEqual({ kind: 'operator' });
  });

  test('names nobody by the name of a host, and still says who it is', () => {
    const hostile = sampleMails({ company: 'evil.example', person: 'www.evil.example', title: 'x' });
    expect(hostile['invitation']?.text).toMatch(
      /^An admin of a company invites you to join a company in Compliance as an editor\./,
    );
    expect(hostile['own new address']?.text).toMatch(/^Somebody entered this address/);
  });

  test('with a link to reset a password says who asked for it', () => {
    expect(textOf('reset by an admin')).toMatch(/^Bob \(an admin of Acme\) asked for a new password/);
    expect(textOf('forgotten password')).toMatch(/^Somebody entered this address at the sign-in page/);
    expect(textOf('forgotten password')).toContain('expires on 29 Nov 2026, 18:05 UTC');
  });

  test('about an account says who changed it, when, and what to do', () => {
    expect(mails['own passkeyAdd']?.subject).toBe('A passkey was added to your account');
    expect(textOf('own passkeyAdd')).toContain('The change was made by you on 29 Nov 2026, 18:05 UTC.');
    expect(textOf('own passkeyAdd')).toContain(
      'set a new password at once with “Forgot your password?” on the sign-in page',
    );
    expect(textOf('resetPassword by an admin')).toContain('The change was made by Bob (an admin of Acme) on');
    expect(textOf('resetPassword by an admin')).toContain('ask an admin of your company');
    for (const [name, mail] of Object.entries(mails))
      expect([name, mail.unsubscribeUrl !== undefined]).toEqual([name, ['items', 'summary'].includes(name)]);
  });

  test('about a new address does not have the old one, and one to the old address masks the new one', () => {
    expect(textOf('own new address')).toMatch(
      /^Bob entered this address as the new email address of an account in Compliance\./,
    );
    expect(textOf('new address by an admin')).toContain('it requires that you are signed in or enter your password');
    expect(textOf('changed address')).toContain('the address b…@example.org. It was changed by Bob (an admin of Acme)');
    expect(textOf('changed address by the provider')).toContain('changed by the single sign-on of Acme');
  });
});

test('an ideographic full stop at the end of a sentence begins no link', () => {
  expect(withoutLinks('完了。次は東京')).toBe('完了。次は東京');
});

test('dates, times, addresses and sentences have one form', () => {
  expect(dateIn('2026-10-02')).toBe('2 Oct 2026');
  expect(timeIn(new Date('2026-10-02T23:05:59Z'))).toBe('2 Oct 2026, 23:05 UTC');
  expect(maskedEmail('ann@example.com')).toBe('a…@example.com');
  expect(maskedEmail('a@example.com')).toBe('a…@example.com');
  expect(capitalized('the operator')).toBe('The operator');
});
