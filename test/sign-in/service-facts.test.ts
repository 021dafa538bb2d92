import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { createCaller } from '../../procedures/index.ts';
import { readServiceFacts } from '../../procedures/sign-in/service-facts.ts';
import { Recent } from '../../server/session/recent.ts';
import { openMigratedPglite } from '../support/database/migrated-database.ts';
import { startApp } from '../support/http/app.ts';
import { http } from '../support/http/server.ts';
import { mailServices, services } from '../support/tenants/member.ts';

// An installation of its own, because the others have the companies of many tests.
const database = await openMigratedPglite();
afterAll(() => database.close());

const managementOf = (company?: number) => {
  const session = new Session(database, company === undefined ? null : operatorPrincipal(company), 'test');
  return createCaller({ requestId: 'test', caller: 'operator', address: null, session, services }).management;
};
const read = () => readServiceFacts(new Session(database, null, 'test'), mailServices);

test('the company is named only while it is the only one that is open', async () => {
  expect(await read()).toEqual({ company: null, mail: true });
  const { id: acme } = await managementOf().company.create({ name: 'Acme' });
  expect(await read()).toEqual({ company: 'Acme', mail: true });
  await managementOf().company.create({ name: 'Beta' });
  await managementOf().company.create({ name: 'Gamma' });
  expect(await read()).toEqual({ company: null, mail: true });
  const [, ...others] = await managementOf().company.list();
  for (const { id } of others) await managementOf(id).company.close({ name: id === acme + 1 ? 'Beta' : 'Gamma' });
  expect(await read()).toEqual({ company: 'Acme', mail: true });
  await managementOf(acme).company.close({ name: 'Acme' });
  expect(await read()).toEqual({ company: null, mail: true });
});

describe('GET /session/service', () => {
  const start = async (options: Parameters<typeof startApp>[0]) => {
    const app = await startApp(options, database);
    onTestFinished(() => app.stop());
    return () => http('GET', '/session/service', { baseUrl: app.url });
  };

  test('says without a session if there is mail, and nothing of the version', async () => {
    const withMail = await start({ services: mailServices });
    expect(await withMail()).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect((await withMail()).body).toEqual({ company: null, mail: true });
    const withoutMail = await start({ services });
    const { body, headers } = await withoutMail();
    expect(body).toMatchObject({ mail: false });
    expect(headers).not.toHaveProperty('x-service-version');
  });

  test('reads the database once for many strangers', async () => {
    const send = await start({ services: mailServices });
    const run = vi.spyOn(database, 'run');
    onTestFinished(() => run.mockRestore());
    await Promise.all(Array.from({ length: 10 }, send));
    expect(run.mock.calls.filter(([statement]) => statement.name === 'company.some-served')).toHaveLength(1);
  });
});

describe('a recent value', () => {
  test('is read again when it is too old, and not before', async () => {
    const values = [1, 2, 3];
    const next = () => Promise.resolve(values.shift());
    const fresh = new Recent<number | undefined>(60);
    expect([await fresh.get(next), await fresh.get(next)]).toEqual([1, 1]);
    const old = new Recent<number | undefined>(0);
    expect([await old.get(next), await old.get(next)]).toEqual([2, 3]);
  });

  test('is read again after an error', async () => {
    const recent = new Recent<string>(60);
    await expect(recent.get(() => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
    expect(await recent.get(() => Promise.resolve('value'))).toBe('value');
  });
});
