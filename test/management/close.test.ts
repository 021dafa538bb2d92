import { afterAll, describe, expect, test } from 'vitest';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { Session } from '../../database/session.ts';
import { findSsoByDomain } from '../../entities/single-sign-on/sso.ts';
import type { Context } from '../../procedures/core/context.ts';
import { createCaller } from '../../procedures/index.ts';
import { JOBS } from '../../procedures/jobs/registry.ts';
import { createAuthentication } from '../../server/auth/authenticate.ts';
import { WORK, createCompanyWithWork } from '../support/cells/work.ts';
import { startApp } from '../support/http/app.ts';
import { Browser, statusAndCode } from '../support/http/browser.ts';
import { OPERATOR_TOKEN, callerForKey, createCompany, operator } from '../support/tenants/company.ts';
import { mailsTo } from '../support/tenants/queued-mails.ts';
import { shown } from '../support/tenants/sign-in.ts';
import { createMember, mailServices, services } from '../support/tenants/member.ts';
import { PASSWORD, passwordHash } from '../support/tenants/sign-in.ts';
import { createWebhookKey, deliver, sealAll, startReceiver } from '../support/tenants/webhooks.ts';
import { database, databaseUrl, sql } from '../support/database/database.ts';

const app = await startApp({ services });
// Another process on PostgreSQL. The embedded database has one.
const other = databaseUrl === undefined ? database : await openPostgreSql(databaseUrl);
if (other !== database) await other.start();
afterAll(async () => {
  await app.stop();
  if (other !== database) await other.close();
});

const session = new Session(database, null, 'close');
const browserOf = ({ token }: { token: string }) => new Browser(app.url, { cookie: `session-3000=${token}` });
const companyEvents = async ({ events }: Awaited<ReturnType<typeof createCompany>>) =>
  (await events()).filter(({ action }) => action === 'company.update').map(({ changes }) => changes);

describe('company.close', () => {
  test('needs the name, is audited once, and reopen takes it back', async () => {
    const acme = await createCompany();
    const { company } = acme.manage;
    await expect(company.close({ name: 'Acm' })).rejects.toMatchObject({
      cause: { reason: 'unprocessable', message: expect.stringMatching(/^name: /) },
    });
    await expect(company.reopen({ name: 'Acm' })).rejects.toThrow('name: ');
    expect(await company.reopen()).toMatchObject({ id: acme.id, closedAt: null });
    expect(await companyEvents(acme)).toEqual([]);
    const closed = await company.close({ name: 'Acme' });
    expect(closed).toMatchObject({ id: acme.id, name: 'Acme', closedAt: expect.any(String) });
    expect(await company.close({ name: 'Acme' })).toEqual(closed);
    expect(await operator.company.list()).toContainEqual(closed);
    expect(await companyEvents(acme)).toEqual([{ closed_at: { from: null, to: expect.any(String) } }]);
    expect((await acme.manage.audit.verify({})).intact).toBe(true);
    await acme.manage.framework.create({ name: 'While closed' });
    expect(await company.reopen({ name: 'Acme' })).toEqual({ ...closed, closedAt: null });
    expect(await company.reopen({})).toEqual({ ...closed, closedAt: null });
    expect(await companyEvents(acme)).toHaveLength(2);
    const [event] = (await acme.manage.audit.list({ action: 'company.update' })).items;
    expect(event?.changes).toEqual({ closedAt: { from: closed.closedAt, to: null } });
  });

  test('rejects its keys at once in every process, and not those of another company', async () => {
    const acme = await createCompany();
    const rival = await createCompany('Rival');
    const authentications = [database, other].map((one) => createAuthentication(one, OPERATOR_TOKEN));
    const outcomes = (key: string) =>
      Promise.all(
        authentications.map((one) =>
          one.apiKey({ headers: { 'x-api-key': key }, address: null, requestId: 'x' }).then(
            () => 'accepted',
            (error: { code: string }) => error.code,
          ),
        ),
      );
    expect(await outcomes(acme.key)).toEqual(['accepted', 'accepted']);
    expect(await outcomes(rival.key)).toEqual(['accepted', 'accepted']);
    await acme.manage.company.close({ name: 'Acme' });
    await expect
      .poll(() => outcomes(acme.key), { timeout: 500, interval: 5 })
      .toEqual(['unauthorized', 'unauthorized']);
    expect(await outcomes(rival.key)).toEqual(['accepted', 'accepted']);
    await acme.manage.company.reopen();
    await expect.poll(() => outcomes(acme.key), { timeout: 500, interval: 5 }).toEqual(['accepted', 'accepted']);
  });

  test('ends what its members may do, and leaves a person the other company', async () => {
    const acme = await createCompany();
    const rival = await createCompany('Rival');
    const ann = await createMember(acme, { password: passwordHash });
    const bob = await createMember(acme, { password: passwordHash });
    const inRival = await createMember(rival, { email: bob.email });
    const inAcme = await createMember(acme, { email: `${ann.uniqueId}@acme.example` });
    await acme.manage.company.close({ name: 'Acme' });
    for (const member of [ann, bob, inAcme])
      expect(statusAndCode(await browserOf(member).send('GET', '/session'))).toEqual([401, 'unauthorized']);
    expect(await new Browser(app.url).signIn(ann.email, PASSWORD)).toEqual([401, 'unauthorized']);
    const browser = new Browser(app.url);
    expect(await browser.signIn(bob.email, PASSWORD)).toEqual([204]);
    const { body } = await browser.send('GET', '/session');
    expect(body).toMatchObject({ company: { id: rival.id }, companies: [{ id: rival.id }] });
    expect((await browser.send('PATCH', '/session', { company: acme.id })).status).toBe(404);
    expect((await browserOf(inRival).send('GET', '/session')).body).toMatchObject({ companies: [{ id: rival.id }] });
    expect((await browser.send('POST', '/trpc/account.update', { name: 'Robert' })).status).toBe(200);
    const names = async (id: number) =>
      (
        await sql<{ name: string }>(
          `select name from company_user where company_id = $1 and unique_id = any($2::uuid[])`,
          id,
          [bob.uniqueId, inRival.uniqueId],
        )
      ).map(({ name }) => name);
    expect([await names(acme.id), await names(rival.id)]).toEqual([['Ann'], ['Robert']]);
    await acme.manage.company.reopen();
    expect((await browserOf(ann).send('GET', '/session')).status).toBe(200);
    expect((await browser.send('PATCH', '/session', { company: acme.id })).status).toBe(204);
  });

  test('lets nobody accept an invitation or use its single sign-on', async () => {
    const acme = await createCompany();
    const admin = await createMember(acme);
    const email = `${admin.uniqueId}@new.example`;
    const link = shown(await admin.caller.management.member.invite({ email, role: 'editor' }));
    const domain = `${admin.uniqueId}.example`;
    await sql(
      `with settings as (select set_config('app.company', $1::text, true), set_config('app.user', $2, true)),
      domain as (insert into sso_domain (company_id, domain) select $1::int, $3 from settings)
      insert into sso (company_id, issuer, client_id, client_secret, domains, confirmed_domains, role)
      select $1::int, 'https://idp.example', 'a', 'b', array[$3], array[$3], 'editor' from settings`,
      acme.id,
      admin.uniqueId,
      domain,
    );
    expect(await session.run(findSsoByDomain, { domain })).toHaveLength(1);
    await acme.manage.company.close({ name: 'Acme' });
    const context: Context = { ...admin.context, caller: 'operator', services: mailServices };
    await createCaller(context).management.member.invite({ email: `x-${email}`, role: 'editor' });
    expect(await mailsTo(`x-${email}`)).toEqual([]);
    expect(await session.run(findSsoByDomain, { domain })).toEqual([]);
    const token = link.split('/').at(-1);
    const look = () => new Browser(app.url).send('POST', '/session/invitation/look', { token });
    const accept = () =>
      new Browser(app.url).send('POST', '/session/invitation', { token, name: 'New', password: PASSWORD });
    expect([(await look()).status, (await accept()).status]).toEqual([404, 404]);
    await acme.manage.company.reopen();
    expect([(await look()).status, (await accept()).status]).toEqual([200, 204]);
  });
});

describe('while a company is closed', () => {
  /** Jobs that skip closed companies. */
  const SKIPPING = [
    'run-imports',
    'make-proofs',
    'send-webhooks',
    'disable-webhooks',
    'send-checkpoints',
    'fill-inboxes',
    'add-reminders',
    'index-search',
    'send-mails',
    'send-queued-mails',
    'record-identities',
    'end-memberships',
    'fill-task-closings',
    'record-task-history',
  ];
  /** Jobs that continue: sealing, the signing key of the process, the removal of what nothing uses, and retention. */
  const CONTINUING = [
    'seal-audit-log',
    'seal-changes',
    'record-signing-key',
    'report-moved-companies',
    'remove-files',
    'record-file-places',
    'idempotency-record.delete-expired',
    'sign-in.delete-expired',
    'invitation.delete-old',
    'api-key.delete-old-requests',
    'api-key.delete-old-usage',
    'webhook.delete-old-deliveries',
    'inbox.delete-old-items',
    'mail.delete-old',
    'import.delete-old',
    'proof.delete-old',
    'overview.delete-old-task-history',
  ];

  test('each job skips it or continues', () => {
    expect(JOBS.map(({ name }) => name).toSorted()).toEqual([...SKIPPING, ...CONTINUING].toSorted());
  });

  test('nothing of it is sent or run, and all of it continues after reopen', async () => {
    const { acme, apiKey, receiver, sent, mailing, queuedTo, found, hasEndedWebhook, recordDays } =
      await createCompanyWithWork();
    expect(await found()).toEqual(WORK);
    await acme.manage.company.close({ name: 'Acme' });
    await sealAll(acme);
    expect(await found()).toEqual([]);
    await deliver(acme);
    await mailing.run();
    await mailing.runQueued();
    expect([receiver.requests.length, mailing.take().map(({ to }) => to)]).toEqual([sent, []]);
    await acme.manage.apiKey.revoke({ uniqueId: apiKey.uniqueId });
    expect([await hasEndedWebhook(), await recordDays()]).toEqual([false, []]);

    await acme.manage.company.reopen();
    await sealAll(acme);
    expect(await found()).toEqual(WORK.filter((kind) => kind !== 'webhooks')); // its key is revoked
    await mailing.run();
    await mailing.runQueued();
    const recipients = mailing.take().map(({ to }) => to);
    expect(recipients).toContain(queuedTo);
    expect(recipients.length).toBeGreaterThan(1);
    expect([await hasEndedWebhook(), (await recordDays()).length]).toEqual([true, 1]);
  });

  test('a delivery that waits is sent after reopen', async () => {
    const acme = await createCompany();
    const { caller } = await createWebhookKey(acme);
    const receiver = await startReceiver();
    await caller.webhook.create({ url: receiver.url });
    await acme.manage.company.close({ name: 'Acme' });
    await acme.manage.framework.create({ name: 'While closed' });
    await deliver(acme);
    expect(receiver.types()).toEqual([]);
    await acme.manage.company.reopen();
    await deliver(acme);
    expect(receiver.types()).toEqual(['webhook.create', 'company.update', 'framework.create', 'company.update']);
    expect((await callerForKey(acme.key)).task).toBeDefined();
  });
});
