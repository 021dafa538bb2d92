import { afterAll, describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { identifyMembers } from '../../procedures/member/identity.ts';
import { createArrived, memberRow, personExists, shareUnclaimed } from '../support/cells/moved.ts';
import { database, sql } from '../support/database/database.ts';
import { startApp } from '../support/http/app.ts';
import { Browser, statusAndCode } from '../support/http/browser.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';
import { PASSWORD, setUpTotp, shown, updateMember, invite as inviteTo } from '../support/tenants/sign-in.ts';

// Contract, section 23: the person with the email of an unclaimed member accepts an invitation.

const app = await startApp({ services, trustProxy: 1 });
afterAll(() => app.stop());

const NEW_PASSWORD = 'another long password';

let addressCount = 0;
const newBrowser = () => new Browser(app.url, { 'X-Forwarded-For': `203.0.113.${(addressCount += 1)}` });
const accept = (body: object, browser = newBrowser()) => browser.send('POST', '/session/invitation', body);
const look = (token: string) => newBrowser().send('POST', '/session/invitation/look', { token });

const actionsOf = async ({ events }: TestCompany, from = 0) =>
  (await events()).slice(from).map(({ action, user_id: user }) => [action, user]);
describe('an invitation of an unclaimed member', () => {
  test('has the role and the frameworks of the member', async () => {
    const { acme, admin, ann, invite } = await createArrived();
    const before = (await acme.events()).length;
    const token = await invite();
    expect(await admin.caller.management.invitation.list()).toMatchObject([
      { email: ann.email, role: 'editor', frameworks: [acme.framework] },
    ]);
    expect(await actionsOf(acme, before)).toEqual([['invitation.create', admin.uniqueId]]);
    expect((await look(token)).body).toEqual({ company: 'Acme', email: ann.email, role: 'editor', account: null });
    const again = await invite();
    expect((await look(token)).status).toBe(404);
    expect((await look(again)).status).toBe(200);
  });

  test('needs the password and the second factor of the account, else nothing changes', async () => {
    const { ann, account, invite } = await createArrived();
    const code = await setUpTotp(account?.person ?? '');
    const token = await invite();
    expect(await accept({ token, password: NEW_PASSWORD })).toMatchObject({
      status: 422,
      body: { error: 'password: not the password of your account' },
    });
    expect(statusAndCode(await accept({ token, password: PASSWORD }))).toEqual([401, 'second_factor_required']);
    expect(await memberRow(ann.uniqueId)).toMatchObject({ person_id: ann.person });
    expect(await personExists(ann.person)).toBe(true);
    expect((await accept({ token, password: PASSWORD, code: code() })).status).toBe(204);
    expect(await memberRow(ann.uniqueId)).toMatchObject({ person_id: account?.person });
  });

  test('gives the member to the account, writes no event for the same name, and starts a session', async () => {
    const { acme, ann, rival, account, invite } = await createArrived();
    const { uniqueId: taskUniqueId } = await acme.newTask({ assigneeId: ann.uniqueId });
    const token = await invite();
    const before = (await acme.events()).length;
    const browser = newBrowser();
    expect((await accept({ token, password: PASSWORD }, browser)).status).toBe(204);
    expect((await browser.send('GET', '/session')).body).toMatchObject({
      person: { uniqueId: account?.person, email: ann.email, name: 'Ann' },
      member: ann.uniqueId,
      company: { id: acme.id },
      role: 'editor',
      companies: [{ id: acme.id }, { id: rival.id }],
    });
    expect(await memberRow(ann.uniqueId)).toEqual({
      person_id: account?.person,
      role: 'editor',
      frameworks: [acme.framework],
      ended_at: null,
    });
    expect(await personExists(ann.person)).toBe(false);
    expect(await actionsOf(acme, before)).toEqual([]);
    expect((await acme.manage.audit.verify({})).intact).toBe(true);
    const { assignee } = await acme.task.get({ taskUniqueId });
    expect(assignee?.uniqueId).toBe(ann.uniqueId);
    expect((await accept({ token, password: PASSWORD })).status).toBe(404);
    expect((await acme.manage.signIn.list({ member: ann.uniqueId })).items).toContainEqual(
      expect.objectContaining({ event: 'signed_in', method: 'password', email: ann.email }),
    );
  });

  test('records the name of the account if it differs, attributed to the member', async () => {
    const { acme, ann, invite } = await createArrived({ name: 'Anna' });
    const token = await invite();
    const before = (await acme.events()).length;
    expect((await accept({ token, password: PASSWORD })).status).toBe(204);
    expect(await actionsOf(acme, before)).toEqual([['member.update', ann.uniqueId]]);
    const [event] = (await acme.manage.audit.list({ action: 'member.update' })).items;
    expect(event).toMatchObject({ actor: { uniqueId: ann.uniqueId, name: 'Anna' } });
    expect(Object.keys(event?.changes ?? {})).toEqual(['identity']);
    expect((await acme.manage.member.list()).find(({ uniqueId }) => uniqueId === ann.uniqueId)).toMatchObject({
      name: 'Anna',
      email: ann.email,
    });
    await identifyMembers(new Session(database, null, 'unclaimed'));
    expect((await acme.events()).length).toBe(before + 1);
  });

  test('is accepted once of requests at the same time', async () => {
    const { acme, ann, account, invite } = await createArrived();
    const token = await invite();
    const responses = await Promise.all([1, 2, 3, 4].map(() => accept({ token, password: PASSWORD })));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 404, 404, 404]);
    expect(await memberRow(ann.uniqueId)).toMatchObject({ person_id: account?.person });
    expect(await sql('select 1 from member where company_id = $1', acme.id)).toHaveLength(2);
  });

  test('gives an ended member the account, as the same member with the role of the invitation', async () => {
    const { acme, ann, account, invite } = await createArrived();
    await updateMember(acme, ann.uniqueId, { isEnded: true });
    const token = await invite();
    expect((await accept({ token, password: PASSWORD })).status).toBe(204);
    expect(await memberRow(ann.uniqueId)).toEqual({
      person_id: account?.person,
      role: 'auditor',
      frameworks: null,
      ended_at: null,
    });
    expect(await personExists(ann.person)).toBe(false);
  });

  test('of one company leaves that of another company unclaimed', async () => {
    const { acme, ann, account, invite } = await createArrived();
    const second = await createCompany('Second');
    const inSecond = await createMember(second);
    await shareUnclaimed(ann.person, { company: second.id, member: inSecond.uniqueId });
    const token = await invite();
    expect((await accept({ token, password: PASSWORD })).status).toBe(204);
    expect(await memberRow(ann.uniqueId)).toMatchObject({ person_id: account?.person });
    expect(await memberRow(inSecond.uniqueId)).toMatchObject({ person_id: ann.person });
    expect(await personExists(ann.person)).toBe(true);
    const link = shown(await inSecond.caller.management.member.invite({ email: ann.email, role: 'admin' }));
    expect((await accept({ token: link.split('/').at(-1), password: PASSWORD })).status).toBe(204);
    expect(await personExists(ann.person)).toBe(false);
    expect(await acme.manage.member.list()).toHaveLength(2);
  });
});

describe('an unclaimed member whose email has no account any more', () => {
  test('sets a password, and gets the email back', async () => {
    const { acme, ann, invite } = await createArrived({ hasAccount: false });
    await sql('update person set mail_summary = false where unique_id = $1', ann.person);
    const token = await invite();
    expect((await look(token)).body).toMatchObject({ account: null });
    expect(await accept({ token, password: NEW_PASSWORD })).toMatchObject({
      status: 400,
      body: { error: 'name: required' },
    });
    expect((await accept({ token, name: 'Ann', password: NEW_PASSWORD })).status).toBe(204);
    expect(await memberRow(ann.uniqueId)).toMatchObject({ person_id: ann.person, role: 'editor' });
    expect(
      await sql('select email, unclaimed_email, mail_summary from person where unique_id = $1', ann.person),
    ).toEqual([{ email: ann.email, unclaimed_email: null, mail_summary: false }]);
    expect(await newBrowser().signIn(ann.email, NEW_PASSWORD)).toEqual([204]);
    expect(await acme.manage.member.list()).toHaveLength(2);
  });

  test('does not reach another company with the password that the link of this one sets', async () => {
    const { ann, invite } = await createArrived({ hasAccount: false });
    const second = await createCompany('Second');
    const inSecond = await createMember(second);
    await shareUnclaimed(ann.person, { company: second.id, member: inSecond.uniqueId });
    const browser = newBrowser();
    expect((await accept({ token: await invite(), name: 'Ann', password: NEW_PASSWORD }, browser)).status).toBe(204);
    expect((await browser.send('PATCH', '/session', { company: second.id })).status).toBe(404);
    expect(await memberRow(ann.uniqueId)).not.toMatchObject({ person_id: ann.person });
    expect(await memberRow(inSecond.uniqueId)).toMatchObject({ person_id: ann.person });
  });

  test('and a new account at the same time: both get in, or one repeats', async () => {
    const { ann, invite } = await createArrived({ hasAccount: false });
    const rival = await createCompany('Other');
    const tokens = [await invite(), await inviteTo(rival, ann.email, { mailed: true })];
    const attempt = (token: string) => accept({ token, name: 'Ann', password: NEW_PASSWORD });
    const statuses = (await Promise.all(tokens.map(attempt))).map(({ status }) => status);
    for (const [index, status] of statuses.entries())
      if (status === 409) statuses[index] = (await attempt(tokens[index] ?? '')).status;
    expect(statuses).toEqual([204, 204]);
    expect(await sql('select 1 from person where email = $1 or unclaimed_email = $1', ann.email)).toHaveLength(1);
  });
});
