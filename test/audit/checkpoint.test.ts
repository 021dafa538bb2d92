import { createPublicKey, hash, verify } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { recordCurrentKey } from '../../procedures/audit/signing-key.ts';
import type { Checkpoint } from '../../entities/audit/checkpoint.ts';
import { database, tamper } from '../support/database/database.ts';
import { startApp } from '../support/http/app.ts';
import { runProgram } from '../support/servers/service-process.ts';
import { OPERATOR_TOKEN, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';
import { createWebhookKey, sealAll } from '../support/tenants/webhooks.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

const CHECKPOINT_PATH = '/external/audit/checkpoint';
const app = await startApp({ services });
const folder = await temporaryFolder();
beforeAll(() => recordCurrentKey(new Session(database, null, 'test'), services.signing));
afterAll(app.stop);

const read = async (key: string) => {
  const response = await app.ask(CHECKPOINT_PATH, { 'X-API-Key': key });
  expect(response.status).toBe(200);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the test compares it
  return (await response.json()) as Checkpoint;
};

/** Deletes the events and seals after a sequence, as a failover to a standby that is behind does. */
async function loseTail({ id }: Pick<TestCompany, 'id'>, sequence: number): Promise<void> {
  const lost = `select event_id from audit_seal where company_id = ${id} and seq > ${sequence}`;
  const kept = `(select max(event_id) from audit_seal where company_id = ${id} and seq <= ${sequence})`;
  await tamper(
    `delete from audit_event where company_id = ${id} and id in (${lost})`,
    `delete from audit_seal where company_id = ${id} and seq > ${sequence}`,
    `update audit_watermark set watermark = ${kept}, candidate = ${kept} where company_id = ${id}`,
  );
}

describe('a checkpoint', () => {
  test('is the head of the log with all events, signed over the JSON of its first fields', async () => {
    const acme = await createCompany();
    await acme.vendor.create({ name: 'Cloud' });
    const checkpoint = await read(acme.key);
    const { head } = await acme.manage.audit.verify({});
    const [newest] = (await acme.audit.list({ limit: 1 })).items;
    const { company, sequence, at, signature, keyId, ...rest } = checkpoint;
    expect({ company, at, keyId }).toEqual({
      company: acme.id,
      at: newest?.occurredAt,
      keyId: services.signing?.current.keyId,
    });
    expect({ seq: sequence, hash: rest.hash, at }).toEqual(head);
    const text = JSON.stringify({ company, sequence, hash: rest.hash, at });
    const key = createPublicKey(services.signing?.current.publicKeyPem ?? '');
    expect(verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))).toBe(true);
    expect(verify(null, Buffer.from(`${text} `), key, Buffer.from(signature, 'base64'))).toBe(false);
    // RFC 7638: the members of the JWK in the order of their names.
    const { x } = key.export({ format: 'jwk' });
    expect(keyId).toBe(hash('sha256', `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`, 'base64url'));
  });

  test('is for keys with audit:read, also one limited to frameworks, and for members', async () => {
    const acme = await createCompany();
    const { key } = await createWebhookKey(acme, { frameworks: [acme.framework], scopes: ['audit:read'] });
    const other = await createWebhookKey(acme, { scopes: ['vendor:read'] });
    const auditor = await createMember(acme, { role: 'auditor' });
    await sealAll(acme);
    const checkpoint = await read(key);
    expect(await auditor.caller.audit.checkpoint()).toEqual(checkpoint);
    expect((await app.ask(CHECKPOINT_PATH, { 'X-API-Key': other.key })).status).toBe(403);
    expect((await app.ask(`${CHECKPOINT_PATH}?x=1`, { 'X-API-Key': key })).status).toBe(400);
  });

  test('is 422 without a signing key', async () => {
    const acme = await createCompany();
    const unsigned = await startApp({ services: { ...services, signing: undefined } });
    const response = await unsigned.ask(CHECKPOINT_PATH, { 'X-API-Key': acme.key });
    await unsigned.stop();
    expect([response.status, await response.json()]).toEqual([
      422,
      { error: 'SIGNING_KEY: required on this server; ask its operator to set it' },
    ]);
  });
});

describe('audit verify with a checkpoint', () => {
  const reasonOf = async ({ manage }: TestCompany, checkpoint: Checkpoint) => {
    const { intact, reason } = await manage.audit.verify({ checkpoint });
    expect(intact).toBe(reason === null);
    return reason;
  };

  test('holds for the same log and for one that continues it', async () => {
    const acme = await createCompany();
    const checkpoint = await read(acme.key);
    expect(await reasonOf(acme, checkpoint)).toBeNull();
    await acme.vendor.create({ name: 'Later' });
    expect(await reasonOf(acme, checkpoint)).toBeNull();
  });

  test('tells a lost tail, which the chain does not show, and one that was written anew', async () => {
    const acme = await createCompany();
    for (const name of ['a', 'b', 'c']) await acme.vendor.create({ name });
    const checkpoint = await read(acme.key);
    const { sequence } = checkpoint;
    await loseTail(acme, sequence - 2);
    expect(await acme.manage.audit.verify({})).toMatchObject({ intact: true, sealed: sequence - 2 });
    const kept = sequence - 2;
    expect(await reasonOf(acme, checkpoint)).toBe(
      `checkpoint: sequence ${sequence} is after the head, ${kept}: the events after ${kept} were lost or deleted`,
    );
    for (const name of ['x', 'y', 'z']) await acme.vendor.create({ name });
    expect(await acme.manage.audit.verify({})).toMatchObject({ intact: true, sealed: sequence + 1 });
    expect(await reasonOf(acme, checkpoint)).toBe(
      `checkpoint: the log has another hash at sequence ${sequence}: events up to it were lost, deleted or rewritten`,
    );
  });

  test('tells another company, and a signature that no key of the installation made', async () => {
    const acme = await createCompany();
    const rival = await createCompany('Rival');
    const checkpoint = await read(acme.key);
    expect(await reasonOf(rival, checkpoint)).toBe(
      `checkpoint: belongs to company ${acme.id}, but this is company ${rival.id}`,
    );
    const reason = 'checkpoint: was not signed with a key of this installation';
    expect(await reasonOf(acme, { ...checkpoint, sequence: checkpoint.sequence - 1 })).toBe(reason);
    expect(await reasonOf(acme, { ...checkpoint, at: '2026-01-01T00:00:00.000Z' })).toBe(reason);
    expect(await reasonOf(acme, { ...checkpoint, signature: `${'A'.repeat(86)}==` })).toBe(reason);
    await expect(acme.manage.audit.verify({ checkpoint: { ...checkpoint, sequence: 0 } })).rejects.toThrow('sequence');
  });

  test('is a command with the file of a checkpoint, and exit code 1 for a lost tail', async () => {
    const acme = await createCompany();
    await acme.vendor.create({ name: 'Cloud' });
    const file = join(folder, 'checkpoint.json');
    const checkpoint = await read(acme.key);
    await writeFile(file, JSON.stringify(checkpoint));
    const run = (...options: string[]) =>
      runProgram('cli/manage.ts', ['audit', 'verify', '--company', String(acme.id), '--server', app.url, ...options], {
        OPERATOR_TOKEN,
        DATA_DIR: folder,
      });
    const intact = await run('--checkpoint', file);
    expect([intact.code, JSON.parse(intact.stdout)]).toMatchObject([0, { intact: true, reason: null }]);
    await loseTail(acme, checkpoint.sequence - 1);
    expect(await run()).toMatchObject({ code: 0 });
    const lost = await run('--checkpoint', file);
    expect([lost.code, JSON.parse(lost.stdout)]).toMatchObject([
      1,
      { intact: false, reason: expect.stringMatching(/^checkpoint: sequence \d+ is after the head/) },
    ]);
    expect(await run('--checkpoint', join(folder, 'none.json'))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^--checkpoint: expected a file with the JSON of a checkpoint/),
    });
  });
});
