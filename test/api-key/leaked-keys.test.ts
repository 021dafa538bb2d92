import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { generateRawKey, hashRawKey } from '../../entities/api-key/raw-key.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { findSecrets, recordLeaks } from '../../entities/api-key/leaked-key.ts';
import { OPERATOR } from '../../entities/company/user.ts';
import { processLeakReport } from '../../procedures/api-key/leak-reports.ts';
import { database, sql } from '../support/database/database.ts';
import { leakFinding } from '../support/servers/secret-scanner.ts';
import { callerForKey, createCompany, operator } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';

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

/** Replaces the secret of a key with an overlap of any length. */
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

test('a leaked secret that a rotation without an overlap replaced is recorded, and the key stays enabled', async () => {
  const acme = await createCompany();
  const { uniqueId } = acme.apiKey;
  await acme.manage.apiKey.rotate({ uniqueId });
  expect(await reportLeaks(leakFinding(acme.key, URL_A))).toMatchObject([{ label: 'true_positive' }]);
  expect(await acme.manage.apiKey.get({ uniqueId })).toMatchObject({ enabled: true, leakedUrl: URL_A });
});

describe('a leaked key', () => {
  test('is disabled, with the time and URL; the audit event has the operator and the request id', async () => {
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

  test('stays enabled if the policy of the company is to report only', async () => {
    const acme = await createCompany();
    await operator.company.update({ id: acme.id, leakedKeys: 'report' });
    expect(await reportLabels(leakFinding(acme.key, URL_A))).toEqual(['true_positive']);
    expect(await keyState(acme)).toEqual({ enabled: true, isLeaked: true, leakedUrl: URL_A });
    expect((await keyEvents(acme)).map(({ changes }) => Object.keys(changes))).toEqual([['leaked_at', 'leaked_url']]);
    await operator.company.update({ id: acme.id, leakedKeys: 'disable' });
    await reportLeaks(leakFinding(acme.key, URL_A));
    expect(await keyState(acme)).toMatchObject({ enabled: false });
  });

  test('that is reported repeatedly or concurrently at the same URL has one audit event', async () => {
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

  test('at two URLs has one audit event for each URL, in any order of later reports', async () => {
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

  test('that was enabled again is disabled by a report at a new URL, not at a known URL', async () => {
    const acme = await createCompany();
    const enable = () => acme.manage.apiKey.update({ uniqueId: acme.apiKey.uniqueId, enabled: true });
    await reportLeaks(leakFinding(acme.key, URL_A));
    await enable();
    await reportLeaks(leakFinding(acme.key, URL_A));
    expect(await keyState(acme)).toMatchObject({ enabled: true });
    await reportLeaks(leakFinding(acme.key, URL_B));
    expect(await keyState(acme)).toEqual({ enabled: false, isLeaked: true, leakedUrl: URL_B });
  });

  test('without a URL is disabled', async () => {
    const acme = await createCompany();
    await reportLeaks({ token: acme.key });
    expect(await keyState(acme)).toEqual({ enabled: false, isLeaked: true, leakedUrl: null });
    await reportLeaks(leakFinding(acme.key, URL_A));
    expect(await keyState(acme)).toMatchObject({ leakedUrl: URL_A });
    expect(await keyEvents(acme)).toHaveLength(2);
  });

  test.for(['revoked', 'expired', 'disabled'] as const)('that is %s is recorded', async (status) => {
    const acme = await createCompany();
    const { uniqueId } = acme.apiKey;
    if (status === 'revoked') await acme.manage.apiKey.revoke({ uniqueId });
    if (status === 'disabled') await acme.manage.apiKey.update({ uniqueId, enabled: false });
    if (status === 'expired') {
      const em = await new Session(database, operatorPrincipal(acme.id), 'test').unitOfWork();
      await em.transactional((inner) =>
        inner.execute(`update api_key set expires_at = now() where company_id = ${acme.id}`),
      );
    }
    expect(await reportLabels(leakFinding(acme.key, URL_A))).toEqual(['true_positive']);
    expect(await keyState(acme)).toEqual({ enabled: false, isLeaked: true, leakedUrl: URL_A });
  });
});

describe('after a rotation', () => {
  test('a leak of the previous secret disables the key during the overlap', async () => {
    const acme = await createCompany();
    await rotateKey(acme, '1 hour');
    expect(await reportLabels(leakFinding(acme.key, URL_A))).toEqual(['true_positive']);
    expect(await keyState(acme)).toEqual({ enabled: false, isLeaked: true, leakedUrl: URL_A });
  });

  test('a leak of the previous secret after the overlap is recorded, and the key stays enabled', async () => {
    const acme = await createCompany();
    const key = await rotateKey(acme, '0 seconds');
    expect(await reportLabels(leakFinding(acme.key, URL_A))).toEqual(['true_positive']);
    expect(await keyState(acme)).toEqual({ enabled: true, isLeaked: true, leakedUrl: URL_A });
    await reportLeaks(leakFinding(acme.key, URL_A));
    expect(await keyEvents(acme)).toHaveLength(2); // the rotation and one leak
    await expect(callerForKey(key)).resolves.toBeDefined();
  });

  test('a leak of the new secret disables the key, even at the URL of the previous leak', async () => {
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

describe('a finding without a known key', () => {
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
  ])('is a false positive, and other findings are processed: %#', async (entry) => {
    const acme = await createCompany();
    const [first, second] = await reportLeaks(entry, leakFinding(acme.key));
    expect(first).toMatchObject({ token_hash: expect.stringMatching(/^[0-9a-f]{64}$/), label: 'false_positive' });
    expect(second).toMatchObject({ label: 'true_positive' });
    expect(await keyState(acme)).toMatchObject({ enabled: false });
  });

  test('is a false positive even if it differs from a key in one character', async () => {
    const acme = await createCompany();
    const similarTokens = [`${acme.key} `, acme.key.slice(1), acme.key.toUpperCase(), `${acme.key}\n`, `x${acme.key}`];
    expect(new Set(await reportLabels(...similarTokens.map((token) => leakFinding(token))))).toEqual(
      new Set(['false_positive']),
    );
    expect(await keyState(acme)).toEqual({ enabled: true, isLeaked: false, leakedUrl: null });
  });
});

describe('text of a report', () => {
  test.for([
    ['a\0b\nc', 'abc'],
    [`  ${URL_A}  `, URL_A],
    ['\uD800x', '\uFFFDx'],
    ['x'.repeat(5000), 'x'.repeat(2048)],
    [`${'x'.repeat(2047)}😀`, `${'x'.repeat(2047)}\uFFFD`],
    [' \0 ', null],
    [5, null],
  ] as const)('is sanitized and truncated before it is stored: %#', async ([url, leakedUrl]) => {
    const acme = await createCompany();
    await reportLeaks(leakFinding(acme.key, url));
    expect(await keyState(acme)).toEqual({ enabled: false, isLeaked: true, leakedUrl });
    await reportLeaks(leakFinding(acme.key, url));
    expect(await keyEvents(acme)).toHaveLength(1);
  });

  test('is stored without raw keys, even if control characters split them', async () => {
    const acme = await createCompany();
    const split = `${acme.key.slice(0, 5)}\0${acme.key.slice(5)}`;
    const entry = { token: acme.key, type: `t ${split}`, url: `https://x.example/?q=${split}&r=${acme.key}` };
    const verdicts = await reportLeaks(entry);
    const text = JSON.stringify([await acme.events(), await acme.manage.apiKey.list(), verdicts]);
    expect(text).toContain('https://x.example/?q=svc_sk_live_[redacted]&r=svc_sk_live_[redacted]');
    expect(text).not.toContain(acme.key.slice(20, 40));
  });

  test('at two URLs within one tick of the clock has one audit event for each URL', async () => {
    const acme = await createCompany();
    const hashes = [hashRawKey(acme.key)];
    await new Session(database, operatorPrincipal(acme.id), 'report-1').transaction(async (inside) => {
      for (const url of [URL_A, URL_B]) {
        const { uniqueId, rowVersion } = await inside.one(findSecrets, { hashes });
        await inside.one(recordLeaks, {
          uniqueIds: [uniqueId],
          rowVersions: [rowVersion],
          urls: [url],
          enabled: [false],
        });
      }
    });
    expect((await keyEvents(acme)).map(({ changes }) => Object.hasOwn(changes, 'leaked_at'))).toEqual([true, false]);
    await reportLeaks(leakFinding(acme.key, URL_B), leakFinding(acme.key, URL_A));
    expect(await keyEvents(acme)).toHaveLength(2);
  });

  test('adds at most 20 URLs of one key', async () => {
    const acme = await createCompany();
    const findings = Array.from({ length: 30 }, (_, index) => leakFinding(acme.key, `${URL_A}?${index}`));
    expect(new Set(await reportLabels(...findings))).toEqual(new Set(['true_positive']));
    await reportLeaks(...findings);
    expect(await keyEvents(acme)).toHaveLength(20);
  });
});

test('a report with keys of several companies applies the policy of each company', async () => {
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

describe('the policy for leaked keys', () => {
  test('is set by the operator for each company, with an audit event', async () => {
    const acme = await createCompany();
    expect(await operator.company.list()).toContainEqual(
      expect.objectContaining({ id: acme.id, leakedKeys: 'disable' }),
    );
    const updated = await operator.company.update({ id: acme.id, leakedKeys: 'report' });
    expect(updated).toEqual({
      id: acme.id,
      name: 'Acme',
      leakedKeys: 'report',
      createdAt: expect.any(String),
      closedAt: null,
      movedTo: null,
      frozenAt: null,
    });
    expect(await operator.company.list()).toContainEqual(updated);
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

  test('must be valid, for an existing company, and cannot be set with an API key', async () => {
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
    const setInDatabase = (value: string) =>
      sql(
        `with settings as materialized (select set_config('app.company', $1::int::text, true), set_config('app.user', $2, true))
         update company set leaked_keys = $3 from settings where id = $1`,
        acme.id,
        OPERATOR.uniqueId,
        value,
      );
    await expect(setInDatabase('ignore')).rejects.toThrow('company_leaked_keys_check');
  });
});
