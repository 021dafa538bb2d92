import { request } from 'node:http';
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { erasePlan } from '../../database/erase/plan.ts';
import { connectOwner } from '../../database/postgresql/owner.ts';
import { Session } from '../../database/session.ts';
import { createCaller } from '../../procedures/index.ts';
import { startApp } from '../support/http/app.ts';
import { createCompany } from '../support/tenants/company.ts';
import { closeCompany, eraseCompany } from '../support/database/erase.ts';
import { createMember, services } from '../support/tenants/member.ts';
import { createSender, createWebhookKey, makeDue, sealAll, startReceiver } from '../support/tenants/webhooks.ts';
import { openTestStorage } from '../support/storage/evidence-files.ts';
import { storedIds } from '../support/storage/files.ts';
import { database, ownerUrl, sql } from '../support/database/database.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

const storage = await openTestStorage(await temporaryFolder());
const app = await startApp({ services: { ...services, storage } });
afterAll(app.stop);

/** Tables that have rows of a company. */
async function tablesWithRows({ id }: { id: number }): Promise<string[]> {
  const { tables } = await erasePlan();
  const reads = tables.map(({ name }) => `select '${name}' as name from ${name} where company_id = ${id}`);
  return (await sql<{ name: string }>(reads.join(' union '))).map(({ name }) => name);
}

describe('an erase', () => {
  test('ends while requests that began before the close still write', async () => {
    const acme = await createCompany();
    const ann = await createMember(acme);
    await closeCompany(acme, 'Acme');
    const erase = { isDone: false };
    const errors: unknown[] = [];
    const writers = [
      () => acme.newTask({ assigneeId: ann.uniqueId }),
      () => acme.vendor.create({ name: 'Late' }),
      () => ann.caller.view.create({ name: 'Late', page: 'tasks', query: '', shared: false }),
      () => acme.manage.framework.create({ name: 'Late' }),
    ].map(async (write) => {
      while (!erase.isDone) {
        await write().catch((error: unknown) => errors.push(error));
        await wait(5);
      }
      await expect(write()).rejects.toThrow(/./);
    });
    const erased = await eraseCompany(acme, 'Acme', storage).finally(() => (erase.isDone = true));
    await Promise.all(writers);
    expect(erased['company']).toBe(1);
    expect(await tablesWithRows(acme)).toEqual([]);
    expect(await sql('select from person where unique_id = $1', ann.person)).toEqual([]);
  });

  test('removes an upload that is under way, which ends with 401 or 503', async () => {
    const acme = await createCompany();
    const { uniqueId: vendor } = await acme.vendor.create({ name: 'Cloud' });
    const { key } = await acme.manage.apiKey.create({ name: 'Files', scopes: ['vendor:read', 'evidence:write'] });
    const path = `/external/smart-inventory/vendor/${vendor}/evidence/new?name=File`;
    const { hostname, port } = new URL(app.url);
    const sent = request({
      hostname,
      port,
      path,
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/pdf' },
    });
    sent.write(Buffer.alloc(400_000, 'a'));
    const responded = Promise.withResolvers<number>();
    sent.on('response', (response) => {
      response.resume();
      responded.resolve(response.statusCode ?? 0);
    });
    await wait(200); // the request is authenticated
    await closeCompany(acme, 'Acme');
    await eraseCompany(acme, 'Acme', storage);
    sent.end(Buffer.alloc(400_000, 'b'));
    expect([401, 404, 503]).toContain(await responded.promise);
    expect(await tablesWithRows(acme)).toEqual([]);
    expect(await storedIds(storage.store(storage.current), acme.id)).toEqual([]);
  });

  test('removes deliveries while one is being sent and others are repeated', async () => {
    const acme = await createCompany();
    const { caller } = await createWebhookKey(acme);
    const waiting: ServerResponse[] = [];
    const receiver = await startReceiver((response) => void waiting.push(response));
    await caller.webhook.create({ url: receiver.url });
    await acme.newTask();
    await sealAll(acme);
    const sender = createSender();
    await sender.runSlice(acme.id);
    await expect.poll(() => waiting.length).toBeGreaterThan(0);
    await makeDue(acme);
    await closeCompany(acme, 'Acme');
    await eraseCompany(acme, 'Acme', storage);
    for (const response of waiting) response.writeHead(500).end();
    await sender.idle();
    expect(await sender.runSlice(acme.id)).toBe(false);
    expect(await tablesWithRows(acme)).toEqual([]);
  });

  test('keeps a person who joins another company at the same time', async () => {
    const acme = await createCompany();
    const rival = await createCompany('Rival');
    const ann = await createMember(acme);
    await closeCompany(acme, 'Acme');
    const [, joined] = await Promise.all([
      eraseCompany(acme, 'Acme', storage),
      createMember(rival, { email: ann.email }),
    ]);
    const [member] = await sql<{ person_id: string }>(
      'select person_id from member where unique_id = $1',
      joined.uniqueId,
    );
    expect(await sql('select from person where unique_id = $1', member?.person_id)).toHaveLength(1);
    expect(await tablesWithRows(acme)).toEqual([]);
  });

  test('is rejected while another one runs', async () => {
    const acme = await createCompany();
    await closeCompany(acme, 'Acme');
    if (ownerUrl !== undefined) {
      const [one, other] = await Promise.all([connectOwner(ownerUrl), connectOwner(ownerUrl)]);
      expect([await one.lock(`erase ${acme.id}`), await other.lock(`erase ${acme.id}`)]).toEqual([true, false]);
      await one.close();
      expect(await other.lock(`erase ${acme.id}`)).toBe(true);
      await other.close();
      return;
    }
    const session = new Session(database, null, 'erase');
    const { company } = createCaller({
      requestId: 'erase',
      caller: 'operator',
      address: null,
      session,
      services: { ...services, storage },
    }).management;
    const begin = () => company.eraseBegin({ id: acme.id, name: 'Acme', hasOwner: false });
    const { erase } = await begin();
    expect(await begin()).toMatchObject({ isBusy: true, erase: null });
    await expect(company.eraseStep({ id: acme.id, erase: 'another', from: 0 })).rejects.toThrow('is running');
    for (let from: number | null = 0; from !== null;)
      ({ next: from } = await company.eraseStep({ id: acme.id, erase: String(erase), from }));
    expect(await company.eraseEnd({ id: acme.id })).toMatchObject({ id: acme.id });
    expect(await begin()).toMatchObject({ erased: { id: acme.id } });
  });
});
