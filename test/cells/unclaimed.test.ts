import { afterAll, describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { findActiveMembers } from '../../entities/member/management.ts';
import { createCaller } from '../../procedures/index.ts';
import { identifyMembers } from '../../procedures/member/identity.ts';
import { createArrived, personExists } from '../support/cells/moved.ts';
import { database, sql } from '../support/database/database.ts';
import { startApp } from '../support/http/app.ts';
import { Browser } from '../support/http/browser.ts';
import { addItems, startMailing } from '../support/tenants/mails.ts';
import { services } from '../support/tenants/member.ts';
import { PASSWORD } from '../support/tenants/sign-in.ts';

// Contract, section 23: a member arrived with a company, and another person of this cell has the email.

const app = await startApp({ services });
afterAll(() => app.stop());

const newBrowser = () => new Browser(app.url);

describe('an unclaimed member', () => {
  test('is shown with its own email, and mails go there', async () => {
    const { acme, admin, ann } = await createArrived();
    const { member } = admin.caller.management;
    const listed = (await member.list()).find(({ uniqueId }) => uniqueId === ann.uniqueId);
    expect(listed).toMatchObject({ email: ann.email, name: 'Ann', role: 'editor', endedAt: null });
    expect(await admin.caller.member.list()).toContainEqual(
      expect.objectContaining({ uniqueId: ann.uniqueId, email: ann.email }),
    );

    const mailing = await startMailing();
    const { uniqueId: resource } = await acme.newTask();
    await addItems(acme, ann, { resource, actor: admin.uniqueId, at: mailing.now() });
    mailing.later(2);
    await mailing.run();
    expect(mailing.take().flatMap(({ recipients }) => recipients)).toContain(ann.email);
  });

  test('keeps its identity: no job records the placeholder', async () => {
    const { acme, ann } = await createArrived();
    await identifyMembers(new Session(database, null, 'unclaimed'));
    const emails = await sql(
      'select email from identity where company_id = $1 and member_id = $2',
      acme.id,
      ann.uniqueId,
    );
    expect(emails).toEqual([{ email: ann.email }]);
  });

  test('is nobody who signs in, and gets no reset link', async () => {
    const { acme, admin, ann } = await createArrived();
    expect(await newBrowser().signIn(`${ann.person}@unclaimed.invalid`, PASSWORD)).toEqual([401, 'unauthorized']);
    const browser = newBrowser();
    expect(await browser.signIn(ann.email, PASSWORD)).toEqual([204]);
    expect((await browser.send('PATCH', '/session', { company: acme.id })).status).toBe(404);
    const asOperator = createCaller({ ...admin.context, caller: 'operator' });
    for (const { management } of [admin.caller, asOperator])
      await expect(management.member.resetPassword({ uniqueId: ann.uniqueId })).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('invite the email'),
      });
    expect(await sql('select 1 from reset_link where person_id = $1', ann.person)).toEqual([]);
  });

  test('is changed, ended and forgotten as any other', async () => {
    const { acme, admin, ann, account, invite } = await createArrived();
    const { member, invitation } = admin.caller.management;
    await invite();
    expect(await member.update({ uniqueId: ann.uniqueId, role: 'auditor', frameworks: null })).toMatchObject({
      role: 'auditor',
      email: ann.email,
    });
    await member.end({ uniqueId: ann.uniqueId });
    await member.forget({ uniqueId: ann.uniqueId });
    expect(await personExists(ann.person)).toBe(false);
    expect(await personExists(account?.person ?? '')).toBe(true);
    expect(await invitation.list()).toEqual([]);
    expect(await sql('select 1 from identity where company_id = $1 and member_id = $2', acme.id, ann.uniqueId)).toEqual(
      [],
    );
  });

  test('is the assignee that an import names by email', async () => {
    const { admin, ann } = await createArrived();
    await expect(admin.caller.management.member.invite({ email: admin.email, role: 'editor' })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'email: is already a member',
    });
    const found = await admin.context.session.run(findActiveMembers, { emails: [ann.email, admin.email] });
    expect(new Map(found.map(({ email, unique_id }) => [email, unique_id]))).toEqual(
      new Map([ann, admin].map(({ email, uniqueId }) => [email, uniqueId])),
    );
  });
});
