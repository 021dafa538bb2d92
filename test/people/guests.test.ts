import { afterAll, describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { OPERATOR } from '../../entities/company/user.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { createCaller } from '../../procedures/index.ts';
import { endingMemberships } from '../../procedures/member/guests.ts';
import { database, sql, tamper } from '../support/database/database.ts';
import { runJob } from '../support/database/jobs.ts';
import { startApp } from '../support/http/app.ts';
import { Browser, statusAndCode } from '../support/http/browser.ts';
import { createCompany } from '../support/tenants/company.ts';
import { dateIn } from '../support/tenants/evidence.ts';
import { createMember, services } from '../support/tenants/member.ts';
import { PASSWORD, newEmail, passwordHash, shown } from '../support/tenants/sign-in.ts';

const app = await startApp({ services, trustProxy: 1 });
afterAll(() => app.stop());

let addressCount = 0;
const newBrowser = () => new Browser(app.url, { 'X-Forwarded-For': `203.0.113.${(addressCount += 1)}` });
const browserOf = ({ token }: { token: string }) => new Browser(app.url, { cookie: `session-3000=${token}` });
const tokenOf = (link: string) => link.split('/').at(-1) ?? '';

const LASTING = 'endsAt: the company needs one admin without an end date; make another member an admin first';

/** Lets the last day of members or invitations be over, as time does. */
const pass = (table: 'member' | 'invitation', uniqueId: string) =>
  tamper(`update ${table} set ends_at = '${dateIn(-2)}' where unique_id = '${uniqueId}'`);

/** Ends what is over at a time, as three processes do at once. */
const endMemberships = (now = new Date()) =>
  runJob(endingMemberships.name, { processes: 3, services: { now: () => now } });

async function createGuests() {
  const acme = await createCompany();
  const admin = await createMember(acme);
  const { member, invitation } = admin.caller.management;
  return { acme, admin, member, invitation };
}

describe('the last day of a membership', () => {
  test('comes with the invitation, and is shown and recorded', async () => {
    const { acme, member, invitation } = await createGuests();
    const email = newEmail();
    const endsAt = dateIn(30);
    const { link } = await member.invite({ email, role: 'auditor', endsAt });
    expect(await invitation.list()).toMatchObject([{ email, endsAt }]);
    const token = tokenOf(shown({ link }));
    const accepted = await newBrowser().send('POST', '/session/invitation', { token, name: 'Gus', password: PASSWORD });
    expect(accepted.status).toBe(204);
    const guest = (await member.list()).find((one) => one.email === email);
    expect(guest).toMatchObject({ endsAt, endedAt: null });
    expect(await acme.events(guest?.uniqueId)).toMatchObject([
      { action: 'member.create', changes: { ends_at: endsAt, role: 'auditor' } },
    ]);
    const { items } = await acme.audit.list({ resourceType: 'invitation' });
    expect(items).toMatchObject([{ action: 'invitation.create', changes: { endsAt } }]);
    const listed = await (await createMember(acme)).caller.member.list();
    expect(listed.every((one) => !('endsAt' in one))).toBe(true);
  });

  test('is set, moved and cleared by an admin, and stays in other changes', async () => {
    const { acme, member } = await createGuests();
    const { uniqueId, caller } = await createMember(acme, { role: 'editor' });
    const endsAt = dateIn(10);
    expect(await member.update({ uniqueId, endsAt })).toMatchObject({ endsAt });
    expect(await member.update({ uniqueId, role: 'auditor' })).toMatchObject({ endsAt, role: 'auditor' });
    expect(await member.update({ uniqueId, endsAt: dateIn(0) })).toMatchObject({ endsAt: dateIn(0) });
    expect(await member.update({ uniqueId, endsAt: null })).toMatchObject({ endsAt: null });
    const { items } = await acme.audit.list({ resourceType: 'member', resourceId: uniqueId, action: 'member.update' });
    expect(items.map(({ changes }) => changes)).toEqual([
      { endsAt: { from: dateIn(0), to: null } },
      { endsAt: { from: endsAt, to: dateIn(0) } },
      { role: { from: 'editor', to: 'auditor' } },
      { endsAt: { from: null, to: endsAt } },
    ]);
    expect((await caller.account.data()).memberships).toMatchObject([{ endsAt: null }]);
  });

  test('is today or later', async () => {
    const { acme, member } = await createGuests();
    const { uniqueId } = await createMember(acme, { role: 'editor' });
    const before = await acme.events();
    const endsAt = dateIn(-2);
    const message = `endsAt: ${endsAt} is in the past; expected today or a later day`;
    await expect(member.update({ uniqueId, endsAt, role: 'auditor' })).rejects.toThrow(message);
    await expect(member.invite({ email: newEmail(), role: 'editor', endsAt })).rejects.toThrow(message);
    await expect(member.update({ uniqueId, endsAt: '2027-02-30' })).rejects.toThrow(
      /^endsAt: expected a calendar date/,
    );
    expect(await acme.events()).toEqual(before);
  });

  test('is that of the company in its time zone, by which the operator ends the membership and its sessions', async () => {
    const { acme, admin, member } = await createGuests();
    await admin.caller.management.settings.update({ timeZone: 'America/Bogota' });
    const guest = await createMember(acme, { role: 'editor' });
    const globex = await createCompany('Globex');
    await createMember(globex, { email: guest.email, role: 'editor' });
    const endsAt = dateIn(40);
    await member.update({ uniqueId: guest.uniqueId, endsAt });
    // Midnight in Bogotá is 05:00 in UTC.
    await endMemberships(new Date(`${dateIn(41)}T04:59:59Z`));
    expect((await member.list()).find(({ uniqueId }) => uniqueId === guest.uniqueId)).toMatchObject({ endedAt: null });
    await endMemberships(new Date(`${dateIn(41)}T05:00:00Z`));
    const ended = (await member.list()).find(({ uniqueId }) => uniqueId === guest.uniqueId);
    expect(ended).toMatchObject({ endsAt, endedAt: expect.any(String) });
    const events = (await acme.events(guest.uniqueId)).filter(({ action }) => action === 'member.delete');
    expect(events).toMatchObject([{ user_id: OPERATOR.uniqueId }]);
    expect(await sql('select company_id from web_session where person_id = $1', guest.person)).toEqual([
      { company_id: globex.id },
    ]);
    expect(await sql('select company_id from member where person_id = $1 and ended_at is null', guest.person)).toEqual([
      { company_id: globex.id },
    ]);
  });
});

describe('access of a member whose last day is over', () => {
  test('has ended before the job ends the membership, in this company alone', async () => {
    const { acme, member } = await createGuests();
    const globex = await createCompany('Globex');
    const guest = await createMember(acme, { role: 'editor', password: passwordHash });
    const { email } = guest;
    const here = browserOf(guest);
    await member.update({ uniqueId: guest.uniqueId, endsAt: dateIn(1) });
    expect((await here.send('GET', '/session')).status).toBe(200);
    await pass('member', guest.uniqueId);
    expect(statusAndCode(await here.send('GET', '/session'))).toEqual([401, 'unauthorized']);
    expect((await here.query('task.listAll')).status).toBe(401);
    expect((await newBrowser().signIn(email, PASSWORD))[0]).toBe(401);
    const elsewhere = await createMember(globex, { email, role: 'auditor' });
    const there = newBrowser();
    expect(await there.signIn(email, PASSWORD)).toEqual([204]);
    expect((await there.send('GET', '/session')).body).toMatchObject({
      company: { id: globex.id },
      companies: [{ id: globex.id }],
    });
    expect(statusAndCode(await there.send('PATCH', '/session', { company: acme.id }))).toEqual([404, 'not_found']);
    await endMemberships();
    expect((await browserOf(elsewhere).send('GET', '/session')).status).toBe(200);
    // An invitation makes the same member again, without the old last day.
    const { link } = await member.invite({ email, role: 'editor' });
    const token = tokenOf(shown({ link }));
    await tamper(`update person set proven_at = now() where unique_id = '${guest.person}'`);
    expect((await newBrowser().send('POST', '/session/invitation', { token, password: PASSWORD })).status).toBe(204);
    expect((await member.list()).find((one) => one.email === email)).toMatchObject({
      uniqueId: guest.uniqueId,
      endsAt: null,
      endedAt: null,
    });
  });
});

describe('an invitation whose last day is over', () => {
  test('is not found, nor listed', async () => {
    const { member, invitation } = await createGuests();
    const { uniqueId, link } = await member.invite({ email: newEmail(), role: 'editor', endsAt: dateIn(1) });
    const token = tokenOf(shown({ link }));
    const look = () => newBrowser().send('POST', '/session/invitation/look', { token });
    expect((await look()).status).toBe(200);
    await pass('invitation', uniqueId);
    expect(statusAndCode(await look())).toEqual([404, 'not_found']);
    const accepted = await newBrowser().send('POST', '/session/invitation', { token, name: 'Gus', password: PASSWORD });
    expect(statusAndCode(accepted)).toEqual([404, 'not_found']);
    expect(await invitation.list()).toEqual([]);
  });
});

describe('an admin without a last day', () => {
  test('remains, whatever is given, ended or changed, by anybody', async () => {
    const { acme, admin, member } = await createGuests();
    const guest = await createMember(acme);
    const endsAt = dateIn(5);
    await member.update({ uniqueId: guest.uniqueId, endsAt });
    const before = await acme.events();
    const last = { uniqueId: admin.uniqueId };
    for (const { caller } of [admin, guest]) {
      const of = caller.management.member;
      await expect(of.update({ ...last, endsAt })).rejects.toThrow(LASTING);
      await expect(of.end(last)).rejects.toThrow('is the last admin');
      await expect(of.update({ ...last, role: 'editor' })).rejects.toThrow('is the last admin');
    }
    expect(await acme.events()).toEqual(before);
    await member.end({ uniqueId: guest.uniqueId });
    // The first admin of a company has none either.
    const empty = createCaller({
      requestId: 'operator-request',
      caller: 'operator',
      address: null,
      session: new Session(database, operatorPrincipal((await createCompany()).id), 'operator-request'),
      services,
    });
    const invited = { email: newEmail(), role: 'admin' as const, endsAt };
    await expect(empty.management.member.invite(invited)).rejects.toThrow(LASTING);
  });

  test('remains if two admins give each other a last day at once', async () => {
    for (let round = 0; round < 5; round++) {
      const company = await createCompany();
      const [first, second] = [await createMember(company), await createMember(company)];
      const results = await Promise.allSettled([
        first.caller.management.member.update({ uniqueId: second.uniqueId, endsAt: dateIn(3) }),
        second.caller.management.member.update({ uniqueId: first.uniqueId, endsAt: dateIn(3) }),
      ]);
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'CONFLICT' } });
    }
  });
});
