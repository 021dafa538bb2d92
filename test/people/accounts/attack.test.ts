import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { Session } from '../../../database/session.ts';
import { operatorPrincipal } from '../../../entities/principal.ts';
import { newUniqueId } from '../../../entities/ids.ts';
import type { Services } from '../../../procedures/core/services.ts';
import { createCaller } from '../../../procedures/index.ts';
import { database, sql } from '../../support/database/database.ts';
import { startApp } from '../../support/http/app.ts';
import { Browser, statusAndCode } from '../../support/http/browser.ts';
import { startSingleSignOn } from '../../support/sign-in/single-sign-on.ts';
import { createCompany } from '../../support/tenants/company.ts';
import { createMember, mailServices, services } from '../../support/tenants/member.ts';
import { mailedToken } from '../../support/tenants/queued-mails.ts';
import { PASSWORD, newEmail, setUpTotp, shown } from '../../support/tenants/sign-in.ts';

// An admin of a company takes the address of a stranger, and waits for the stranger's place in another company. Contract, section 31.

const STOLEN = 'a password of the attacker';

const operatorOf = (company: number, given: Services) =>
  createCaller({
    requestId: 'accounts',
    caller: 'operator',
    address: null,
    session: new Session(database, operatorPrincipal(company), 'accounts'),
    services: given,
  });

const addPasskey = (person: string) =>
  sql(
    `insert into passkey (unique_id, person_id, credential_id, public_key, counter, transports)
     values ($1, $2, $3, $4, 0, '{}')`,
    newUniqueId(),
    person,
    randomBytes(16).toString('base64url'),
    randomBytes(77),
  );

const credentialsOf = async (person: string) =>
  (
    await sql(
      `select (select count(*)::int from passkey where person_id = $1) as passkeys,
        (select count(*)::int from web_session where person_id = $1) as sessions,
        totp_secret is not null as totp, proven_at is not null as proven
      from person where unique_id = $1`,
      person,
    )
  )[0];

const sessionOf = async (person: string) =>
  (await sql<{ id: string }>('select unique_id as id from web_session where person_id = $1', person))[0]?.id ?? '';

const personOf = async (email: string) =>
  (await sql<{ person: string }>('select unique_id as person from person where email = $1', email))[0]?.person ?? '';

describe.each([
  { mail: 'without mail', given: services },
  { mail: 'with mail', given: mailServices },
])('an admin who invites a stranger, $mail,', ({ given }) => {
  const app = startApp({ services: given, trustProxy: 1 });
  afterAll(async () => (await app).stop());
  let addresses = 0;
  const newBrowser = async () => new Browser((await app).url, { 'X-Forwarded-For': `203.0.113.${(addresses += 1)}` });
  const accept = async (body: object) => (await newBrowser()).send('POST', '/session/invitation', body);

  /** The attacker has an account with the address of the victim, with a password, a second factor, a passkey and a session. */
  async function takeAddress() {
    const mallory = await createMember(await createCompany('Attackers'));
    const email = newEmail();
    const caller = createCaller({ ...mallory.context, services: given });
    const invited = await caller.management.member.invite({ email, role: 'editor' });
    if (given.hasMail) {
      // The admin does not see the link, and the operator, who does, gives it away.
      expect(invited.link).toBeNull();
      await expect(caller.management.member.invite({ email, role: 'editor', showLink: true })).rejects.toMatchObject({
        code: 'FORBIDDEN',
      });
    }
    const link = given.hasMail
      ? await operatorOf(mallory.context.session.principal?.company ?? 0, given).management.member.invite({
          email,
          role: 'editor',
          showLink: true,
        })
      : invited;
    const token = shown(link).split('/').at(-1);
    expect((await accept({ token, name: 'Mallory', password: STOLEN })).status).toBe(204);
    const person = await personOf(email);
    await setUpTotp(person);
    await addPasskey(person);
    return { mallory, email, person };
  }

  test('gains nothing in the company that invites the stranger later', async () => {
    const { email, person, mallory } = await takeAddress();
    const bank = await createCompany('Bank');
    const boss = await createMember(bank);
    const caller = createCaller({ ...boss.context, services: given });
    const invitation = await caller.management.member.invite({ email, role: 'admin' });
    // The attacker, who has a session of the account, does not learn of the invitation.
    const webSession = { uniqueId: await sessionOf(person), person, singleSignOn: false };
    const attacker = createCaller({ ...mallory.context, services: given, webSession });
    const { invitations } = await attacker.account.data();
    expect(new Set(invitations.map(({ company }) => company.name))).toEqual(new Set(['Attackers']));
    if (invitation.link === null) {
      // The victim has the mail, and chooses a password. Nothing of the attacker is left.
      const token = await mailedToken(email);
      const look = await (await newBrowser()).send('POST', '/session/invitation/look', { token });
      expect(look.body).toMatchObject({ account: false });
      expect((await accept({ token, password: STOLEN })).status).toBe(400);
      expect((await accept({ token, name: 'Vera', password: PASSWORD })).status).toBe(204);
      expect(await credentialsOf(person)).toEqual({ passkeys: 0, sessions: 1, totp: false, proven: true });
      expect(await (await newBrowser()).signIn(email, STOLEN)).toEqual([401, 'unauthorized']);
      expect(await (await newBrowser()).signIn(email, PASSWORD)).toEqual([204]);
      expect(await caller.member.list()).toContainEqual(expect.objectContaining({ email, name: 'Vera', ended: false }));
    } else {
      // Who has the link may be the attacker: nobody accepts it before the operator has confirmed the account.
      const token = shown(invitation).split('/').at(-1);
      const look = await (await newBrowser()).send('POST', '/session/invitation/look', { token });
      expect(look.body).toMatchObject({ account: null });
      for (const body of [
        { token, password: STOLEN },
        { token, name: 'Vera', password: PASSWORD },
      ]) {
        const response = await accept(body);
        expect(statusAndCode(response)).toEqual([422, 'unprocessable']);
        expect(response.body).toEqual({ error: expect.stringContaining('ask the operator') });
      }
      expect((await caller.member.list()).map((member) => member.email)).toEqual([boss.email]);
    }
  });

  test('keeps no passkey through the reset of the operator', async () => {
    const { email, person, mallory } = await takeAddress();
    const { member } = operatorOf(mallory.context.session.principal?.company ?? 0, given).management;
    const uniqueId = (await member.list()).find((one) => one.email === email)?.uniqueId ?? '';
    const { link } = await member.resetPassword({ uniqueId });
    const token = link === null ? await mailedToken(email) : link.split('/').at(-1);
    const reset = await (await newBrowser()).send('POST', '/session/reset', { token, password: PASSWORD });
    expect(reset.status).toBe(204);
    // A mailed link proves the address, and then removes the second factor too, which the person could not have.
    expect(await credentialsOf(person)).toEqual({
      passkeys: 0,
      sessions: 0,
      totp: !given.hasMail,
      proven: given.hasMail,
    });
    expect((await (await newBrowser()).signIn(email, STOLEN))[0]).toBe(401);
  });

  test('is believed if the operator confirms the address, which removes nothing', async () => {
    const { email, person } = await takeAddress();
    const before = await credentialsOf(person);
    const operator = operatorOf((await createCompany()).id, given);
    expect(await operator.management.member.prove({ email })).toMatchObject({ email });
    expect(await credentialsOf(person)).toEqual({ ...before, proven: true });
    await expect(operator.management.member.prove({ email: newEmail() })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('an admin who accepts an invitation of another company for the address of one of its people', () => {
  const sso = startSingleSignOn();
  afterAll(async () => (await sso).stop());

  test('loses password, passkey, second factor and sessions when the victim signs in through the provider', async () => {
    const { createSsoCompany, useAccount, signIn, appUrl, sessionStatus } = await sso;
    const { domain, company } = await createSsoCompany();
    const email = `victim@${domain}`;
    const mallory = await createMember(await createCompany('Attackers'));
    const { link } = await mallory.caller.management.member.invite({ email, role: 'editor' });
    const attacker = new Browser(appUrl);
    const token = shown({ link }).split('/').at(-1);
    expect((await attacker.send('POST', '/session/invitation', { token, name: 'M', password: STOLEN })).status).toBe(
      204,
    );
    const person = await personOf(email);
    await setUpTotp(person);
    await addPasskey(person);

    useAccount(email);
    const victim = await signIn(email);
    expect(victim.path).toBe('/');
    expect(await sessionStatus(victim.browser)).toBe(200);
    expect(await credentialsOf(person)).toEqual({ passkeys: 0, sessions: 1, totp: false, proven: true });
    expect((await attacker.send('GET', '/session')).status).toBe(401);
    expect(await new Browser(appUrl).signIn(email, STOLEN)).toEqual([401, 'unauthorized']);
    expect((await company.manage.member.list()).map((member) => member.email)).toContain(email);
    // The company in which the attacker was a member hears of it.
    const actions = await sql<{ action: string }>(
      `select action from audit_event where company_id = $1 and action like 'member.%' order by id`,
      mallory.context.session.principal?.company,
    );
    expect(actions.at(-1)?.action).toBe('member.passwordReset');
  });
});
