import { afterAll, describe, expect, test } from 'vitest';
import { Session } from '../../../database/session.ts';
import { recordAccountEvent } from '../../../entities/member/management.ts';
import { operatorPrincipal } from '../../../entities/principal.ts';
import { createCaller } from '../../../procedures/index.ts';
import { database, sql } from '../../support/database/database.ts';
import { setCompanyFrozen } from '../../support/cells/frozen.ts';
import { codeOf, createPasskey } from '../../upgrade/scenario/authenticator.ts';
import { startApp } from '../../support/http/app.ts';
import { Browser } from '../../support/http/browser.ts';
import { createCompany } from '../../support/tenants/company.ts';
import type { TestCompany } from '../../support/tenants/company.ts';
import { fillInboxes, inboxOf } from '../../support/tenants/inbox.ts';
import { createMember, mailServices } from '../../support/tenants/member.ts';
import { mailedToken, mailsTo, withMail } from '../../support/tenants/queued-mails.ts';
import { PASSWORD, newEmail, passwordHash } from '../../support/tenants/sign-in.ts';

const app = await startApp({ services: mailServices, trustProxy: 1 });
afterAll(() => app.stop());
let addresses = 0;
const newBrowser = () => new Browser(app.url, { 'X-Forwarded-For': `203.0.113.${(addresses += 1)}` });

/** A person who is a member of two companies, and an admin of the first. */
async function createTwice() {
  const [acme, globex] = [await createCompany(), await createCompany('Globex')];
  const email = newEmail();
  const ann = await createMember(acme, { email, role: 'editor', password: passwordHash, isProven: true });
  const inGlobex = await createMember(globex, { email, role: 'editor' });
  return { acme, globex, ann, inGlobex, admin: await createMember(acme, { name: 'Bob' }) };
}

/** Actions, actors and changes of the events about a member, after its creation. */
const eventsOf = async (company: TestCompany, member: string) =>
  (await company.events(member)).slice(1).map(({ action, user_id: user, changes }) => ({ action, user, changes }));

const forgottenReset = async (email: string) => {
  expect((await newBrowser().send('POST', '/session/forgot', { email })).status).toBe(204);
  await expect.poll(() => mailedToken(email).catch(() => undefined)).toEqual(expect.any(String));
  return newBrowser().send('POST', '/session/reset', { token: await mailedToken(email), password: `${PASSWORD}!` });
};

describe('a change of how a person signs in', () => {
  test('is an event of the member in each of the companies, an item of the inbox, and a mail', async () => {
    const { acme, globex, ann, inGlobex } = await createTwice();
    const { account } = withMail(ann);
    const { secret } = await account.totp.begin();
    await account.totp.confirm({ code: codeOf(secret) });
    await account.totp.disable({ password: PASSWORD });
    // Without a second factor there is nothing to turn off.
    await account.totp.disable({ password: PASSWORD });
    const { challenge } = await account.passkey.begin();
    const response = createPasskey(challenge, mailServices.appUrl());
    const { uniqueId } = await account.passkey.confirm({ response });
    await account.passkey.remove({ uniqueId });
    await account.changePassword({ current: PASSWORD, password: `${PASSWORD}?` });
    expect((await forgottenReset(ann.email)).status).toBe(204);
    const verbs = ['totpEnable', 'totpDisable', 'passkeyAdd', 'passkeyRemove', 'passwordChange', 'passwordReset'];
    for (const [company, member] of [
      [acme, ann.uniqueId],
      [globex, inGlobex.uniqueId],
    ] as const)
      expect(await eventsOf(company, member)).toEqual(
        verbs.map((verb) => ({ action: `member.${verb}`, user: member, changes: {} })),
      );
    const titles = [
      'account: Your password was reset with a link',
      'account: Your password was changed',
      'account: A passkey was removed from your account',
      'account: A passkey was added to your account',
      'account: The second factor of your account was turned off',
      'account: The second factor of your account was turned on',
    ];
    await fillInboxes(acme, true);
    await fillInboxes(globex, true);
    expect(await inboxOf(ann)).toEqual(titles);
    expect(await inboxOf(inGlobex)).toEqual(titles);
    // One of each change, and the link, which leaves no event of its own.
    const subjects = (await mailsTo(ann.email)).map(({ subject }) => subject);
    expect(subjects).toEqual([
      'The second factor of your account was turned on',
      'The second factor of your account was turned off',
      'A passkey was added to your account',
      'A passkey was removed from your account',
      'Your password was changed',
      'Set a new password',
      'Your password was reset with a link',
    ]);
    for (const mail of await mailsTo(ann.email)) expect(mail.unsubscribeUrl).toBeUndefined();
  });

  test('shows in the audit log and the history without values', async () => {
    const { ann, admin } = await createTwice();
    await ann.caller.account.changePassword({ current: PASSWORD, password: `${PASSWORD}?` });
    const { items } = await admin.caller.audit.list({ resourceType: 'member', resourceId: ann.uniqueId, limit: 1 });
    expect(items).toMatchObject([
      { action: 'member.passwordChange', actor: { uniqueId: ann.uniqueId, kind: 'human' }, changes: {} },
    ]);
  });

  test('is an event each time, also several times within a millisecond', async () => {
    const { acme, ann } = await createTwice();
    const session = new Session(database, operatorPrincipal(acme.id), 'test');
    const record = { member: ann.uniqueId, verb: 'passkeyAdd' } as const;
    await session.transaction(async (inside) => {
      for (let count = 0; count < 50; count += 1) await inside.run(recordAccountEvent, record);
    });
    expect(await eventsOf(acme, ann.uniqueId)).toHaveLength(50);
  });

  test('leaves no event in a company that was closed, and waits while one is frozen', async () => {
    const { acme, globex, ann, inGlobex } = await createTwice();
    await globex.manage.company.close({ name: 'Globex' });
    const change = (current: string, password: string) => ann.caller.account.changePassword({ current, password });
    await change(PASSWORD, `${PASSWORD}1`);
    expect((await eventsOf(acme, ann.uniqueId)).map(({ action }) => action)).toEqual(['member.passwordChange']);
    expect(await eventsOf(globex, inGlobex.uniqueId)).toEqual([]);
    await globex.manage.company.reopen({});
    await setCompanyFrozen(globex, true);
    await expect(change(`${PASSWORD}1`, `${PASSWORD}2`)).rejects.toMatchObject({ cause: { reason: 'unavailable' } });
    const reset = await forgottenReset(ann.email);
    expect([reset.status, reset.headers['retry-after']]).toEqual([503, '5']);
    await setCompanyFrozen(globex, false);
    await change(`${PASSWORD}1`, `${PASSWORD}2`);
    expect(await eventsOf(globex, inGlobex.uniqueId)).toHaveLength(1);
  });
});

describe('a reset link that an admin makes', () => {
  test('is mailed and shown to nobody, and is an event of the company of the admin', async () => {
    const { acme, globex, ann, inGlobex, admin } = await createTwice();
    const answer = await withMail(admin).management.member.resetPassword({ uniqueId: ann.uniqueId });
    expect(answer).toEqual({ link: null, expiresAt: expect.any(String) });
    expect(await eventsOf(acme, ann.uniqueId)).toEqual([
      { action: 'member.resetPassword', user: admin.uniqueId, changes: {} },
    ]);
    expect(await eventsOf(globex, inGlobex.uniqueId)).toEqual([]);
    const [mail] = await mailsTo(ann.email);
    expect(mail?.text).toContain('Bob');
    expect(mail?.text).toContain(`/reset/${await mailedToken(ann.email)}`);
    await fillInboxes(acme, true);
    expect(await inboxOf(ann)).toEqual(['account: A link to reset your password was created']);
  });

  test('is mailed at most three times in an hour, whoever asks, and the answers are alike', async () => {
    const { acme, ann, admin } = await createTwice();
    const answers = [];
    for (let count = 0; count < 100; count++)
      answers.push(await withMail(admin).management.member.resetPassword({ uniqueId: ann.uniqueId }));
    for (const answer of answers) expect(answer).toEqual({ link: null, expiresAt: expect.any(String) });
    expect(await mailsTo(ann.email)).toHaveLength(3);
    expect(await eventsOf(acme, ann.uniqueId)).toHaveLength(3);
    await newBrowser().send('POST', '/session/forgot', { email: ann.email });
    // The link of the third mail still works.
    const token = await mailedToken(ann.email);
    const reset = await newBrowser().send('POST', '/session/reset', { token, password: `${PASSWORD}!` });
    expect(reset.status).toBe(204);
    expect((await mailsTo(ann.email)).filter(({ subject }) => subject === 'Set a new password')).toHaveLength(3);
    await sql(`update queued_mail set created_at = now() - interval '61 minutes' where email = $1`, ann.email);
    await withMail(admin).management.member.resetPassword({ uniqueId: ann.uniqueId });
    expect((await mailsTo(ann.email)).filter(({ subject }) => subject === 'Set a new password')).toHaveLength(4);
  });

  test('is shown to the operator who asks for it, and then the person gets a mail without it', async () => {
    const { acme, ann, admin } = await createTwice();
    await expect(
      withMail(admin).management.member.resetPassword({ uniqueId: ann.uniqueId, showLink: true }),
    ).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const session = new Session(database, operatorPrincipal(acme.id), 'accounts');
    const context = {
      requestId: 'accounts',
      caller: 'operator',
      address: null,
      session,
      services: mailServices,
    } as const;
    const { management } = createCaller(context);
    const { link } = await management.member.resetPassword({ uniqueId: ann.uniqueId, showLink: true });
    expect(link).toMatch(/\/reset\/[\w-]{43}$/);
    const mails = await mailsTo(ann.email);
    expect(mails.map(({ subject }) => subject)).toEqual(['A link to reset your password was created']);
    expect(mails[0]?.text).not.toContain('/reset/');
  });

  test('of a person of another company is left to the operator only without mail', async () => {
    const { ann, admin } = await createTwice();
    await expect(admin.caller.management.member.resetPassword({ uniqueId: ann.uniqueId })).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
    });
    expect(await eventsOfPerson(ann.person)).toEqual([]);
  });
});

const eventsOfPerson = (person: string) =>
  sql(
    `select e.action from audit_event e join member m on m.company_id = e.company_id and m.unique_id::text = e.resource_id
     where m.person_id = $1 and e.action <> 'member.create'`,
    person,
  );
