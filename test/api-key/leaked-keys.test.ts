import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { generateRawKey, hashRawKey } from '../../entities/api-key/raw-key.ts';
import { OPERATOR } from '../../entities/user.ts';
import { processLeakReport } from '../../procedures/api-key/leak-reports.ts';
import { callerForKey, createCompany, operator } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { database, sql } from '../support/database/database.ts';
import { leakFinding } from '../support/servers/secret-scanner.ts';

const reportLeaks = async (...findings: unknown[]) =>
  (await processLeakReport(database, 'report-1', findings)).verdicts;
const reportLabels = async (...findings: unknown[]) => (await reportLeaks(...findings)).map(({ label }) => label);
const keyState = async (acme: TestCompany) => {
  const { enabled, leakedAt, leakedUrl } = await acme.manage.apiKey.get({ uniqueId: acme.apiKey.uniqueId });
  return { enabled, isLeaked: leakedAt !== null, leakedUrl };
};
const keyEvents = async (acme: TestCompany) => (await acme.events(acme.apiKey.uniqueId)).slice(1);
const URL_A = 'https://github.com/o/r/blob/a/.env';
const URL_B = 'https://github.com/o/r/blob/b/.env';

/** Gives a key another secret, as rotation does. */
async function rotateKey(acme: TestCompany, overlap: string): Promise<string> {
  const key = generateRawKey();
  const em = await new Session(database, operatorPrincipal(acme.id), 'rotation').unitOfWork();
  await em.transactional((inner) =>
    inner.execute(
      `update api_key set previous_hash = hash, previous_hash_expires_at = now() + '${overlap}'::interval, hash = decode(?, 'hex')
       where company_id = ? and unique_id = ?`,
      [hashRawKey(key), acme.id, acme.apiKey.uniqueId],
    ),
  );
  return key;
}

test('the secret that a rotation without an overlap ended is known all the same, and stops nothing', async () => {
  const acme = await createCompany();
  const { uniqueId } = acme.apiKey;
  await acme.manage.apiKey.rotate({ uniqueId });
  expect(await reportLeaks(leakFinding(acme.key, URL_A))).toMatchObject([{ label: 'true_positive' }]);
  expect(await acme.manage.apiKey.get({ uniqueId })).toMatchObject({ enabled: true, leakedUrl: URL_A });
});

describe('a key that leaks', () => {
  test('is disabled, and says when and where; the event names the operator and the report', async () => {
    const acme = await createCompany();
    expect(await reportLeaks(leakFinding(acme.key, URL_A))).toEqual([
      { token_hash: hashRawKey(acme.key), token_type: 'compliance_api_key', label: 'true_positive' },
    ]);
    const record = await acme.manage.apiKey.get({ uniqueId: acme.apiKey.uniqueId });
    expect(record).toMatchObject({ enabled: false, leakedAt: expect.stringMatching(/^20.*Z$/), leakedUrl: URL_A });
    expect(await acme.manage.apiKey.list()).toEqual([record]);
    await expect(callerForKey(acme.key)).rejects.toMatchObject({ code: 'key_disabled' });
    expect(await keyEvents(acme)).toEqual([
      {
        action: 'apiKey.update',
        resource_type: 'apiKey',
        resource_id: acme.apiKey.uniqueId,
        changes: {
          enabled: { from: true, to: false },
          leaked_at: { from: null, to: expect.any(String) },
          leaked_url: { from: null, to: URL_A },
        },
        user_id: OPERATOR.uniqueId,
        api_key_id: null,
        request_id: 'report-1',
      },
    ]);
  });

  test('goes on where the company only wants to be told', async () => {
    const acme = await createCompany();
    await operator.company.update({ id: acme.id, leakedKeys: 'report' });
    expect(await reportLabels(leakFinding(acme.key, URL_A))).toEqual(['true_positive']);
    expect(await keyState(acme)).toEqual({ enabled: true, isLeaked: true, leakedUrl: URL_A });
    expect((await keyEvents(acme)).map(({ changes }) => Object.keys(changes))).toEqual([['leaked_at', 'leaked_url']]);
    await operator.company.update({ id: acme.id, leakedKeys: 'disable' });
    await reportLeaks(leakFinding(acme.key, URL_A));
    expect(await keyState(acme)).toMatchObject({ enabled: false });
  });

  test('reported again at the same place leaves no second event, however often and by however many', async () => {
    const acme = await createCompany();
    await Promise.all(
      Array.from({ length: 8 }, () => reportLeaks(leakFinding(acme.key, URL_A), leakFinding(acme.key, URL_A))),
    );
    const before = await keyEvents(acme);
    expect(before).toHaveLength(1);
    expect(await reportLabels(leakFinding(acme.key, URL_A), leakFinding(acme.key, ''))).toEqual([
      'true_positive',
      'true_positive',
    ]);
    expect(await keyEvents(acme)).toEqual(before);
  });

  test('at two places has an event for each, once, in whatever order they come again', async () => {
    const acme = await createCompany();
    await reportLeaks(leakFinding(acme.key, URL_A), leakFinding(acme.key, URL_B));
    await reportLeaks(leakFinding(acme.key, URL_B));
    await reportLeaks(leakFinding(acme.key, URL_A));
    await reportLeaks(leakFinding(acme.key, URL_B), leakFinding(acme.key, URL_A));
    expect((await keyEvents(acme)).map(({ changes }) => changes['leaked_url'])).toEqual([
      { from: null, to: URL_A },
      { from: URL_A, to: URL_B },
    ]);
  });

  test('and is enabled again stays so when the same place is reported again, and not at another', async () => {
    const acme = await createCompany();
    const enable = () => acme.manage.apiKey.update({ uniqueId: acme.apiKey.uniqueId, enabled: true });
    await reportLeaks(leakFinding(acme.key, URL_A));
    await enable();
    await reportLeaks(leakFinding(acme.key, URL_A));
    expect(await keyState(acme)).toMatchObject({ enabled: true });
    await reportLeaks(leakFinding(acme.key, URL_B));
    expect(await keyState(acme)).toEqual({ enabled: false, isLeaked: true, leakedUrl: URL_B });
  });

  test('at no named place is disabled all the same', async () => {
    const acme = await createCompany();
    await reportLeaks({ token: acme.key });
    expect(await keyState(acme)).toEqual({ enabled: false, isLeaked: true, leakedUrl: null });
    await reportLeaks(leakFinding(acme.key, URL_A));
    expect(await keyState(acme)).toMatchObject({ leakedUrl: URL_A });
    expect(await keyEvents(acme)).toHaveLength(2);
  });

  test.for(['revoked', 'expired', 'disabled'] as const)('when it is %s is recorded as well', async (how) => {
    const acme = await createCompany();
    const { uniqueId } = acme.apiKey;
    if (how === 'revoked') await acme.manage.apiKey.revoke({ uniqueId });
    if (how === 'disabled') await acme.manage.apiKey.update({ uniqueId, enabled: false });
    if (how === 'expired') {
      const em = await new Session(database, operatorPrincipal(acme.id), 'test').unitOfWork();
      await em.transactional((inner) =>
        inner.execute(`update api_key set expires_at = now() where company_id = ${acme.id}`),
      );
    }
    expect(await reportLabels(leakFinding(acme.key, URL_A))).toEqual(['true_positive']);
    expect(await keyState(acme)).toEqual({ enabled: false, isLeaked: true, leakedUrl: URL_A });
  });
});

describe('of a key that was rotated', () => {
  test('the secret before disables it while it still works', async () => {
    const acme = await createCompany();
    await rotateKey(acme, '1 hour');
    expect(await reportLabels(leakFinding(acme.key, URL_A))).toEqual(['true_positive']);
    expect(await keyState(acme)).toEqual({ enabled: false, isLeaked: true, leakedUrl: URL_A });
  });

  test('the secret before is recorded once it no longer works, and does not stop the one after', async () => {
    const acme = await createCompany();
    const key = await rotateKey(acme, '0 seconds');
    expect(await reportLabels(leakFinding(acme.key, URL_A))).toEqual(['true_positive']);
    expect(await keyState(acme)).toEqual({ enabled: true, isLeaked: true, leakedUrl: URL_A });
    await reportLeaks(leakFinding(acme.key, URL_A));
    expect(await keyEvents(acme)).toHaveLength(2); // the rotation and one leak
    await expect(callerForKey(key)).resolves.toBeDefined();
  });

  test('the new secret disables it, also at the place where the one before was found', async () => {
    const acme = await createCompany();
    await reportLeaks(leakFinding(acme.key, URL_A));
    const key = await rotateKey(acme, '0 seconds');
    await acme.manage.apiKey.update({ uniqueId: acme.apiKey.uniqueId, enabled: true });
    await reportLeaks(leakFinding(acme.key, URL_A));
    expect(await keyState(acme)).toMatchObject({ enabled: true });
    await reportLeaks(leakFinding(acme.key, URL_A), leakFinding(key, URL_A));
    expect(await keyState(acme)).toMatchObject({ enabled: false });
  });
});

describe('a finding that is none of ours', () => {
  test.for([
    null,
    5,
    'text',
    [],
    {},
    { token: null, type: 5, url: [] },
    { token: ['svc_sk_live_'], type: {}, url: {} },
    leakFinding(''),
    leakFinding('svc_sk_live_'),
    leakFinding(`svc_sk_live_${'0'.repeat(46)}`),
    leakFinding(generateRawKey()),
    leakFinding('x'.repeat(100_000)),
    leakFinding('\0\uD800'),
    JSON.parse('{"__proto__":{"token":"x"},"constructor":1}'),
  ])('is a false positive, and spoils none beside it: %#', async (entry) => {
    const acme = await createCompany();
    const [first, second] = await reportLeaks(entry, leakFinding(acme.key));
    expect(first).toMatchObject({ token_hash: expect.stringMatching(/^[0-9a-f]{64}$/), label: 'false_positive' });
    expect(second).toMatchObject({ label: 'true_positive' });
    expect(await keyState(acme)).toMatchObject({ enabled: false });
  });

  test('is so although it differs from a key in one character or space', async () => {
    const acme = await createCompany();
    const near = [`${acme.key} `, acme.key.slice(1), acme.key.toUpperCase(), `${acme.key}\n`, `x${acme.key}`];
    expect(new Set(await reportLabels(...near.map((token) => leakFinding(token))))).toEqual(
      new Set(['false_positive']),
    );
    expect(await keyState(acme)).toEqual({ enabled: true, isLeaked: false, leakedUrl: null });
  });
});

describe('what comes from outside', () => {
  test.for([
    ['a\0b\nc', 'abc'],
    [`  ${URL_A}  `, URL_A],
    ['\uD800x', '\uFFFDx'],
    ['x'.repeat(5000), 'x'.repeat(2048)],
    [`${'x'.repeat(2047)}😀`, `${'x'.repeat(2047)}\uFFFD`],
    [' \0 ', null],
    [5, null],
  ] as const)('is kept as text that can be kept: %#', async ([url, kept]) => {
    const acme = await createCompany();
    await reportLeaks(leakFinding(acme.key, url));
    expect(await keyState(acme)).toEqual({ enabled: false, isLeaked: true, leakedUrl: kept });
    await reportLeaks(leakFinding(acme.key, url));
    expect(await keyEvents(acme)).toHaveLength(1);
  });

  test('brings no raw key in, in none of its fields, whole or broken by what is removed', async () => {
    const acme = await createCompany();
    const broken = `${acme.key.slice(0, 5)}\0${acme.key.slice(5)}`;
    const entry = { token: acme.key, type: `t ${broken}`, url: `https://x.example/?q=${broken}&r=${acme.key}` };
    const answer = JSON.stringify(await reportLeaks(entry));
    const kept = JSON.stringify([await acme.events(), await acme.manage.apiKey.list(), answer]);
    expect(kept).toContain('https://x.example/?q=svc_sk_live_[redacted]&r=svc_sk_live_[redacted]');
    expect(kept).not.toContain(acme.key.slice(20, 40));
  });

  test('adds at most twenty places of one key in one report', async () => {
    const acme = await createCompany();
    const places = Array.from({ length: 30 }, (_, at) => leakFinding(acme.key, `${URL_A}?${at}`));
    expect(new Set(await reportLabels(...places))).toEqual(new Set(['true_positive']));
    await reportLeaks(...places);
    expect(await keyEvents(acme)).toHaveLength(20);
  });
});

test('keys of several companies in one report are each their own company’s matter', async () => {
  const acme = await createCompany();
  const rival = await createCompany('Rival');
  await operator.company.update({ id: rival.id, leakedKeys: 'report' });
  expect(
    await reportLabels(leakFinding(acme.key, URL_A), leakFinding(generateRawKey()), leakFinding(rival.key, URL_B)),
  ).toEqual(['true_positive', 'false_positive', 'true_positive']);
  expect(await keyState(acme)).toEqual({ enabled: false, isLeaked: true, leakedUrl: URL_A });
  expect(await keyState(rival)).toEqual({ enabled: true, isLeaked: true, leakedUrl: URL_B });
  expect(await keyEvents(acme)).toHaveLength(1);
  expect(await keyEvents(rival)).toHaveLength(1);
});

describe('what becomes of leaked keys', () => {
  test('is the operator’s to choose for each company, with an event', async () => {
    const acme = await createCompany();
    expect(await operator.company.list()).toContainEqual(
      expect.objectContaining({ id: acme.id, leakedKeys: 'disable' }),
    );
    const changed = await operator.company.update({ id: acme.id, leakedKeys: 'report' });
    expect(changed).toEqual({ id: acme.id, name: 'Acme', leakedKeys: 'report', createdAt: expect.any(String) });
    expect(await operator.company.list()).toContainEqual(changed);
    await operator.company.update({ id: acme.id, leakedKeys: 'report' });
    const events = (await acme.events(String(acme.id))).filter(({ action }) => action === 'company.update');
    expect(events).toEqual([
      expect.objectContaining({
        changes: { leaked_keys: { from: 'disable', to: 'report' } },
        user_id: OPERATOR.uniqueId,
        api_key_id: null,
        resource_type: 'company',
      }),
    ]);
  });

  test('is one of two, for a company that is there, and not for an API key to choose', async () => {
    const acme = await createCompany();
    const update = (id: number, leakedKeys: unknown) =>
      operator.company.update({ id, leakedKeys: leakedKeys as 'report' });
    await expect(update(acme.id, 'ignore')).rejects.toThrow(/^leakedKeys: expected one of disable, report$/);
    await expect(update(acme.id, undefined)).rejects.toThrow(/^leakedKeys: required$/);
    await expect(update(2_147_483_647, 'report')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const { management } = await callerForKey(acme.key, randomUUID());
    await expect(management.company.update({ id: acme.id, leakedKeys: 'report' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    const set = (value: string) =>
      sql(
        `with me as materialized (select set_config('app.company', $1::int::text, true), set_config('app.user', $2, true))
         update company set leaked_keys = $3 from me where id = $1`,
        acme.id,
        OPERATOR.uniqueId,
        value,
      );
    await expect(set('ignore')).rejects.toThrow('company_leaked_keys_check');
  });
});
