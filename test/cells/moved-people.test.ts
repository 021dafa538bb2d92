import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { OPERATOR } from '../../entities/company/user.ts';
import { resetPersonPassword } from '../../entities/person/credentials.ts';
import { unsubscribeToken } from '../../procedures/mail/unsubscribe.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { startApp } from '../support/http/app.ts';
import { Browser, statusAndCode } from '../support/http/browser.ts';
import { asOwner, database, sql } from '../support/database/database.ts';
import { registerPasskey } from '../support/sign-in/passkey.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';
import { OTHER_CELL, moveAway } from '../support/cells/moved.ts';
import {
  PASSWORD,
  createResetLink,
  invite,
  newEmail,
  passwordHash,
  readPerson,
  setUpTotp,
  updateMember,
} from '../support/tenants/sign-in.ts';

// Contract, section 23: what people of a company that was moved away get.

const MESSAGE = `The company was moved to ${OTHER_CELL}.`;
const misdirected = { status: 421, headers: { 'x-error-code': 'misdirected' }, body: { error: MESSAGE } };

const lines: { fields: Record<string, unknown>; line: string }[] = [];
const silent = createLog('silent');
const log = Object.assign(Object.create(silent) as typeof silent, {
  info: (fields: Record<string, unknown>, line: string) => void lines.push({ fields, line }),
});
const app = await startApp({ services: { ...services, appUrl: () => app.url }, trustProxy: 1, log });
afterAll(() => app.stop());

let addressCount = 0;
const newBrowser = () => new Browser(app.url, { 'X-Forwarded-For': `203.0.113.${(addressCount += 1)}` });
const signIn = (email: string, password: string, code?: string) =>
  newBrowser().send('POST', '/session', { email, password, ...(code !== undefined && { code }) });

const createMoved = async () => {
  const acme = await createCompany();
  const ann = await createMember(acme, { password: passwordHash });
  return { acme, ann };
};

describe('a person whose only company was moved away', () => {
  test('gets 421 with the right password, and 401 with a wrong one or with a session', async () => {
    const { acme, ann } = await createMoved();
    const browser = newBrowser();
    expect(await browser.signIn(ann.email, PASSWORD)).toEqual([204]);
    await moveAway(acme);
    expect(statusAndCode(await browser.send('GET', '/session'))).toEqual([401, 'unauthorized']);
    const wrong = await signIn(ann.email, 'a wrong password');
    const unknown = await signIn(newEmail(), PASSWORD);
    expect([wrong.status, wrong.body]).toEqual([401, unknown.body]);
    const response = await signIn(ann.email, PASSWORD);
    expect(response).toMatchObject(misdirected);
    expect(response.headers['set-cookie']).toBeUndefined();
  });

  test('is rejected before the code of the second factor, which stays unused', async () => {
    const { acme, ann } = await createMoved();
    const code = await setUpTotp(ann.person);
    await moveAway(acme);
    expect(await signIn(ann.email, PASSWORD)).toMatchObject(misdirected);
    expect(await signIn(ann.email, PASSWORD, code())).toMatchObject(misdirected);
    expect(await sql('select totp_last_step from person where unique_id = $1', ann.person)).toEqual([
      { totp_last_step: null },
    ]);
  });

  test('does not fail to sign in, neither in the list nor for the limits, and the log says why', async () => {
    const { acme, ann } = await createMoved();
    await moveAway(acme);
    const browser = newBrowser();
    lines.length = 0;
    for (let count = 0; count < 12; count++)
      expect(await browser.signIn(ann.email, PASSWORD)).toEqual([421, 'misdirected']);
    expect(await sql(`select 1 from sign_in where company_id = $1 and event = 'failed'`, acme.id)).toEqual([]);
    expect(lines.at(-1)).toMatchObject({
      fields: { reason: 'moved_company', person: ann.person },
      line: 'sign-in: incomplete',
    });
  });

  test('gets 421 for a reset link and an unsubscribe link, and nothing changes', async () => {
    const { acme, ann } = await createMoved();
    const token = await createResetLink(ann.person);
    const secret = await new Session(database, null, 'test').installation.unsubscribeSecret();
    const unsubscribe = unsubscribeToken(secret, ann.person, ['assigned']);
    await moveAway(acme);
    expect(await newBrowser().send('POST', '/session/reset', { token, password: 'another password' })).toMatchObject(
      misdirected,
    );
    expect((await readPerson(ann.person)).password).toBe(passwordHash);
    expect(await sql('select 1 from reset_link where person_id = $1', ann.person)).toHaveLength(1);
    expect(await newBrowser().send('POST', `/session/unsubscribe/${unsubscribe}`)).toMatchObject(misdirected);
    expect(await sql('select mail_assigned from person where unique_id = $1', ann.person)).toEqual([
      { mail_assigned: true },
    ]);
    const forged = unsubscribeToken(randomBytes(32), ann.person, ['assigned']);
    expect((await newBrowser().send('POST', `/session/unsubscribe/${forged}`)).status).toBe(404);
    expect((await newBrowser().send('POST', '/session/reset', { token: 'unknown', password: PASSWORD })).status).toBe(
      404,
    );
  });

  test('gets 503 for a change under way at the switch, which the copy in the other cell would lack', async () => {
    const { acme, ann } = await createMoved();
    const rival = await createCompany('Rival');
    const shared = await createMember(acme, { password: passwordHash });
    await createMember(rival, { email: shared.email });
    const session = new Session(database, null, 'test');
    let changes: Promise<PromiseSettledResult<unknown>[]> = Promise.resolve([]);
    await asOwner(
      async (run) => {
        await run('select from person where unique_id = any($1::uuid[]) for no key update', [
          ann.person,
          shared.person,
        ]);
        changes = Promise.allSettled(
          [ann, shared].map(({ person }) => session.run(resetPersonPassword, { person, password: 'changed' })),
        );
        await run(`update company set frozen_at = now(), moved_to = $2 where id = $1`, acme.id, OTHER_CELL);
      },
      { company: acme.id, user: OPERATOR.uniqueId },
    );
    const [lost, kept] = await changes;
    expect(lost).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
    expect((await readPerson(ann.person)).password).toBe(passwordHash);
    // A person with another company in this cell has an account in each.
    expect(kept).toMatchObject({ status: 'fulfilled' });
    expect((await readPerson(shared.person)).password).toBe('changed');
  });

  test('gets 421 with a passkey', async () => {
    const { acme, ann } = await createMoved();
    const respond = await registerPasskey(app.url, ann.person, newBrowser());
    const send = (body: object) => newBrowser().send('POST', '/session/passkey', body);
    expect((await send(await respond())).status).toBe(204);
    await moveAway(acme);
    const body = await respond();
    // Browsers repeat a request once that got 421.
    expect([await send(body), await send(body)]).toMatchObject([misdirected, misdirected]);
    expect(statusAndCode(await send(await respond(true)))).toEqual([401, 'unauthorized']);
  });

  test('cannot delete the account of the copy, which goes with the company', async () => {
    const { acme, ann } = await createMoved();
    const bob = await createMember(acme, { password: passwordHash });
    await updateMember(acme, bob.uniqueId, { isEnded: true });
    const code = await setUpTotp(bob.person);
    await moveAway(acme);
    const erase = (email: string, password: string) =>
      newBrowser().send('POST', '/session/delete', { email, password });
    for (const { email } of [ann, bob]) {
      expect((await erase(email, 'a wrong password')).status).toBe(401);
      expect(await erase(email, PASSWORD)).toMatchObject(misdirected);
    }
    const withCode = { email: bob.email, password: PASSWORD, code: code() };
    for (let count = 0; count < 2; count++)
      expect(await newBrowser().send('POST', '/session/delete', withCode)).toMatchObject(misdirected);
    expect(await sql('select 1 from person where unique_id = any($1::uuid[])', [ann.person, bob.person])).toHaveLength(
      2,
    );
  });
});

describe('a person with another company in this cell', () => {
  test('is signed in there, and gets 421 for a switch to the one that was moved', async () => {
    const { acme, ann } = await createMoved();
    const rival = await createCompany('Rival');
    await createMember(rival, { email: ann.email });
    const before = newBrowser();
    expect(await before.signIn(ann.email, PASSWORD)).toEqual([204]);
    expect((await before.send('PATCH', '/session', { company: acme.id })).status).toBe(204);
    await moveAway(acme);
    const browser = newBrowser();
    expect(await browser.signIn(ann.email, PASSWORD)).toEqual([204]);
    expect((await browser.send('GET', '/session')).body).toMatchObject({
      company: { id: rival.id },
      companies: [{ id: rival.id, name: 'Rival', role: 'admin' }],
    });
    expect(await browser.send('PATCH', '/session', { company: acme.id })).toMatchObject(misdirected);
    expect((await browser.send('PATCH', '/session', { company: acme.id + 1_000_000 })).status).toBe(404);
    expect((await browser.send('POST', '/trpc/account.update', { name: 'Anna' })).status).toBe(200);
    const names = await sql<{ company_id: number; name: string }>(
      'select u.company_id, u.name from company_user u join member m using (company_id, unique_id) where m.person_id = $1 order by 1',
      ann.person,
    );
    expect(names).toEqual([
      { company_id: acme.id, name: 'Ann' },
      { company_id: rival.id, name: 'Anna' },
    ]);
    const token = await createResetLink(ann.person);
    expect((await newBrowser().send('POST', '/session/reset', { token, password: 'another password' })).status).toBe(
      204,
    );
  });

  test('whom the other one has ended gets 421', async () => {
    const { acme, ann } = await createMoved();
    const rival = await createCompany('Rival');
    await createMember(rival);
    const inRival = await createMember(rival, { email: ann.email });
    await moveAway(acme);
    await updateMember(rival, inRival.uniqueId, { isEnded: true });
    expect(await signIn(ann.email, PASSWORD)).toMatchObject(misdirected);
  });
});

describe('an invitation to a company that was moved away', () => {
  test('is 421 for a look and for accepting, and is not used', async () => {
    const { acme } = await createMoved();
    const email = newEmail();
    const token = await invite(acme, email);
    await moveAway(acme);
    expect(await newBrowser().send('POST', '/session/invitation/look', { token })).toMatchObject(misdirected);
    const body = { token, name: 'Bob', password: PASSWORD };
    expect(await newBrowser().send('POST', '/session/invitation', body)).toMatchObject(misdirected);
    expect(await sql('select used_at from invitation where email = $1', email)).toEqual([{ used_at: null }]);
    expect(await sql('select 1 from person where email = $1', email)).toEqual([]);
  });
});
