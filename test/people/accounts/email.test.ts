import { afterAll, describe, expect, test } from 'vitest';
import { Session } from '../../../database/session.ts';
import { operatorPrincipal } from '../../../entities/principal.ts';
import { createCaller } from '../../../procedures/index.ts';
import { setCompanyFrozen } from '../../support/cells/frozen.ts';
import { database, sql, tamper } from '../../support/database/database.ts';
import { startApp } from '../../support/http/app.ts';
import { Browser, statusAndCode } from '../../support/http/browser.ts';
import { startSingleSignOn } from '../../support/sign-in/single-sign-on.ts';
import { membersOf } from '../../support/sign-in/sso-company.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember, mailServices, services } from '../../support/tenants/member.ts';
import type { TestMember } from '../../support/tenants/member.ts';
import { mailedToken, mailsTo, withMail } from '../../support/tenants/queued-mails.ts';
import { PASSWORD, createResetLink, newEmail, passwordHash, updateMember } from '../../support/tenants/sign-in.ts';

const app = await startApp({ services: mailServices, trustProxy: 1 });
afterAll(() => app.stop());
let addresses = 0;
const newBrowser = (cookie?: string) =>
  new Browser(app.url, { 'X-Forwarded-For': `203.0.113.${(addresses += 1)}`, ...(cookie !== undefined && { cookie }) });
const open = (body: object, cookie?: string) => newBrowser(cookie).send('POST', '/session/email', body);
const cookieOf = ({ token }: TestMember) => `session-3000=${token}`;

const createPerson = async (given: Parameters<typeof createMember>[1] = {}) => {
  const acme = await createCompany();
  const ann = await createMember(acme, { role: 'editor', password: passwordHash, isProven: true, ...given });
  return { acme, ann, admin: await createMember(acme, { name: 'Bob' }) };
};
const storedEmail = async ({ person }: { person: string }) =>
  (
    await sql<{ email: string; proven: boolean }>(
      'select email, proven_at is not null as proven from person where unique_id = $1',
      person,
    )
  )[0];
const operatorOf = ({ id }: { id: number }, given = mailServices) =>
  createCaller({
    requestId: 'email',
    caller: 'operator',
    address: null,
    session: new Session(database, operatorPrincipal(id), 'email'),
    services: given,
  }).management;

describe('account.changeEmail', () => {
  test('mails a link to the new address, whose use changes it in each company, and tells the old address', async () => {
    const { acme, ann } = await createPerson();
    const globex = await createCompany('Globex');
    const inGlobex = await createMember(globex, { email: ann.email, role: 'editor' });
    const email = newEmail();
    const change = { email: ` ${email.toUpperCase()} `, password: PASSWORD };
    expect(await withMail(ann).account.changeEmail(change)).toBeUndefined();
    expect(await storedEmail(ann)).toEqual({ email: ann.email, proven: true });
    const token = await mailedToken(email);
    const response = await open({ token });
    expect(response).toMatchObject({ status: 204, text: '' });
    expect(await storedEmail(ann)).toEqual({ email, proven: true });
    for (const [company, member] of [
      [acme, ann.uniqueId],
      [globex, inGlobex.uniqueId],
    ] as const)
      expect((await company.events(member)).slice(1)).toMatchObject([
        { action: 'member.update', user_id: member, changes: { identity: { to: expect.any(String) } } },
      ]);
    // The sessions stay.
    expect((await newBrowser(cookieOf(ann)).send('GET', '/session')).body).toMatchObject({ person: { email } });
    expect(await newBrowser().signIn(email, PASSWORD)).toEqual([204]);
    expect(await newBrowser().signIn(ann.email, PASSWORD)).toEqual([401, 'unauthorized']);
    const [told, ...others] = await mailsTo(ann.email);
    expect(others).toEqual([]);
    expect(told?.text).not.toContain(email);
    expect(statusAndCode(await open({ token }))).toEqual([404, 'not_found']);
  });

  test('needs the password, another address and mail, else nothing is sent', async () => {
    const { ann } = await createPerson();
    const email = newEmail();
    const { account } = withMail(ann);
    for (const [caller, input, message] of [
      [account, { email, password: 'wrong password' }, 'password: expected your current password'],
      [account, { email: ann.email, password: PASSWORD }, 'email: is already your address'],
      [ann.caller.account, { email, password: PASSWORD }, /^email: this server does not send email/],
    ] as const)
      await expect(caller.changeEmail(input)).rejects.toMatchObject({
        code: 'UNPROCESSABLE_CONTENT',
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      });
    expect([...(await mailsTo(email)), ...(await mailsTo(ann.email))]).toEqual([]);
  });

  test('sends nothing from a session that has ended meanwhile', async () => {
    const { ann } = await createPerson();
    const email = newEmail();
    // A reset of the password ends it after the request was authenticated.
    await sql('delete from web_session where person_id = $1', ann.person);
    await expect(withMail(ann).account.changeEmail({ email, password: PASSWORD })).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
    expect(await mailsTo(email)).toEqual([]);
    expect(await sql('select 1 from email_link where person_id = $1', ann.person)).toEqual([]);
  });

  test('has one link at a time, which works for 24 hours, and ends with a new password', async () => {
    const { ann } = await createPerson();
    const [first, second, third] = [newEmail(), newEmail(), newEmail()];
    const ask = (email: string) => withMail(ann).account.changeEmail({ email, password: PASSWORD });
    await ask(first);
    await ask(second);
    expect((await open({ token: await mailedToken(first) })).status).toBe(404);
    const [link] = await sql<{ hours: number }>(
      'select extract(epoch from expires_at - now()) / 3600 as hours from email_link where person_id = $1',
      ann.person,
    );
    expect(Number(link?.hours)).toBeCloseTo(24, 1);
    await tamper(`update email_link set expires_at = now() where person_id = '${ann.person}'`);
    expect((await open({ token: await mailedToken(second) })).status).toBe(404);
    await ask(third);
    const reset = { token: await createResetLink(ann.person), password: `${PASSWORD}!` };
    expect((await newBrowser().send('POST', '/session/reset', reset)).status).toBe(204);
    expect((await open({ token: await mailedToken(third) })).status).toBe(404);
    expect(await storedEmail(ann)).toMatchObject({ email: ann.email });
  });

  test('of an address that an account has is told to who opens the link, and to nobody else', async () => {
    const { ann } = await createPerson();
    const rival = await createPerson();
    await withMail(ann).account.changeEmail({ email: rival.ann.email, password: PASSWORD });
    const token = await mailedToken(rival.ann.email);
    const response = await open({ token });
    expect(statusAndCode(response)).toEqual([409, 'conflict']);
    expect(response.body).toEqual({ error: expect.stringMatching(/^email: another account has this address/) });
    expect(await storedEmail(ann)).toMatchObject({ email: ann.email });
    expect(await storedEmail(rival.ann)).toMatchObject({ email: rival.ann.email });
  });

  test('lets two people exchange their addresses, with a third one in between', async () => {
    const [{ ann }, { ann: bob }] = [await createPerson(), await createPerson()];
    const between = newEmail();
    for (const [member, email] of [
      [ann, between],
      [bob, ann.email],
      [ann, bob.email],
    ] as const) {
      await withMail(member).account.changeEmail({ email, password: PASSWORD });
      expect((await open({ token: await mailedToken(email) })).status).toBe(204);
    }
    expect(await storedEmail(ann)).toEqual({ email: bob.email, proven: true });
    expect(await storedEmail(bob)).toEqual({ email: ann.email, proven: true });
  });

  test('waits while a company of the person is frozen', async () => {
    const { acme, ann } = await createPerson();
    const email = newEmail();
    await withMail(ann).account.changeEmail({ email, password: PASSWORD });
    await setCompanyFrozen(acme, true);
    const token = await mailedToken(email);
    expect(statusAndCode(await open({ token }))).toEqual([503, 'unavailable']);
    expect(await storedEmail(ann)).toMatchObject({ email: ann.email });
    await setCompanyFrozen(acme, false);
    expect((await open({ token })).status).toBe(204);
  });
});

describe('a change of the email by an admin', () => {
  test('mails a link that works only for the person', async () => {
    const { ann, admin } = await createPerson();
    const globex = await createCompany('Globex');
    await createMember(globex, { email: ann.email, role: 'admin' });
    // The address is one of the admin, who reads its mails.
    const email = newEmail();
    const answer = await withMail(admin).management.member.update({ uniqueId: ann.uniqueId, email });
    expect(answer).toMatchObject({ uniqueId: ann.uniqueId, email: ann.email });
    const token = await mailedToken(email);
    const missing = await open({ token });
    expect(statusAndCode(missing)).toEqual([422, 'unprocessable']);
    expect(missing.body).toEqual({ error: expect.stringMatching(/^password: required/) });
    expect(statusAndCode(await open({ token }, cookieOf(admin)))).toEqual([422, 'unprocessable']);
    expect((await open({ token, password: 'wrong password' })).body).toEqual({
      error: 'password: not the password of your account',
    });
    expect(await storedEmail(ann)).toMatchObject({ email: ann.email });
    expect((await open({ token, password: PASSWORD })).status).toBe(204);
    expect(await storedEmail(ann)).toEqual({ email, proven: true });

    const another = newEmail();
    await withMail(admin).management.member.update({ uniqueId: ann.uniqueId, email: another });
    expect((await open({ token: await mailedToken(another) }, cookieOf(ann))).status).toBe(204);
    expect(await storedEmail(ann)).toEqual({ email: another, proven: true });
  });

  test('happens at once without mail, for a person of this company only, whose address is then not proven', async () => {
    const { acme, ann, admin } = await createPerson();
    const email = newEmail();
    const { update } = admin.caller.management.member;
    expect(await update({ uniqueId: ann.uniqueId, email, role: 'auditor' })).toMatchObject({ email, role: 'auditor' });
    expect(await storedEmail(ann)).toEqual({ email, proven: false });
    expect((await acme.events(ann.uniqueId)).slice(1)).toMatchObject([
      { action: 'member.update', user_id: admin.uniqueId, changes: { role: { from: 'editor', to: 'auditor' } } },
      { action: 'member.update', user_id: admin.uniqueId, changes: { identity: { to: expect.any(String) } } },
    ]);
    await expect(update({ uniqueId: ann.uniqueId, email: admin.email })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/^email: another account has this address/),
    });
    await createMember(await createCompany('Globex'), { email, role: 'editor' });
    await expect(update({ uniqueId: ann.uniqueId, email: newEmail(), role: 'editor' })).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      message: expect.stringMatching(/^email: the person is also a member of another company/),
    });
    // Nothing of a request that fails is kept.
    const listed = (await admin.caller.management.member.list()).find(({ uniqueId }) => uniqueId === ann.uniqueId);
    expect(listed).toMatchObject({ email, role: 'auditor' });
  });

  test.each([
    { mail: 'with', given: mailServices },
    { mail: 'without', given: services },
  ])('frees the address of a member who has ended and is active nowhere, $mail mail', async ({ given }) => {
    const { acme, ann, admin } = await createPerson();
    await updateMember(acme, ann.uniqueId, { isEnded: true });
    const { update, invite } = createCaller({ ...admin.context, services: given }).management.member;
    const email = newEmail();
    expect(await update({ uniqueId: ann.uniqueId, email })).toMatchObject({ email });
    expect(await storedEmail(ann)).toEqual({ email, proven: false });
    expect(await invite({ email: ann.email, role: 'editor' })).toHaveProperty('expiresAt');
  });

  test('tells no admin whether an address that an ended member gets has an account', async () => {
    const { acme, ann, admin } = await createPerson();
    const { ann: stranger } = await createPerson();
    await updateMember(acme, ann.uniqueId, { isEnded: true });
    const { update } = withMail(admin).management.member;
    const answers = [];
    for (const email of [newEmail(), stranger.email, newEmail()])
      answers.push({ ...(await update({ uniqueId: ann.uniqueId, email })), email: '' });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect(await mailsTo(stranger.email)).toEqual([]);
    expect(await storedEmail(stranger)).toEqual({ email: stranger.email, proven: true });
    expect(await newBrowser().signIn(stranger.email, PASSWORD)).toEqual([204]);
  });

  test('is made at once by the operator, also for a person of other companies', async () => {
    const { acme, ann } = await createPerson();
    const globex = await createCompany('Globex');
    const inGlobex = await createMember(globex, { email: ann.email, role: 'editor' });
    const email = newEmail();
    expect(await operatorOf(acme).member.update({ uniqueId: ann.uniqueId, email })).toMatchObject({ email });
    expect(await storedEmail(ann)).toEqual({ email, proven: false });
    for (const [company, member] of [
      [acme, ann.uniqueId],
      [globex, inGlobex.uniqueId],
    ] as const)
      expect((await company.events(member)).at(-1)).toMatchObject({
        action: 'member.update',
        user_id: '00000000-0000-7000-8000-000000000001',
      });
    expect((await mailsTo(ann.email)).map(({ subject }) => subject)).toEqual([
      'The email address of your account was changed',
    ]);
  });
});

describe('an email that the identity provider has changed', () => {
  const sso = startSingleSignOn();
  afterAll(async () => (await sso).stop());

  test('replaces the stored one of a person of this company only, unless another account has it', async () => {
    const { createSsoCompany, useAccount, signIn } = await sso;
    const { domain, company } = await createSsoCompany();
    const sub = useAccount(`ann@${domain}`);
    await signIn(`ann@${domain}`);
    const [{ person_id: person, unique_id: member } = { person_id: '', unique_id: '' }] = await membersOf(
      company.id,
      `ann@${domain}`,
    );
    useAccount(`ann.lee@${domain}`, { sub });
    expect((await signIn(`ann.lee@${domain}`)).path).toBe('/');
    expect(await storedEmail({ person })).toEqual({ email: `ann.lee@${domain}`, proven: true });
    expect((await company.events(member)).at(-1)).toMatchObject({ action: 'member.update', user_id: member });
    expect((await mailsTo(`ann@${domain}`)).map(({ subject }) => subject)).toContain(
      'The email address of your account was changed',
    );

    await createMember(company, { email: `taken@${domain}`, role: 'editor' });
    useAccount(`taken@${domain}`, { sub });
    expect((await signIn(`taken@${domain}`)).path).toBe('/');
    expect(await storedEmail({ person })).toMatchObject({ email: `ann.lee@${domain}` });

    await createMember(await createCompany('Globex'), { email: `ann.lee@${domain}`, role: 'editor' });
    useAccount(`other@${domain}`, { sub });
    expect((await signIn(`other@${domain}`)).path).toBe('/');
    expect(await storedEmail({ person })).toMatchObject({ email: `ann.lee@${domain}` });
  });
});
