import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../database/database.ts';
import { openPglite } from '../../database/pglite/open.ts';
import { Session } from '../../database/session.ts';
import { generateRawKey, keyPreview } from '../../entities/api-key/raw-key.ts';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { createCaller } from '../../procedures/index.ts';
import { createDemoData, demoMessage } from '../../procedures/demo/demo-data.ts';

// The first start on an empty embedded database. process-lifecycle.test.ts tests its output.

let database: Database;
beforeEach(async () => {
  database = await openPglite();
  await database.migrate();
});
afterEach(() => database.close());

const NO_KEYS = { encryption: undefined, requirePublicUrl: async () => {} };
const managementOf = (company: number | undefined) => {
  const session = new Session(database, company === undefined ? null : operatorPrincipal(company), 'test');
  const services = { appUrl: () => 'http://localhost', hasMail: false, ...NO_KEYS };
  return createCaller({ requestId: 'test', caller: 'operator', address: null, session, services }).management;
};
const demoCompany = async () =>
  (await managementOf(undefined).company.list()).flatMap((one) =>
    'name' in one ? [{ id: one.id, name: one.name }] : [],
  );

test('the first start creates the company Demo and invites its admin, once', async () => {
  const demo = await createDemoData(database, NO_KEYS);
  expect(demo?.invitationPath).toMatch(/^\/invitation\/[\w-]{43}$/);
  const [company] = await demoCompany();
  expect(company?.name).toBe('Demo');
  expect(await managementOf(company?.id).invitation.list()).toMatchObject([
    { email: 'admin@demo.example', role: 'admin', frameworks: null },
  ]);
  expect(await createDemoData(database, NO_KEYS)).toBeUndefined();
  expect(await managementOf(company?.id).invitation.list()).toHaveLength(1);
});

test('the key that the operator has chosen is the only one, has every scope and is not shown', async () => {
  const key = generateRawKey();
  const demo = await createDemoData(database, NO_KEYS, key);
  expect(demo).toMatchObject({ key: undefined, invitationPath: expect.any(String) });
  expect(demo && demoMessage(demo, { url: 'http://localhost:3000', appUrl: '' }).join('\n')).not.toContain(
    'svc_sk_live_',
  );
  const [company] = await demoCompany();
  expect(await managementOf(company?.id).apiKey.list()).toMatchObject([
    { name: 'Demo integration', scopes: [...SCOPES], ...keyPreview(key) },
  ]);
  // A later start with another key does not replace it.
  expect(await createDemoData(database, NO_KEYS, generateRawKey())).toBeUndefined();
  expect(await managementOf(company?.id).apiKey.list()).toHaveLength(1);
});

test('a first start that was interrupted after the invitation is completed with a new link', async () => {
  const { id } = await managementOf(undefined).company.create({ name: 'Demo' });
  const lost = await managementOf(id).member.invite({ email: 'admin@demo.example', role: 'admin' });
  const demo = await createDemoData(database, NO_KEYS);
  expect(demo?.key).toMatch(/^svc_sk_live_/);
  const open = await managementOf(id).invitation.list();
  expect(open).toHaveLength(1);
  expect(open[0]?.uniqueId).not.toBe(lost.uniqueId);
});
