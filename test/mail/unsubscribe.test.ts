import { request } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { MAIL_KINDS } from '../../entities/person/notifications.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { unsubscribeToken } from '../../procedures/mail/unsubscribe.ts';
import { startMetrics } from '../../server/telemetry/metrics.ts';
import type { MailKind } from '../../entities/person/notifications.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { database, sql } from '../support/database/database.ts';
import { startApp } from '../support/http/app.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';
import { APP_URL, addItems, startMailing } from '../support/tenants/mails.ts';

// Links that turn mails off. Contract, section 18; RFC 8058.

const acme = await createCompany('Acme');
const { log, lines } = createKeptLog();
const metrics = startMetrics(database);
const app = await startApp({ services, log, observers: [metrics.observeRequest] });
afterAll(() => app.stop());
const secret = await new Session(database, null, 'test').installation.unsubscribeSecret();

/** A log at the lowest level whose lines are kept. */
function createKeptLog() {
  const kept: unknown[] = [];
  const keep = (...line: unknown[]) => void kept.push(line);
  const silent = createLog('silent');
  return {
    lines: kept,
    log: Object.assign(Object.create(silent) as typeof silent, {
      info: keep,
      warn: keep,
      error: keep,
      isLevelEnabled: () => true,
    }),
  };
}

const post = (token: string, init: RequestInit = {}) =>
  fetch(`${app.url}/session/unsubscribe/${token}`, { method: 'POST', ...init });
const kindsOf = async ({ caller }: TestMember) => {
  const { refusedAt: _, ...kinds } = await caller.account.notifications.get();
  return MAIL_KINDS.filter((kind) => kinds[kind]);
};

test('a mail with items has the headers of RFC 8058, whose POST turns off the kinds of the mail', async () => {
  const mailing = await startMailing();
  const ann = await createMember(acme);
  const bob = await createMember(acme, { name: 'Bob' });
  const { uniqueId: resource } = await acme.newTask();
  const items = { resource, actor: bob.uniqueId, at: mailing.now() };
  await addItems(acme, ann, items);
  await addItems(acme, ann, { ...items, reason: 'mentioned' });
  await addItems(acme, bob, items);
  mailing.later(2);
  await mailing.run();
  const mail = mailing.take().find(({ recipients }) => recipients.includes(ann.email));
  expect(mail?.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  const [, token = ''] =
    /^<https:\/\/compliance\.example\.com\/session\/unsubscribe\/([\w-]+)>$/.exec(
      mail?.headers.get('list-unsubscribe') ?? '',
    ) ?? [];
  expect(mail?.text).toContain(`Turn off these emails: ${APP_URL}/unsubscribe/${token}\n`);
  expect(mail?.html).toContain(`<a href="${APP_URL}/unsubscribe/${token}">Turn off these emails</a>`);
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
  const response = await post(token, { body });
  expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
    200,
    'text/plain; charset=utf-8',
    'You will not get emails of this kind any more.\n',
  ]);
  expect(await kindsOf(ann)).toEqual(['summary']);
  expect(await kindsOf(bob)).toEqual(['assigned', 'mentioned', 'summary']);
});

describe('the request', () => {
  test.for<[string, RequestInit]>([
    ['without a body', {}],
    ['of 1 KiB of any type', { body: Buffer.alloc(1024), headers: { 'Content-Type': 'image/png' } }],
    ['with JSON that is broken', { body: '{', headers: { 'Content-Type': 'application/json' } }],
    ['of another origin', { headers: { Origin: 'https://mail.example', 'Sec-Fetch-Site': 'cross-site' } }],
    ['of a sandboxed frame', { headers: { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' } }],
    ['with an API key and a header of another scheme', { headers: { 'X-API-Key': 'x', Authorization: 'Basic x' } }],
  ])('%s succeeds, also again', async ([, init]) => {
    const ann = await createMember(acme);
    const token = unsubscribeToken(secret, ann.person, ['summary']);
    const statuses = [(await post(token, init)).status, (await post(token, init)).status];
    expect(statuses).toEqual([200, 200]);
    expect(await kindsOf(ann)).toEqual(['assigned', 'mentioned']);
  });

  test('ignores cookies: it turns off the mails of the person in the token, and no session is needed', async () => {
    const [ann, bob] = [await createMember(acme), await createMember(acme)];
    const token = unsubscribeToken(secret, ann.person, ['assigned']);
    const headers = {
      Cookie: `session-3000=${bob.token}`,
      Origin: 'https://mail.example',
      'Sec-Fetch-Site': 'cross-site',
    };
    const response = await post(token, { headers });
    expect([response.status, response.headers.get('set-cookie')]).toEqual([200, null]);
    expect(await kindsOf(ann)).toEqual(['mentioned', 'summary']);
    expect(await kindsOf(bob)).toEqual(['assigned', 'mentioned', 'summary']);
  });

  test('with more than 1 KiB is 413 and changes nothing, also without a length', async () => {
    const ann = await createMember(acme);
    const token = unsubscribeToken(secret, ann.person, ['assigned']);
    const chunked = new Promise<number | undefined>((resolve, reject) => {
      const sent = request(`${app.url}/session/unsubscribe/${token}`, { method: 'POST' }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      sent.write(Buffer.alloc(600));
      sent.end(Buffer.alloc(600));
    });
    expect([(await post(token, { body: Buffer.alloc(1025) })).status, await chunked]).toEqual([413, 413]);
    expect(await kindsOf(ann)).toContain('assigned');
  });

  test.for(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'with %s is 405 and changes nothing',
    async (method) => {
      const ann = await createMember(acme);
      const response = await post(unsubscribeToken(secret, ann.person, MAIL_KINDS), { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
      expect(await kindsOf(ann)).toEqual(['assigned', 'mentioned', 'summary']);
    },
  );
});

test('an unknown token is 404: of nobody, of another secret, changed, cut, or of another encoding', async () => {
  const ann = await createMember(acme);
  const token = unsubscribeToken(secret, ann.person, ['assigned']);
  const changed = (index: number) =>
    `${token.slice(0, index)}${token.at(index) === 'A' ? 'B' : 'A'}${token.slice(index + 1)}`;
  for (const unknown of [
    unsubscribeToken(secret, newUniqueId(), ['assigned']),
    unsubscribeToken(Buffer.alloc(32), ann.person, ['assigned']),
    ...Array.from(token, (_, index) => changed(index)),
    token.slice(0, -1),
    `${token}A`,
    `${token}=`,
    `${token}/x`,
    'x',
    '',
  ])
    expect([unknown, (await post(unknown)).status]).toEqual([unknown, 404]);
  expect(await kindsOf(ann)).toEqual(['assigned', 'mentioned', 'summary']);
});

test.for(MAIL_KINDS)('a token for %s turns off that kind only, and never expires', async (kind) => {
  const ann = await createMember(acme);
  await ann.caller.account.notifications.update({ commented: true });
  const token = unsubscribeToken(secret, ann.person, [kind]);
  expect((await post(token)).status).toBe(200);
  const others: MailKind[] = MAIL_KINDS.filter((other) => other !== kind);
  expect(await kindsOf(ann)).toEqual(others);
  await ann.caller.account.notifications.update({ [kind]: true });
  expect(await kindsOf(ann)).toEqual(MAIL_KINDS);
  await sql(`update person set created_at = now() - interval '10 years' where unique_id = $1`, ann.person);
  expect((await post(token)).status).toBe(200);
  expect(await kindsOf(ann)).toEqual(others);
});

test('no log line and no metric has a token, and the route is that of all tokens', async () => {
  const ann = await createMember(acme);
  const token = unsubscribeToken(secret, ann.person, ['assigned']);
  lines.length = 0;
  for (const init of [{}, { method: 'GET' }, { body: Buffer.alloc(2000) }]) await post(token, init);
  await post(`${token}x`);
  await expect.poll(() => lines).toHaveLength(4);
  expect(lines).toMatchObject(
    [200, 405, 413, 404].map((status) => [{ route: '/session/unsubscribe/{token}', status }, 'request']),
  );
  const all = JSON.stringify([lines, await metrics.collect()]);
  expect(all).not.toContain(token);
  expect(all).toContain('/session/unsubscribe/{token}');
});
