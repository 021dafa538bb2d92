import { afterAll, describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { findPerson } from '../../entities/member/statements.ts';
import { hashPassword, verifyPassword } from '../../procedures/sign-in/password.ts';
import { verifySecondFactor } from '../../procedures/sign-in/second-factor.ts';
import { totpCode, totpStep } from '../../procedures/sign-in/totp.ts';
import { createCaller } from '../../procedures/index.ts';
import { asOwner, database } from '../support/database/database.ts';
import { startApp } from '../support/http/app.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';

const PASSWORD = 'correct horse battery';
const acme = await createCompany();
const app = await startApp({ services });
const password = await hashPassword(PASSWORD);
afterAll(() => app.stop());

const session = new Session(database, null, 'test');
const personOf = ({ person }: Pick<TestMember, 'person'>) => session.one(findPerson, { person });

/** Calls a procedure with a session cookie, as a browser does. */
const call = (token: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  fetch(`${app.url}/trpc/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      cookie: `session-3000=${token}`,
      'Sec-Fetch-Site': 'same-origin',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const isSignedIn = async (token: string) => (await call(token, 'account.get')).status === 200;

test('account.get shows the person, not the member', async () => {
  const { caller, person, email, uniqueId } = await createMember(acme, { role: 'auditor', name: 'Ann' });
  expect(await caller.account.get()).toEqual({ uniqueId: person, email, name: 'Ann', totp: false, passkeys: [] });
  expect(person).not.toBe(uniqueId);
});

test('a session of single sign-on cannot change how the person signs in', async () => {
  const { context } = await createMember(await createCompany());
  const webSession = { uniqueId: newUniqueId(), person: newUniqueId(), ...context.webSession, singleSignOn: true };
  const { account } = createCaller({ ...context, webSession });
  const message = 'Single sign-on: sign in with your password to change how you sign in.';
  for (const change of [
    () => account.changePassword({ current: PASSWORD, password: `${PASSWORD} new` }),
    () => account.totp.begin(),
    () => account.totp.confirm({ code: '123456' }),
    () => account.totp.disable({ password: PASSWORD }),
    () => account.passkey.begin(),
    () => account.passkey.remove({ uniqueId: newUniqueId() }),
  ])
    await expect(change()).rejects.toMatchObject({ code: 'FORBIDDEN', message });
  expect(await account.get()).toMatchObject({ totp: false, passkeys: [] });
});

describe('account.update', () => {
  test('changes the name in every company, and only that of this person', async () => {
    const other = await createCompany();
    const ann = await createMember(acme, { name: 'Ann' });
    const annThere = await createMember(other, { name: 'Ann', email: ann.email });
    const bob = await createMember(acme, { name: 'Bob' });
    const { uniqueId: vendor } = await annThere.caller.vendor.create({ name: 'Cloud' });
    expect(await ann.caller.account.update({ name: '  Ann Lee ' })).toMatchObject({ name: 'Ann Lee' });
    expect(await annThere.caller.account.get()).toMatchObject({ name: 'Ann Lee' });
    expect(await other.vendor.get({ vendor })).toMatchObject({
      createdBy: { uniqueId: annThere.uniqueId, name: 'Ann Lee', kind: 'human' },
    });
    const names = await asOwner((run) =>
      run<{ unique_id: string; name: string }>('select unique_id, name from company_user where kind = $1', 'human'),
    );
    const nameOf = (id: string) => names.find(({ unique_id }) => unique_id === id)?.name;
    expect([ann, annThere, bob].map(({ uniqueId }) => nameOf(uniqueId))).toEqual(['Ann Lee', 'Ann Lee', 'Bob']);
  });

  test('renames a person in a company that they left too, until that company forgets them', async () => {
    const former = await createCompany();
    const ann = await createMember(acme, { name: 'Ann' });
    const annThere = await createMember(former, { name: 'Ann', email: ann.email, role: 'editor' });
    await asOwner((run) => run('update member set ended_at = now() where unique_id = $1', annThere.uniqueId), {
      company: former.id,
      user: annThere.uniqueId,
      request: 'test',
    });
    await ann.caller.account.update({ name: 'Ann Lee' });
    const [row] = await asOwner((run) => run('select name from company_user where unique_id = $1', annThere.uniqueId));
    expect(row).toEqual({ name: 'Ann Lee' });
  });
});

describe('account.changePassword', () => {
  test('replaces the token of this session and ends all others', async () => {
    const ann = await createMember(acme, { password });
    const elsewhere = await createMember(await createCompany(), { email: ann.email });
    const bob = await createMember(acme);
    const response = await call(ann.token, 'account.changePassword', { current: PASSWORD, password: 'a new password' });
    expect(response.status).toBe(200);
    const cookie = response.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^session-3000=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/);
    const token = /=([\w-]{43})/.exec(cookie)?.[1] ?? '';
    expect(await Promise.all([ann.token, elsewhere.token, token, bob.token].map(isSignedIn))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    const sessions = await (await call(token, 'account.sessions')).json();
    expect(sessions).toMatchObject({ result: { data: [{ uniqueId: ann.webSession.uniqueId, current: true }] } });
    const { password: stored } = await personOf(ann);
    expect(await verifyPassword('a new password', stored)).toBe(true);
    expect(await verifyPassword(PASSWORD, stored)).toBe(false);
  });

  test('revokes the reset link of the person', async () => {
    const ann = await createMember(acme, { password });
    await asOwner((run) =>
      run(`insert into reset_link values (sha256('x'), $1, now() + interval '1 hour')`, ann.person),
    );
    await ann.caller.account.changePassword({ current: PASSWORD, password: 'a new password' });
    expect(await asOwner((run) => run('select from reset_link where person_id = $1', ann.person))).toEqual([]);
  });

  test('a wrong current password is 422, and nothing changes', async () => {
    const ann = await createMember(acme, { password });
    const response = await call(ann.token, 'account.changePassword', { current: 'wrong', password: 'a new password' });
    expect(response.status).toBe(422);
    expect(response.headers.get('set-cookie')).toBe(null);
    expect(await response.json()).toMatchObject({ error: { message: 'current: expected your current password' } });
    expect(await isSignedIn(ann.token)).toBe(true);
    expect(await personOf(ann)).toMatchObject({ password });
  });

  test('a new password has 10 to 200 characters', async () => {
    const ann = await createMember(acme, { password });
    for (const short of ['123456789', 'x'.repeat(201)]) {
      await expect(ann.caller.account.changePassword({ current: PASSWORD, password: short })).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        message: 'password: expected 10 to 200 characters',
      });
    }
    expect(await personOf(ann)).toMatchObject({ password });
  });

  test('a person who only uses single sign-on sets none', async () => {
    const { caller } = await createMember(acme, { password: null });
    await expect(
      caller.account.changePassword({ current: 'anything', password: 'a new password' }),
    ).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      message: 'current: this account has no password; it uses single sign-on',
    });
  });

  test('a streamed response, which cannot set the cookie, changes nothing', async () => {
    const ann = await createMember(acme, { password });
    const response = await call(
      ann.token,
      'account.changePassword?batch=1',
      { 0: { current: PASSWORD, password: 'a new password' } },
      { 'trpc-accept': 'application/jsonl' },
    );
    expect(await response.text()).toContain('trpc-accept: this procedure sets a cookie');
    expect(await isSignedIn(ann.token)).toBe(true);
    expect(await personOf(ann)).toMatchObject({ password });
  });
});

describe('account.sessions', () => {
  test('lists the valid sessions of the person, and marks this one', async () => {
    const ann = await createMember(acme);
    const other = await createMember(await createCompany(), { email: ann.email });
    const [idle, expired] = [
      await createMember(await createCompany(), { email: ann.email }),
      await createMember(await createCompany(), { email: ann.email }),
    ];
    await createMember(acme);
    await asOwner(async (run) => {
      const where = 'where unique_id = $1';
      await run(`update web_session set seen_at = now() - interval '12 hours' ${where}`, idle.webSession.uniqueId);
      await run(`update web_session set expires_at = now() ${where}`, expired.webSession.uniqueId);
    });
    const sessions = await ann.caller.account.sessions();
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const shared = { createdAt: timestamp, seenAt: timestamp, address: null, userAgent: 'test' };
    expect(sessions).toHaveLength(2);
    expect(sessions).toEqual(
      expect.arrayContaining([
        { ...shared, uniqueId: ann.webSession.uniqueId, current: true },
        { ...shared, uniqueId: other.webSession.uniqueId, current: false },
      ]),
    );
  });

  test('a person ends another session of their own at once', async () => {
    const ann = await createMember(acme);
    const other = await createMember(await createCompany(), { email: ann.email });
    expect(await isSignedIn(other.token)).toBe(true);
    await ann.caller.account.endSession({ uniqueId: other.webSession.uniqueId });
    expect(await isSignedIn(other.token)).toBe(false);
    expect(await isSignedIn(ann.token)).toBe(true);
  });

  test('a session of another person, an unknown one and a malformed id are 404', async () => {
    const [ann, bob] = [await createMember(acme), await createMember(acme)];
    for (const uniqueId of [bob.webSession.uniqueId, ann.person, 'x']) {
      await expect(ann.caller.account.endSession({ uniqueId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(await isSignedIn(bob.token)).toBe(true);
  });
});

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const currentCode = (secret: string, steps = 0) => {
  const bits = secret
    .split('')
    .map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((octet) => Number.parseInt(octet, 2)));
  return totpCode(bytes, totpStep(Date.now()) + steps);
};
const wrongCode = (secret: string) => {
  const right = new Set([-2, -1, 0, 1, 2].map((steps) => currentCode(secret, steps)));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !right.has(code)) ?? '';
};

describe('account.totp', () => {
  test('is on after a code of the app, which returns ten recovery codes', async () => {
    const ann = await createMember(acme, { password });
    const { secret, uri } = await ann.caller.account.totp.begin();
    expect(uri).toBe(
      `otpauth://totp/localhost:${encodeURIComponent(ann.email)}?secret=${secret}&issuer=localhost&algorithm=SHA1&digits=6&period=30`,
    );
    expect(await ann.caller.account.get()).toMatchObject({ totp: false });
    const code = currentCode(secret);
    const { recoveryCodes } = await ann.caller.account.totp.confirm({ code });
    expect(await ann.caller.account.get()).toMatchObject({ totp: true });
    expect(new Set(recoveryCodes).size).toBe(10);
    const verify = async (given: string) =>
      verifySecondFactor(session, services.encryption, await personOf(ann), given);
    expect(await verify(code)).toBe(false); // used to confirm
    expect(await verify(currentCode(secret, 1))).toBe(true);
    expect(await verify(recoveryCodes[3] ?? '')).toBe(true);
    expect(await verify(recoveryCodes[3] ?? '')).toBe(false);
  });

  test('a wrong code is 422, and the second factor stays off', async () => {
    const { caller } = await createMember(acme, { password });
    const { secret } = await caller.account.totp.begin();
    for (const code of [wrongCode(secret), '', '12345', 'abcd-efgh-ijkl-mnop']) {
      await expect(caller.account.totp.confirm({ code })).rejects.toMatchObject({
        code: 'UNPROCESSABLE_CONTENT',
        message: expect.stringMatching(/^code: /),
      });
    }
    expect(await caller.account.get()).toMatchObject({ totp: false });
  });

  test('another begin replaces the secret until it is confirmed, then it is 409', async () => {
    const { caller } = await createMember(acme, { password });
    const { secret: first } = await caller.account.totp.begin();
    const { secret } = await caller.account.totp.begin();
    expect(secret).not.toBe(first);
    await expect(caller.account.totp.confirm({ code: currentCode(first) })).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
    });
    await caller.account.totp.confirm({ code: currentCode(secret) });
    await expect(caller.account.totp.begin()).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(caller.account.totp.confirm({ code: currentCode(secret) })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });

  test('confirm before begin is 409', async () => {
    const { caller } = await createMember(acme, { password });
    await expect(caller.account.totp.confirm({ code: '123456' })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'totp: there is no secret to confirm; begin first',
    });
  });

  test('of two concurrent confirmations, one returns recovery codes, and only these work', async () => {
    const ann = await createMember(acme, { password });
    const { secret } = await ann.caller.account.totp.begin();
    const code = currentCode(secret);
    const results = await Promise.allSettled([1, 2].map(() => ann.caller.account.totp.confirm({ code })));
    const confirmed = results.filter((result) => result.status === 'fulfilled');
    expect(confirmed).toHaveLength(1);
    const [count] = await asOwner((run) =>
      run('select count(*)::int as count from recovery_code where person_id = $1', ann.person),
    );
    expect(count).toEqual({ count: 10 });
  });

  test('the password turns it off and deletes the recovery codes', async () => {
    const ann = await createMember(acme, { password });
    const { secret } = await ann.caller.account.totp.begin();
    await ann.caller.account.totp.confirm({ code: currentCode(secret) });
    await expect(ann.caller.account.totp.disable({ password: 'wrong' })).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      message: 'password: expected your current password',
    });
    expect(await ann.caller.account.get()).toMatchObject({ totp: true });
    await ann.caller.account.totp.disable({ password: PASSWORD });
    expect(await ann.caller.account.get()).toMatchObject({ totp: false });
    expect(await asOwner((run) => run('select from recovery_code where person_id = $1', ann.person))).toEqual([]);
    expect(await personOf(ann)).toMatchObject({ totp_secret: null });
    await ann.caller.account.totp.begin();
  });

  test('a person without a password needs none', async () => {
    const { caller } = await createMember(acme, { password: null });
    await expect(caller.account.totp.begin()).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT' });
    await expect(caller.account.totp.disable({ password: '' })).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
    });
  });

  test('without ENCRYPTION_KEY it is 422', async () => {
    const { context } = await createMember(acme, { password });
    const caller = createCaller({ ...context, services: { ...services, encryption: undefined } });
    await expect(caller.account.totp.begin()).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      message: expect.stringMatching(/^ENCRYPTION_KEY: /),
    });
  });
});

describe('guesses with a session', () => {
  test('of the password and of codes are limited together', async () => {
    const ann = await createMember(acme, { password });
    const { secret } = await ann.caller.account.totp.begin();
    const guesses = [
      () => call(ann.token, 'account.totp.confirm', { code: wrongCode(secret) }),
      () => call(ann.token, 'account.totp.disable', { password: 'wrong' }),
      () => call(ann.token, 'account.changePassword', { current: 'wrong', password: 'a new password' }),
    ];
    const statuses: number[] = [];
    for (let count = 0; count < 10; count += 1) statuses.push((await guesses[count % 3]?.())?.status ?? 0);
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 422));
    for (const guess of guesses) {
      const response = await guess();
      expect({ status: response.status, wait: Number(response.headers.get('retry-after')) > 0 }).toEqual({
        status: 429,
        wait: true,
      });
    }
    // Also the right password waits. The session stays, and other accounts are not affected.
    expect((await call(ann.token, 'account.totp.disable', { password: PASSWORD })).status).toBe(429);
    expect(await isSignedIn(ann.token)).toBe(true);
    const bob = await createMember(acme, { password });
    expect((await call(bob.token, 'account.totp.disable', { password: PASSWORD })).status).toBe(200);
  });

  test('that are right do not count', async () => {
    const ann = await createMember(acme, { password });
    for (let count = 0; count < 11; count += 1) {
      expect((await call(ann.token, 'account.totp.disable', { password: PASSWORD })).status).toBe(200);
    }
  });
});
