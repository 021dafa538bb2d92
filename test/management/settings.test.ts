import { describe, expect, test } from 'vitest';
import { startApp } from '../support/http/app.ts';
import { http } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';

describe('the settings of a company', () => {
  test('are its name and its time zone, which is UTC at first', async () => {
    const acme = await createCompany();
    expect((await acme.events(String(acme.id)))[0]).toMatchObject({
      action: 'company.create',
      changes: { name: 'Acme', time_zone: 'UTC' },
    });
    const expected = { name: 'Acme', timeZone: 'UTC', lockClosed: false };
    for (const role of ['admin', 'auditor'] as const)
      expect(await (await createMember(acme, { role })).caller.management.settings.get()).toEqual(expected);
    expect(await acme.manage.settings.get()).toEqual(expected);
  });

  test('are changed by admins and the operator, one at a time or both, as company.update', async () => {
    const acme = await createCompany();
    const admin = await createMember(acme);
    const { settings } = admin.caller.management;
    expect(await settings.update({ timeZone: 'Europe/Kiev' })).toMatchObject({ name: 'Acme', timeZone: 'Europe/Kiev' });
    expect(await settings.update({ name: ' Acme Ltd ' })).toMatchObject({ name: 'Acme Ltd', timeZone: 'Europe/Kiev' });
    const both = { name: 'Globex', timeZone: 'Asia/Calcutta' };
    expect(await acme.manage.settings.update(both)).toMatchObject(both);
    expect(await settings.get()).toMatchObject(both);
    const events = (await acme.events(String(acme.id))).filter(({ action }) => action === 'company.update');
    expect(events.map(({ action, changes }) => [action, changes])).toEqual([
      ['company.update', { time_zone: { from: 'UTC', to: 'Europe/Kiev' } }],
      ['company.update', { name: { from: 'Acme', to: 'Acme Ltd' } }],
      [
        'company.update',
        { name: { from: 'Acme Ltd', to: 'Globex' }, time_zone: { from: 'Europe/Kiev', to: 'Asia/Calcutta' } },
      ],
    ]);
    expect(events[0]).toMatchObject({ user_id: admin.uniqueId });
    const { items } = await acme.audit.list({ resourceType: 'company' });
    expect(items[1]).toMatchObject({ changes: { name: { to: 'Acme Ltd' } } });
    expect(items[2]).toMatchObject({ changes: { timeZone: { from: 'UTC', to: 'Europe/Kiev' } } });
  });

  test('stay as they are without a change, and no event is written', async () => {
    const acme = await createCompany();
    const { settings } = (await createMember(acme)).caller.management;
    const before = await acme.events();
    for (const same of [
      {},
      { name: 'Acme' },
      { lockClosed: false },
      { timeZone: 'UTC' },
      { name: ' Acme', timeZone: 'UTC' },
    ])
      expect(await settings.update(same)).toEqual({ name: 'Acme', timeZone: 'UTC', lockClosed: false });
    expect(await acme.events()).toEqual(before);
  });

  test('reject bad input with the name of the field, and change nothing', async () => {
    const acme = await createCompany();
    const { settings } = (await createMember(acme)).caller.management;
    const before = await acme.events();
    const timeZone = 'timeZone: expected the IANA name of a time zone such as Europe/Berlin';
    for (const [input, message] of [
      [{ timeZone: '+02:00' }, timeZone],
      [{ name: 'Globex', timeZone: 'Mars/Olympus' }, timeZone],
      [{ timeZone: null }, timeZone],
      [{ name: ' ', timeZone: 'Europe/Berlin' }, 'name: expected text of 1 to 255 characters'],
    ] as const)
      await expect(settings.update(input as object)).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringContaining(message),
      });
    expect(await settings.get()).toMatchObject({ name: 'Acme', timeZone: 'UTC' });
    expect(await acme.events()).toEqual(before);
  });

  test('belong to one company', async () => {
    const [acme, rival] = [await createCompany(), await createCompany('Rival')];
    await (await createMember(acme)).caller.management.settings.update({ timeZone: 'Asia/Tokyo' });
    expect(await rival.manage.settings.get()).toMatchObject({ name: 'Rival', timeZone: 'UTC' });
  });

  test('hold from the next request of keys and sessions', async () => {
    const acme = await createCompany();
    const { caller, token } = await createMember(acme);
    const app = await startApp({ services });
    try {
      const read = async () => {
        const headers = { cookie: `session-3000=${token}`, 'Sec-Fetch-Site': 'same-origin' };
        const session = (await http('GET', '/session', { baseUrl: app.url, headers })).body;
        const key = (await http('GET', '/external/api-key/whoami', { baseUrl: app.url, key: acme.key })).body;
        return [Reflect.get(Object(session), 'company'), Reflect.get(Object(key), 'timeZone')];
      };
      expect(await read()).toEqual([{ id: acme.id, name: 'Acme', timeZone: 'UTC', lockClosed: false }, 'UTC']);
      await caller.management.settings.update({ name: 'Globex', timeZone: 'Asia/Tokyo' });
      expect(await read()).toEqual([
        { id: acme.id, name: 'Globex', timeZone: 'Asia/Tokyo', lockClosed: false },
        'Asia/Tokyo',
      ]);
    } finally {
      await app.stop();
    }
  });
});
