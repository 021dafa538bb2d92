import { afterAll, describe, expect, test } from 'vitest';
import { newUniqueId } from '../../entities/ids.ts';
import { deleteExpiredSignIns } from '../../entities/sign-in/statements.ts';
import { runJob } from '../support/database/jobs.ts';
import { MAX_SIGN_IN_FAILURES as MAX } from '../../server/session/sign-in-limits.ts';
import { sql } from '../support/database/database.ts';
import { startApp } from '../support/http/app.ts';
import { Browser, statusAndCode } from '../support/http/browser.ts';
import { http } from '../support/http/server.ts';
import { OPERATOR_TOKEN, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';
import { readPages } from '../support/tenants/pages.ts';
import {
  PASSWORD,
  createResetLink,
  invite,
  newEmail,
  passwordHash,
  setUpTotp,
  updateMember,
} from '../support/tenants/sign-in.ts';

const WRONG = 'wrong password of a person';
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

const app = await startApp({ services, trustProxy: 1 });
afterAll(() => app.stop());

let addressCount = 0;
/** A browser with an address of its own. */
const newBrowser = (token?: string, address = `203.0.113.${(addressCount += 1)}`) =>
  new Browser(app.url, {
    'X-Forwarded-For': address,
    'User-Agent': USER_AGENT,
    ...(token !== undefined && { cookie: `session-3000=${token}` }),
  });

/** A company with an auditor, who reads the list. The list has the sign-in of the auditor, which `createMember` adds. */
async function createAuditedCompany(name?: string) {
  const company = await createCompany(name);
  const auditor = await createMember(company, { role: 'auditor' });
  const list = async () => {
    const { items } = await auditor.caller.management.signIn.list({});
    return items.filter(({ member }) => member !== auditor.uniqueId);
  };
  return { company, auditor, list };
}

const createPerson = (company: TestCompany, given: Parameters<typeof createMember>[1] = {}) =>
  createMember(company, { role: 'editor', password: passwordHash, ...given });

/** Entries without the parts that a test does not check. */
const events = (items: readonly { event: string; method: string; member: string | null }[]) =>
  items.map(({ event, method, member }) => [event, method, member]);

/** Attempts of an email that the operator sees in a company. */
async function unknownAttempts({ manage }: TestCompany, email: string | null) {
  const { items } = await manage.signIn.list({ limit: 100 });
  return items.filter((item) => item.member === null && item.email === email);
}

describe('the list of sign-ins', () => {
  test('has the sign-in and the sign-out of a browser with its address and user agent, newest first', async () => {
    const { company, list } = await createAuditedCompany();
    const ann = await createPerson(company);
    const browser = newBrowser(undefined, '203.0.113.250');
    const before = Date.now();
    await browser.signIn(ann.email, PASSWORD);
    await browser.send('DELETE', '/session');
    const items = await list();
    const entry = { member: ann.uniqueId, email: ann.email, method: 'password' };
    const request = { at: expect.any(String), address: '203.0.113.250', userAgent: USER_AGENT };
    expect(items).toEqual([
      { ...entry, ...request, event: 'signed_out' },
      { ...entry, ...request, event: 'signed_in' },
      { ...entry, at: expect.any(String), event: 'signed_in', address: null, userAgent: 'test' }, // by createMember
    ]);
    expect(Date.parse(items[1]?.at ?? '')).toBeGreaterThanOrEqual(before - 1000);
  });

  test('has a failed attempt in each company of the person, and in no other company', async () => {
    const [one, two, other] = [
      await createAuditedCompany(),
      await createAuditedCompany(),
      await createAuditedCompany(),
    ];
    const ann = await createPerson(one.company);
    const there = await createPerson(two.company, { email: ann.email });
    await newBrowser().signIn(ann.email.toUpperCase(), WRONG);
    expect((await one.list())[0]).toMatchObject({ event: 'failed', member: ann.uniqueId, email: ann.email });
    expect((await two.list())[0]).toMatchObject({ event: 'failed', member: there.uniqueId, email: ann.email });
    expect(await other.list()).toEqual([]);
    expect(await unknownAttempts(one.company, ann.email)).toEqual([]);
  });

  test('has failed attempts of an ended member only if the person has no other company', async () => {
    const [former, current] = [await createAuditedCompany(), await createAuditedCompany()];
    const ann = await createPerson(former.company);
    await updateMember(former.company, ann.uniqueId, { isEnded: true });
    await newBrowser().signIn(ann.email, PASSWORD);
    expect(events(await former.list())[0]).toEqual(['failed', 'password', ann.uniqueId]);
    const there = await createPerson(current.company, { email: ann.email });
    await newBrowser().signIn(ann.email, WRONG);
    expect(events(await current.list())[0]).toEqual(['failed', 'password', there.uniqueId]);
    expect((await former.list()).filter(({ event }) => event === 'failed')).toHaveLength(1);
  });

  test('shows attempts that name nobody only to the operator, in any company', async () => {
    const [one, two] = [await createAuditedCompany(), await createAuditedCompany()];
    const admin = await createMember(one.company);
    const email = newEmail();
    await newBrowser().signIn(email, WRONG);
    const expected = [expect.objectContaining({ member: null, email, event: 'failed', method: 'password' })];
    expect(await unknownAttempts(one.company, email)).toEqual(expected);
    expect(await unknownAttempts(two.company, email)).toEqual(expected);
    for (const { caller } of [one.auditor, two.auditor, admin])
      expect(JSON.stringify(await caller.management.signIn.list({ limit: 100 }))).not.toContain(email);
  });

  test('has wrong codes, but no missing code', async () => {
    const { company, list } = await createAuditedCompany();
    const ann = await createPerson(company);
    await setUpTotp(ann.person);
    await newBrowser().signIn(ann.email, PASSWORD);
    expect((await list()).filter(({ event }) => event === 'failed')).toEqual([]);
    await newBrowser().signIn(ann.email, PASSWORD, '000000');
    expect((await list()).filter(({ event }) => event === 'failed')).toHaveLength(1);
  });

  test('has no more failures than the limits of sign-in admit', async () => {
    const { company, list } = await createAuditedCompany();
    const ann = await createPerson(company);
    await Promise.all(Array.from({ length: 25 }, () => newBrowser().signIn(ann.email, WRONG)));
    expect((await list()).filter(({ event }) => event === 'failed')).toHaveLength(MAX.account);
    const browser = newBrowser();
    const emails = Array.from({ length: MAX.address + 10 }, newEmail);
    for (const email of emails) await browser.signIn(email, WRONG);
    const stored = await sql('select 1 from unknown_sign_in where email = any($1::text[])', emails);
    expect(stored).toHaveLength(MAX.address);
  });

  test('has no entry for text in place of an email, nor for wrong tokens of links', async () => {
    const count = () => sql<{ count: number }>('select count(*)::int as count from unknown_sign_in');
    const before = await count();
    const browser = newBrowser();
    expect((await browser.send('POST', '/session', { email: PASSWORD, password: WRONG })).status).toBe(400);
    for (const link of ['invitation', 'reset'])
      expect((await browser.send('POST', `/session/${link}`, { token: 'x', password: PASSWORD })).status).toBe(404);
    expect((await browser.send('POST', '/session/invitation/look', { token: 'x' })).status).toBe(404);
    expect(await count()).toEqual(before);
  });
});

describe('an invitation', () => {
  test('that is accepted is a sign-in with a password', async () => {
    const { company, list } = await createAuditedCompany();
    const email = newEmail();
    const token = await invite(company, email);
    await newBrowser().send('POST', '/session/invitation', { token, name: 'Ben', password: PASSWORD });
    expect(await list()).toEqual([expect.objectContaining({ email, event: 'signed_in', method: 'password' })]);
  });

  test('that gets a wrong password is a failed attempt in the companies of the person', async () => {
    const [own, inviting] = [await createAuditedCompany(), await createAuditedCompany()];
    const ann = await createPerson(own.company);
    const token = await invite(inviting.company, ann.email);
    const response = await newBrowser().send('POST', '/session/invitation', { token, password: WRONG });
    expect(response.status).toBe(422);
    expect(events(await own.list())[0]).toEqual(['failed', 'password', ann.uniqueId]);
    expect(await inviting.list()).toEqual([]);
  });
});

describe('a session that ends before its time is listed in its company', () => {
  /** A company with a member and a second session of the member. */
  async function createSessions() {
    const audited = await createAuditedCompany();
    const ann = await createPerson(audited.company);
    const browser = newBrowser(undefined, '203.0.113.251');
    await browser.signIn(ann.email, PASSWORD);
    return { ...audited, ann, browser };
  }
  const ended = async ({
    list,
    ann,
  }: {
    list: () => Promise<{ member: string | null; event: string }[]>;
    ann: TestMember;
  }) => (await list()).filter(({ member, event }) => member === ann.uniqueId && event === 'ended');

  test('when the person ends it, with the browser of the session', async () => {
    const sessions = await createSessions();
    const other = (await sessions.ann.caller.account.sessions()).find(({ current }) => !current);
    await sessions.ann.caller.account.endSession({ uniqueId: other?.uniqueId ?? '' });
    expect(await ended(sessions)).toEqual([
      expect.objectContaining({ method: 'password', address: '203.0.113.251', userAgent: USER_AGENT }),
    ]);
  });

  test('when the person changes the password', async () => {
    const sessions = await createSessions();
    await sessions.ann.caller.account.changePassword({ current: PASSWORD, password: `${PASSWORD}!` });
    expect(await ended(sessions)).toEqual([expect.objectContaining({ address: '203.0.113.251' })]);
  });

  test('when the password is reset', async () => {
    const sessions = await createSessions();
    const token = await createResetLink(sessions.ann.person);
    await newBrowser().send('POST', '/session/reset', { token, password: PASSWORD });
    expect(await ended(sessions)).toHaveLength(2);
  });

  test('when the membership ends', async () => {
    const sessions = await createSessions();
    await sessions.company.manage.member.end({ uniqueId: sessions.ann.uniqueId });
    expect(await ended(sessions)).toHaveLength(2);
  });

  test('when the browser signs in again', async () => {
    const sessions = await createSessions();
    await sessions.browser.signIn(sessions.ann.email, PASSWORD);
    expect(events(await sessions.list()).slice(0, 2)).toEqual([
      ['signed_in', 'password', sessions.ann.uniqueId],
      ['ended', 'password', sessions.ann.uniqueId],
    ]);
  });

  test('but not after it ran out', async () => {
    const sessions = await createSessions();
    await sql(`update web_session set expires_at = now() where person_id = $1`, sessions.ann.person);
    await sessions.company.manage.member.end({ uniqueId: sessions.ann.uniqueId });
    expect(await ended(sessions)).toEqual([]);
  });
});

describe('a session', () => {
  test.each([
    ['single_sign_on', 'sso'],
    ['passkey', 'passkey'],
  ])('with %s keeps the method %s when it ends', async (column, method) => {
    const { company, list } = await createAuditedCompany();
    const ann = await createMember(company);
    await sql(`update web_session set ${column} = true where unique_id = $1`, ann.webSession.uniqueId);
    await newBrowser(ann.token).send('DELETE', '/session');
    expect(events(await list())[0]).toEqual(['signed_out', method, ann.uniqueId]);
  });

  test('that acts for another company is a sign-in there with the same method, once', async () => {
    const [here, there] = [await createAuditedCompany(), await createAuditedCompany()];
    const ann = await createMember(here.company);
    const other = await createMember(there.company, { email: ann.email });
    await sql('update web_session set passkey = true where unique_id = $1', ann.webSession.uniqueId);
    const browser = newBrowser(ann.token, '203.0.113.252');
    const act = () => browser.send('PATCH', '/session', { company: there.company.id });
    expect((await Promise.all([act(), act()])).map(({ status }) => status)).toEqual([204, 204]);
    expect((await act()).status).toBe(204);
    expect(await there.list()).toEqual([
      expect.objectContaining({
        event: 'signed_in',
        method: 'passkey',
        address: '203.0.113.252',
        userAgent: USER_AGENT,
      }),
      expect.objectContaining({ member: other.uniqueId, method: 'password' }), // by createMember
    ]);
    expect(await here.list()).toHaveLength(1);
  });
});

test('an unknown passkey is a failed attempt without an email, for the operator', async () => {
  const company = await createCompany();
  const address = '203.0.113.253';
  const part = Buffer.from('{}').toString('base64url');
  const assertion = { clientDataJSON: part, authenticatorData: part, signature: part };
  const response = { id: 'x', rawId: 'x', type: 'public-key', response: assertion };
  expect((await newBrowser(undefined, address).send('POST', '/session/passkey', { response })).status).toBe(401);
  const attempts = (await unknownAttempts(company, null)).filter((attempt) => attempt.address === address);
  expect(attempts).toMatchObject([{ method: 'passkey', member: null }]);
});

describe('management.signIn.list', () => {
  /** A company with entries of two members, each at another time. */
  async function createEntries(count: number) {
    const audited = await createAuditedCompany();
    const members = [await createMember(audited.company), await createMember(audited.company)];
    for (let index = 0; index < count; index += 1) {
      const [one, other] = members.map(({ email, uniqueId }) => ({ email, uniqueId }));
      const member = index % 2 === 0 ? one : other;
      await sql(
        `insert into sign_in (company_id, member_id, email, event, method, user_agent, at)
         values ($1::int, $2::uuid, $3, 'failed', 'password', $4, now() - ($5::int / 3) * interval '1 hour')`,
        audited.company.id,
        member?.uniqueId,
        member?.email,
        `entry ${index}`,
        index,
      );
    }
    return { ...audited, members };
  }

  test('returns pages with cursors, which hold for one list', async () => {
    const { auditor, company, members } = await createEntries(9);
    const { signIn } = auditor.caller.management;
    const all = (await signIn.list()).items;
    expect(all).toHaveLength(12); // with those of createMember
    expect(all.map(({ at }) => at)).toEqual(
      all
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
    const pages = await Array.fromAsync(readPages((from) => signIn.list({ limit: 5, ...from })));
    expect(pages.flatMap(({ items }) => items)).toEqual(all);
    const { nextCursor } = await signIn.list({ limit: 5 });
    const foreign = { limit: 5, cursor: nextCursor ?? '' };
    const invalid = { message: expect.stringContaining('cursor: ') };
    await expect(signIn.list({ ...foreign, member: members[0]?.uniqueId })).rejects.toMatchObject(invalid);
    await expect(company.manage.signIn.list(foreign)).rejects.toMatchObject(invalid);
  });

  test('returns the operator each entry once, also those that name nobody at the same time', async () => {
    const { company } = await createEntries(9);
    const email = newEmail();
    for (let index = 0; index < 6; index += 1)
      await sql(
        `insert into unknown_sign_in (email, method, user_agent, at)
         values ($1, 'password', $2, (select max(at) from sign_in where company_id = $3))`,
        email,
        `unknown ${index}`,
        company.id,
      );
    const collected: string[] = [];
    for await (const { items } of readPages((from) => company.manage.signIn.list({ limit: 2, ...from }))) {
      collected.push(...items.map(({ userAgent }) => userAgent));
      if (collected.length >= 200) break;
    }
    for (const name of ['entry', 'unknown'])
      expect(collected.filter((text) => text.startsWith(name)).toSorted()).toEqual(
        Array.from({ length: name === 'entry' ? 9 : 6 }, (_, index) => `${name} ${index}`),
      );
  });

  test('returns the entries of one member', async () => {
    const { auditor, company, members } = await createEntries(4);
    const [first] = members;
    const member = first?.uniqueId ?? '';
    const { items } = await auditor.caller.management.signIn.list({ member });
    expect(items.map((item) => item.member)).toEqual([member, member, member]);
    expect((await company.manage.signIn.list({ member })).items).toEqual(items);
    expect(await auditor.caller.management.signIn.list({ member: newUniqueId() })).toEqual({
      items: [],
      nextCursor: null,
    });
    await expect(auditor.caller.management.signIn.list({ member: 'ann' })).rejects.toMatchObject({
      message: 'member: expected the uniqueId of a member',
    });
  });

  test('admits admins, auditors and the operator, and neither editors nor API keys', async () => {
    const company = await createCompany();
    const path = '/trpc/management.signIn.list';
    const ask = async (role: 'admin' | 'auditor' | 'editor') => {
      const { token, caller } = await createMember(company, { role });
      return { response: await newBrowser(token).send('GET', path), caller };
    };
    for (const role of ['admin', 'auditor'] as const) {
      const { response, caller } = await ask(role);
      expect(response.status).toBe(200);
      expect(response.body).toEqual({ result: { data: await caller.management.signIn.list() } });
    }
    const { response, caller } = await ask('editor');
    expect(statusAndCode(response)[0]).toBe(403);
    await expect(caller.management.signIn.list()).rejects.toMatchObject({
      message: 'role: your role, editor, cannot read the settings of the company',
    });
    expect((await http('GET', path, { key: company.key, baseUrl: app.url })).status).toBe(403);
    const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}`, 'X-Company-Id': String(company.id) };
    expect((await http('GET', path, { headers, baseUrl: app.url })).status).toBe(200);
  });
});

test('entries are deleted after 400 days, and those that name nobody after 30', async () => {
  const { company } = await createAuditedCompany();
  const ann = await createMember(company);
  const email = newEmail();
  for (const days of [0, 399, 400])
    await sql(
      `insert into sign_in (company_id, member_id, email, event, method, user_agent, at)
       values ($1, $2, $3, 'failed', 'password', $4, now() - $5::int * interval '1 day')`,
      company.id,
      ann.uniqueId,
      ann.email,
      `day ${days}`,
      days,
    );
  for (const days of [0, 29, 30])
    await sql(
      `insert into unknown_sign_in (email, method, user_agent, at) values ($1, 'password', $2, now() - $3::int * interval '1 day')`,
      email,
      `day ${days}`,
      days,
    );
  await runJob(deleteExpiredSignIns.name);
  const left = [
    await sql(`select user_agent from sign_in where member_id = $1 and event = 'failed' order by at`, ann.uniqueId),
    await sql('select user_agent from unknown_sign_in where email = $1 order by at', email),
  ];
  expect(left).toEqual([
    [{ user_agent: 'day 399' }, { user_agent: 'day 0' }],
    [{ user_agent: 'day 29' }, { user_agent: 'day 0' }],
  ]);
});
