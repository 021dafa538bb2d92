import { afterAll, describe, expect, test } from 'vitest';
import { OPERATOR } from '../../entities/company/user.ts';
import { makeUnclaimed, memberRow, moveAway, OTHER_CELL, personExists } from '../support/cells/moved.ts';
import { asOwner } from '../support/database/database.ts';
import { startSingleSignOn } from '../support/sign-in/single-sign-on.ts';
import { createBrowser } from '../support/sign-in/browser.ts';
import { membersOf } from '../support/sign-in/sso-company.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { PASSWORD, passwordHash, setUpTotp } from '../support/tenants/sign-in.ts';

// Contract, section 23: single sign-on after a move.

const sso = await startSingleSignOn();
const { createSsoCompany, useAccount, signIn, link } = sso;
afterAll(sso.stop);

const MESSAGE = `The company was moved to ${OTHER_CELL}.`;
const FIRST = 'You must accept an invitation to this company first. Ask an admin of your company for one.';

/** A company with single sign-on whose member is unclaimed, and is linked to an account of the provider. */
async function createLinked({ required = false } = {}) {
  const { company, admin, domain } = await createSsoCompany({ required });
  const email = `ann@${domain}`;
  const ann = await createMember(company, { email, role: 'auditor' });
  const sub = useAccount(email, { name: 'Ann' });
  await asOwner(
    (run) =>
      run(
        'update member set single_sign_on = $1, single_sign_on_subject = $2 where unique_id = $3',
        sso.idp.issuer,
        sub,
        ann.uniqueId,
      ),
    { company: company.id, user: OPERATOR.uniqueId },
  );
  await makeUnclaimed(ann.person);
  const rival = await createCompany('Rival');
  const account = await createMember(rival, { email, password: passwordHash, isProven: true });
  const invite = () => admin.caller.management.member.invite({ email, role: 'editor' });
  return { company, ann, email, account, invite };
}

describe('single sign-on of an unclaimed member', () => {
  test('is 403 without an invitation, also with the account to which the member is linked', async () => {
    for (const required of [false, true]) {
      const { company, ann, email } = await createLinked({ required });
      expect(await signIn(email)).toMatchObject({ status: 403, body: { error: FIRST } });
      useAccount(email);
      expect(await signIn(email)).toMatchObject({ status: 403, body: { error: FIRST } });
      expect(await memberRow(ann.uniqueId)).toMatchObject({ person_id: ann.person });
      expect(await company.manage.member.list()).toHaveLength(2);
    }
  });

  test('with an invitation needs the password of the account, then signs in as that member', async () => {
    for (const required of [false, true]) {
      const { company, ann, email, account, invite } = await createLinked({ required });
      await invite();
      const { browser, path } = await signIn(email);
      expect(path).toBe('/sign-in/link');
      expect((await link(browser, { password: 'a wrong password' })).status).toBe(422);
      expect(await personExists(ann.person)).toBe(true);
      expect((await link(browser, { password: PASSWORD })).status).toBe(204);
      expect(await sso.sessionStatus(browser)).toBe(200);
      expect(await memberRow(ann.uniqueId)).toMatchObject({ person_id: account.person, role: 'auditor' });
      expect(await personExists(ann.person)).toBe(false);
      expect(await company.manage.invitation.list()).toEqual([]);
      expect(await company.manage.member.list()).toHaveLength(2);
    }
  });

  test('of another account at the same provider is 403 with an invitation too, and nothing changes', async () => {
    const { ann, email, invite } = await createLinked();
    await invite();
    useAccount(email);
    const { browser } = await signIn(email);
    expect((await link(browser, { password: PASSWORD })).status).toBe(403);
    expect(await memberRow(ann.uniqueId)).toMatchObject({ person_id: ann.person });
  });
});

describe('single sign-on of a company that was moved away', () => {
  test('is 421 at its start, and ends the sessions', async () => {
    const { company, domain } = await createSsoCompany({});
    const email = `bob@${domain}`;
    useAccount(email);
    const { browser } = await signIn(email);
    expect(await sso.sessionStatus(browser)).toBe(200);
    await moveAway(company);
    expect(await sso.sessionStatus(browser)).toBe(401);
    const misdirected = { status: 421, body: { error: MESSAGE } };
    expect(await signIn(email)).toMatchObject(misdirected);
  });

  test('is 421 at the end of one that had begun, and with the right password of a link', async () => {
    const { company, domain } = await createSsoCompany({});
    const [ann, bob] = [`ann@${domain}`, `bob@${domain}`];
    const { person } = await createMember(company, { email: ann, password: passwordHash, isProven: true });
    const code = await setUpTotp(person);
    useAccount(ann);
    const { browser, path } = await signIn(ann);
    expect(path).toBe('/sign-in/link');
    useAccount(bob);
    const other = createBrowser();
    const { url } = await other.follow(sso.startUrl(bob), sso.isCallback);
    await moveAway(company);
    // As browsers do, `fetch` repeats a request once that got 421.
    const callback = await other.get(url.href);
    expect([callback.status, await callback.json()]).toEqual([421, { error: MESSAGE }]);
    expect(await membersOf(company.id, bob)).toEqual([]);
    expect((await link(browser, { password: 'a wrong password' })).status).toBe(422);
    const linked = await link(browser, { password: PASSWORD, code: code() });
    expect([linked.status, await linked.json()]).toEqual([421, { error: MESSAGE }]);
  });
});
