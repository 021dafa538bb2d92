import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { sealAuditLog } from '../../entities/audit/seal-statements.ts';
import { addInboxReaders, fanOutItems } from '../../entities/inbox/fan-out.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { identifyMembers } from '../../procedures/member/identity.ts';
import { ownerUrl } from '../support/database/database.ts';
import { chosenVersions } from './fixture-versions.ts';
import { replay } from './replay.ts';
import { startAppOn } from './scenario/app.ts';
import { PASSWORD, codeOf } from './scenario/authenticator.ts';
import { asOperator, asPerson, rest } from './scenario/client.ts';
import type { Client } from './scenario/client.ts';
import { loadFixture, openMigrated } from './scenario/load.ts';
import type { LoadedDatabase } from './scenario/load.ts';
import { readRecord } from './scenario/packed.ts';
import type { FixtureRecord } from './scenario/record.ts';
import { readSchema } from '../programs/upgrade/catalog.ts';

let queries = 0;
const schemaOf = (database: Database) =>
  readSchema(<Row>(text: string) => database.query<Row>(`test.schema-${(queries += 1)}`, text, []));

/** Schema of an empty database of today, the same for each version. */
let schemaOfToday: ReturnType<typeof readSchemaOfToday> | undefined;
async function readSchemaOfToday() {
  const { database, close } = await openMigrated(ownerUrl);
  const schema = await schemaOf(database);
  await close();
  return schema;
}

describe.each(chosenVersions())('data of version %s (%s)', (version) => {
  let record: FixtureRecord;
  let loaded: LoadedDatabase;
  let client: Client;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    record = await readRecord(version);
    loaded = await loadFixture(record, ownerUrl);
    await loaded.database.migrate();
    ({ client, stop } = await startAppOn(loaded.database, record));
  });
  afterAll(async () => {
    await stop();
    await loaded.close();
  });

  test('give the recorded responses: objects, ETags, cursors, history, feed, sessions, the head of the chain', async () => {
    expect(record.responses.length).toBeGreaterThan(75);
    expect(await replay(client, record, record.responses)).toEqual([]);
    // The first identities of members are events, which move the pages of lists, but not those of a history.
    await identifyMembers(new Session(loaded.database, null, 'upgrade'));
    const histories = record.responses.filter(({ request }) => request.path.includes('/history'));
    expect(histories.length).toBeGreaterThan(0);
    expect(await replay(client, record, histories, { hasNames: true })).toEqual([]);
  });

  test('have the schema of an empty database of today', async () => {
    const expected = await (schemaOfToday ??= readSchemaOfToday());
    expect(expected.length).toBeGreaterThan(400);
    expect(await schemaOf(loaded.database)).toEqual(expected);
  });

  test('let people sign in: with a password, a code, a recovery code, an invitation and a reset link', async () => {
    const { admin, withTotp, invitation, resetLink } = record.scenario.people;
    const signIn = async (body: object, path = '/session') => {
      const cookie = await client.post(path, body);
      if (cookie === '') return undefined;
      return (await client.query(asPerson(cookie), 'account.get'))['email'];
    };
    expect(await signIn({ email: admin.email, password: PASSWORD })).toBe(admin.email);
    expect(await signIn({ email: admin.email, password: 'another password' })).toBe(undefined);
    const { email, secret } = withTotp;
    expect(await signIn({ email, password: PASSWORD })).toBe(undefined);
    expect(await signIn({ email, password: PASSWORD, code: codeOf(secret, 1) })).toBe(email);
    const [code] = withTotp.recoveryCodes;
    expect(await signIn({ email, password: PASSWORD, code })).toBe(email);
    expect(await signIn({ email, password: PASSWORD, code })).toBe(undefined);
    expect(await signIn({ token: invitation, name: 'Eve', password: PASSWORD }, '/session/invitation')).toBe(
      'eve@acme.example',
    );
    const reset = {
      method: 'POST',
      path: '/session/reset',
      headers: { ...asPerson(''), 'Content-Type': 'application/json' },
    };
    const body = JSON.stringify({ token: resetLink, password: 'another long password' });
    expect((await client.send({ ...reset, body })).status).toBe(204);
  });

  test('continue: events that were not sealed enter the chain and the feed', async () => {
    const { company, key } = record.scenario.waiting;
    const verified = await client.mutate(asOperator(company), 'management.audit.verify', {});
    expect(verified).toMatchObject({ intact: true, unsealed: 0 });
    const feed = await client.require(rest(key, 'GET', '/external/changes'));
    expect(JSON.stringify(feed)).toContain('Not sealed');
  });

  test('make no items of inboxes from events before the upgrade', async () => {
    const { company, people } = record.scenario;
    const readInbox = () => client.query(asPerson(people.admin.cookie), 'inbox.list', { limit: 100 });
    const before = await readInbox();
    const operator = new Session(loaded.database, operatorPrincipal(company), 'test');
    while ((await operator.one(sealAuditLog, {})).sealed > 0);
    await operator.run(addInboxReaders, {});
    while ((await operator.one(fanOutItems, { hasMail: false })).moved);
    expect(await readInbox()).toEqual(before);
  });
});
