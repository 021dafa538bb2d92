import { describe, expect, test } from 'vitest';
import { mailResults } from '../../procedures/mail/sender.ts';
import { sql } from '../support/database/database.ts';
import { createCompany } from '../support/tenants/company.ts';
import { fillInboxes } from '../support/tenants/inbox.ts';
import { createMember } from '../support/tenants/member.ts';
import { APP_URL, addItems, expectPlainHtml, setPerson, startMailing, waitingItems } from '../support/tenants/mails.ts';

// Mails with items of the inbox. Contract, section 18.

const acme = await createCompany('Acme');
const bob = await createMember(acme, { name: 'Bob' });
const { uniqueId: task } = await acme.newTask({ title: 'Review access rights' });

describe('a mail with items', () => {
  test('comes two minutes after the oldest one, with all that are unread, the newest first', async () => {
    const mailing = await startMailing();
    const ann = await createMember(acme);
    const { uniqueId: other } = await acme.newTask({ title: 'Encrypt <backups> & "keys"' });
    await addItems(acme, ann, { resource: task, actor: bob.uniqueId, at: mailing.now() });
    mailing.later(1.9);
    await addItems(acme, ann, { reason: 'mentioned', resource: other, actor: bob.uniqueId, at: mailing.now() });
    await addItems(acme, ann, {
      reason: 'mentioned',
      resource: task,
      actor: bob.uniqueId,
      at: mailing.now(),
      read: true,
    });
    await mailing.run();
    expect(mailing.take()).toEqual([]);
    mailing.later(0.1);
    await mailing.run();
    const [mail, ...others] = mailing.take();
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ recipients: [ann.email], subject: '2 new items in your inbox' });
    expect(mail?.text.split('\n--\n')[0]).toBe(`Acme

- Bob mentioned you in “Encrypt <backups> & "keys"”
  ${APP_URL}/tasks/${other}
- Bob assigned “Review access rights” to you
  ISO 27001
  ${APP_URL}/tasks/${task}

Open the inbox:
${APP_URL}/inbox
`);
    expect(mail?.html).toContain(`<a href="${APP_URL}/tasks/${task}">Bob assigned “Review access rights” to you</a>`);
    expect(mail?.html).toContain('“Encrypt &#60;backups&#62; &#38; &#34;keys&#34;”');
    expectPlainHtml(mail?.html ?? '');
    expect(await waitingItems(ann)).toBe(0);
    mailing.later(60);
    await mailing.run();
    expect(mailing.take()).toEqual([]);
  });

  test('has a subject for one item, and a vendor has its page', async () => {
    const mailing = await startMailing();
    const ann = await createMember(acme);
    const vendor = await acme.vendor.create({ name: 'Cloud GmbH' });
    await addItems(acme, ann, { type: 'vendor', resource: vendor.uniqueId, actor: null, at: mailing.now() });
    mailing.later(2);
    await mailing.run();
    const [mail] = mailing.take();
    expect(mail?.subject).toBe('1 new item in your inbox');
    expect(mail?.text).toContain(`- Somebody assigned “Cloud GmbH” to you\n  ${APP_URL}/vendors/${vendor.uniqueId}\n`);
  });

  test('has all companies of the person, and names the company in each line', async () => {
    const mailing = await startMailing();
    const ann = await createMember(acme);
    const beta = await createCompany('Beta');
    const inBeta = await createMember(beta, { email: ann.email });
    const carl = await createMember(beta, { name: 'Carl' });
    const { uniqueId: other } = await beta.newTask({ title: 'Train people' });
    await addItems(acme, ann, { resource: task, actor: bob.uniqueId, at: mailing.now() });
    mailing.later(1);
    await addItems(beta, inBeta, { resource: other, actor: carl.uniqueId, at: mailing.now() });
    mailing.later(1);
    await mailing.run();
    const mails = mailing.take();
    expect(mails.map(({ text }) => text.match(/^- .*$/gm))).toEqual([
      ['- Beta: Carl assigned “Train people” to you', '- Acme: Bob assigned “Review access rights” to you'],
    ]);
    expect(await waitingItems(ann)).toBe(0);
    expect(await waitingItems(inBeta)).toBe(0);
  });

  test('has each task that was assigned, with its date, its framework and the start of its description', async () => {
    const mailing = await startMailing();
    const ann = await createMember(acme);
    const iso = await acme.manage.framework.create({ name: 'ISO 27001' });
    const described = { framework: iso.id, dueDate: '2026-12-24' };
    const long = `${'<p>Ä &amp; <b>b</b></p>'.repeat(30)}<p>${'long '.repeat(1000)}</p><a href="https://example.com/${'x'.repeat(2000)}">x</a>`;
    const tasks = [
      await acme.newTask({
        ...described,
        title: 'One',
        description: '<p>Ask <b>Carl</b>.</p><p>See https://wiki.example/x now</p>',
      }),
      await acme.newTask({ ...described, title: 'Two', description: long }),
      await acme.newTask({ framework: iso.id, title: 'Three, see evil.example' }),
    ];
    for (const { uniqueId: resource } of tasks)
      await addItems(acme, ann, { resource, actor: bob.uniqueId, at: mailing.now() });
    await addItems(acme, ann, {
      reason: 'mentioned',
      resource: tasks[0]?.uniqueId ?? '',
      actor: bob.uniqueId,
      at: mailing.now(),
    });
    mailing.later(2);
    await mailing.run();
    const [mail] = mailing.take();
    expect(mail?.subject).toBe('4 new items in your inbox');
    const start = `${'Ä & b '.repeat(30)}${'long '.repeat(4)}`.trim();
    expect(mail?.text.split('\n--\n')[0]).toBe(`Acme

- Bob mentioned you in “One”
  ${APP_URL}/tasks/${tasks[0]?.uniqueId}
- Bob assigned “Three, see [link]” to you
  ISO 27001
  ${APP_URL}/tasks/${tasks[2]?.uniqueId}
- Bob assigned “Two” to you
  Due 24 Dec 2026 · ISO 27001
  ${start}…
  ${APP_URL}/tasks/${tasks[1]?.uniqueId}
- Bob assigned “One” to you
  Due 24 Dec 2026 · ISO 27001
  Ask Carl. See [link] now
  ${APP_URL}/tasks/${tasks[0]?.uniqueId}

Open the inbox:
${APP_URL}/inbox
`);
    expect(mail?.html).toContain('<span class="detail">Ask Carl. See [link] now</span>');
  });

  test('has at most 20 lines, and the number of the other items', async () => {
    const mailing = await startMailing();
    const ann = await createMember(acme);
    const items = { resource: task, actor: bob.uniqueId, at: mailing.now() };
    await addItems(acme, ann, { ...items, count: 10_000 });
    await addItems(acme, ann, { ...items, reason: 'mentioned', count: 3 });
    mailing.later(2);
    await mailing.run();
    const mails = mailing.take();
    expect(mails.map(({ subject }) => subject)).toEqual(['10,003 new items in your inbox']);
    const lines = mails[0]?.text.match(/^- .*$/gm);
    expect(lines).toHaveLength(21);
    expect(lines?.slice(0, 3)).toEqual(
      Array.from({ length: 3 }, () => '- Bob mentioned you in “Review access rights”'),
    );
    expect(mails[0]?.text).toContain(`- and 9,983 more\n  ${APP_URL}/inbox\n`);
    expect(await waitingItems(ann)).toBe(0);
  });
});

describe('no mail', () => {
  test('has what was read, deleted or hidden meanwhile, and what is off', async () => {
    const mailing = await startMailing();
    const at = mailing.now();
    const { uniqueId: deleted } = await acme.newTask();
    const other = await acme.manage.framework.create({ name: 'Other' });
    const ann = await createMember(acme, { role: 'editor', frameworks: [other.id] });
    const items = { actor: bob.uniqueId, at };
    await addItems(acme, ann, { ...items, resource: task }); // of a framework that Ann may not see
    await addItems(acme, ann, { ...items, resource: deleted });
    const { uniqueId: visible } = await acme.newTask({ framework: other.id, title: 'Visible' });
    await addItems(acme, ann, { ...items, resource: visible, read: true });
    await addItems(acme, ann, { ...items, resource: visible, reason: 'commented' }); // off at first
    await addItems(acme, ann, { ...items, resource: visible, reason: 'mentioned' });
    await acme.task.delete({ taskUniqueId: deleted });
    await setPerson(ann, 'mail_mentioned = false');
    const ended = await createMember(acme);
    await addItems(acme, ended, { ...items, resource: task });
    await bob.caller.management.member.end({ uniqueId: ended.uniqueId });
    mailing.later(2);
    await mailing.run();
    expect(mailing.take()).toEqual([]);
    expect(await waitingItems(ann)).toBe(0);
    expect(await waitingItems(ended)).toBe(0);
    expect(mailing.lines).toEqual([]);
  });

  test('comes early because of an item that the person does not get', async () => {
    const mailing = await startMailing();
    const ann = await createMember(acme);
    await addItems(acme, ann, { reason: 'commented', resource: task, actor: bob.uniqueId, at: mailing.now() });
    mailing.later(1.5);
    await addItems(acme, ann, { resource: task, actor: bob.uniqueId, at: mailing.now() });
    mailing.later(0.5);
    await mailing.run();
    expect(mailing.take()).toEqual([]);
    expect(await waitingItems(ann)).toBe(1);
    mailing.later(1.5);
    await mailing.run();
    expect(mailing.take()).toHaveLength(1);
  });
});

test('comments come by mail if the person has turned them on', async () => {
  const mailing = await startMailing();
  const ann = await createMember(acme);
  await ann.caller.account.notifications.update({ commented: true });
  await addItems(acme, ann, { reason: 'commented', resource: task, actor: bob.uniqueId, at: mailing.now(), count: 3 });
  mailing.later(2);
  await mailing.run();
  expect(mailing.take().map(({ text }) => text.match(/^- .*$/gm))).toEqual([
    Array.from({ length: 3 }, () => '- Bob commented on “Review access rights”'),
  ]);
});

test('two processes at once send one mail to each person', async () => {
  const mailing = await startMailing();
  const people = await Promise.all(Array.from({ length: 12 }, () => createMember(acme)));
  for (const person of people) await addItems(acme, person, { resource: task, actor: bob.uniqueId, at: mailing.now() });
  mailing.later(2);
  const { sent } = mailResults;
  await Promise.all([mailing.run(), mailing.run(), mailing.run()]);
  const recipients = mailing.take().flatMap((mail) => mail.recipients);
  expect(recipients.toSorted()).toEqual(people.map(({ email }) => email).toSorted());
  expect(mailResults.sent - sent).toBe(12);
});

test('a process that is killed after it sent a mail leaves it to another, which sends it again', async () => {
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
  const ann = await createMember(acme);
  await addItems(acme, ann, { resource: task, actor: bob.uniqueId, at: mailing.now() });
  mailing.later(2);
  await mailing.run();
  expect(mailing.take()).toHaveLength(1);
  expect(mailing.lines).toEqual([[expect.any(Error), 'mail: failed on our side']]);
  await mailing.run();
  expect(mailing.take()).toEqual([]);
  mailing.later(1.1);
  await mailing.run();
  expect(mailing.take()).toHaveLength(1);
  const [row] = await sql('select mail_attempts, mail_next_attempt_at from person where unique_id = $1', ann.person);
  expect(row).toEqual({ mail_attempts: 0, mail_next_attempt_at: null });
});

test('questions, answers and rejected evidence come by mail with the switch of mentions, without their text', async () => {
  const mailing = await startMailing();
  const company = await createCompany('Gamma');
  const [ann, carl] = [await createMember(company, { name: 'Ann' }), await createMember(company, { name: 'Carl' })];
  const eve = await createMember(company, { name: 'Eve', role: 'auditor' });
  const { uniqueId: vendor } = await ann.caller.vendor.create({ name: 'Cloud Ltd', ownerId: carl.uniqueId });
  const { uniqueId: evidence } = await carl.caller.evidence.link({ vendor, url: 'https://x.example/x', name: 'SOC 2' });
  const text = 'Secret words';
  const question = await eve.caller.comment.create({ vendor, text, kind: 'question' });
  await eve.caller.evidence.check({ evidence, result: 'rejected', note: text });
  await carl.caller.comment.create({ vendor, text, replyTo: question.uniqueId });
  await fillInboxes(company, true);
  mailing.later(3);
  await mailing.run();
  const mails = mailing.take();
  const linesTo = ({ email }: typeof ann) =>
    mails.find(({ recipients }) => recipients.includes(email))?.text.match(/^- .*$/gm) ?? [];
  expect(linesTo(carl)).toEqual([
    '- Eve rejected evidence of “Cloud Ltd”',
    '- Eve asked a question about “Cloud Ltd”',
    '- Ann assigned “Cloud Ltd” to you',
  ]);
  expect(linesTo(eve)).toEqual(['- Carl replied to your question about “Cloud Ltd”']);
  expect(linesTo(ann)).toEqual([]);
  expect(JSON.stringify(mails)).not.toContain(text);
  await carl.caller.account.notifications.update({ mentioned: false });
  await eve.caller.comment.create({ vendor, text, kind: 'question' });
  await fillInboxes(company, true);
  mailing.later(3);
  await mailing.run();
  expect(mailing.take()).toEqual([]);
});
