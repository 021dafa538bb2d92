import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Session } from '../../database/session.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { findPerson, insertPerson } from '../../entities/member/statements.ts';
import { Encryption } from '../../procedures/core/encryption.ts';
import { sealTotpSecret, verifySecondFactor, generateRecoveryCodes } from '../../procedures/sign-in/second-factor.ts';
import { findTotpStep, generateTotpSecret, totpCode, totpKey, totpStep } from '../../procedures/sign-in/totp.ts';
import { asOwner, database } from '../support/database/database.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');
const STEP_MS = 30_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOON }));
afterEach(() => void vi.useRealTimers());

const key = randomBytes(32);
const encryption = new Encryption([key]);
const session = new Session(database, null, 'test');

/** A person with a second factor. */
async function createPerson() {
  const person = newUniqueId();
  await session.one(insertPerson, {
    uniqueId: person,
    email: `${person}@example.com`,
    name: 'Ann',
    password: null,
    isProven: false,
  });
  const secret = generateTotpSecret();
  const { codes, hashes } = generateRecoveryCodes();
  await asOwner(async (run) => {
    await run(
      'update person set totp_secret = $2, totp_confirmed_at = now() where unique_id = $1',
      person,
      sealTotpSecret(encryption, person, secret),
    );
    for (const hash of hashes) await run('insert into recovery_code values ($1, $2)', person, hash);
  });
  return {
    person,
    secret,
    codes,
    code: (steps = 0) => totpCode(secret, totpStep(Date.now()) + steps),
    verify: async (code: string, using: Encryption | undefined = encryption) =>
      verifySecondFactor(session, using, await session.one(findPerson, { person }), code),
  };
}

// RFC 6238, appendix B, and RFC 4226, appendix D.
const RFC_SECRET = Buffer.from('12345678901234567890');

test.each([
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
])('the code at %d seconds is that of RFC 6238', (seconds, code) => {
  expect(totpCode(RFC_SECRET, totpStep(seconds * 1000), 8)).toBe(code);
  expect(totpCode(RFC_SECRET, totpStep(seconds * 1000))).toBe(code.slice(2));
});

test.each([
  ...['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'].entries(),
])('the code of counter %d is that of RFC 4226', (counter, code) => {
  expect(totpCode(RFC_SECRET, counter)).toBe(code);
});

test('a code is accepted one step early and one step late, and not earlier or later', () => {
  const code = totpCode(RFC_SECRET, totpStep(NOON));
  const stepAt = (steps: number) => findTotpStep(RFC_SECRET, code, NOON + steps * STEP_MS);
  expect([-2, -1, 0, 1, 2].map(stepAt)).toEqual([undefined, totpStep(NOON), totpStep(NOON), totpStep(NOON), undefined]);
});

test('a secret has 160 random bits, and the URI for apps names the issuer and the account', () => {
  expect(generateTotpSecret()).toHaveLength(20);
  expect(generateTotpSecret()).not.toEqual(generateTotpSecret());
  expect(totpKey(RFC_SECRET, { issuer: 'api.example.com', account: 'ann@example.com' })).toEqual({
    secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    uri: 'otpauth://totp/api.example.com:ann%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=api.example.com&algorithm=SHA1&digits=6&period=30',
  });
});

test('a code works once, and neither do earlier codes after it', async () => {
  const { verify, code } = await createPerson();
  expect(await verify(code())).toBe(true);
  expect(await verify(code())).toBe(false);
  expect(await verify(code(-1))).toBe(false);
  vi.setSystemTime(NOON + STEP_MS);
  expect(await verify(code(-1))).toBe(false);
  expect(await verify(code())).toBe(true);
});

test('spaces and dashes in a code are ignored', async () => {
  const { verify, code } = await createPerson();
  expect(await verify(` ${code().slice(0, 3)} ${code().slice(3)}`)).toBe(true);
});

test('of concurrent uses of one code, one succeeds', async () => {
  const { verify, code } = await createPerson();
  const results = await Promise.all(Array.from({ length: 10 }, () => verify(code())));
  expect(results.filter(Boolean)).toHaveLength(1);
});

test('of concurrent uses of one recovery code, one succeeds', async () => {
  const { verify, codes } = await createPerson();
  const [code = ''] = codes;
  const results = await Promise.all(Array.from({ length: 10 }, () => verify(code)));
  expect(results.filter(Boolean)).toHaveLength(1);
});

test('each of the ten recovery codes works once, in any case, and with or without dashes', async () => {
  const { verify, codes } = await createPerson();
  expect(codes).toHaveLength(10);
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
  const [first = '', second = ''] = codes;
  expect(await verify(first.toUpperCase().replaceAll('-', ' '))).toBe(true);
  expect(await verify(first)).toBe(false);
  expect(await verify(second.replaceAll('-', ''))).toBe(true);
});

test('the database has neither the secret nor a recovery code in clear text', async () => {
  const { person, secret, codes } = await createPerson();
  const rows = await asOwner((run) =>
    run<{ text: string }>(
      `select totp_secret as text from person where unique_id = $1
      union all select encode(code_hash, 'escape') from recovery_code where person_id = $1`,
      person,
    ),
  );
  expect(rows).toHaveLength(11);
  const stored = rows.map(({ text }) => text).join('\n');
  expect(stored).not.toContain(secret.toString('base64url'));
  for (const code of codes) expect(stored.toLowerCase()).not.toContain(code.replaceAll('-', ''));
});

test('codes of another person do not work', async () => {
  const [ann, bob] = [await createPerson(), await createPerson()];
  expect(await ann.verify(bob.code())).toBe(false);
  expect(await ann.verify(bob.codes[0] ?? '')).toBe(false);
});

test.each(['', '12345', '1234567', '１２３４５６', 'x'.repeat(16), 'abcd-efgh-ijkl-mno1'])(
  '%j is not a code',
  async (code) => {
    expect(await (await createPerson()).verify(code)).toBe(false);
  },
);

test('a secret that is not confirmed verifies no code', async () => {
  const { person, verify, code, codes } = await createPerson();
  await asOwner((run) => run('update person set totp_confirmed_at = null where unique_id = $1', person));
  expect(await verify(code())).toBe(false);
  expect(await verify(codes[0] ?? '')).toBe(false);
});

test('without ENCRYPTION_KEY a code is 422, and a recovery code works', async () => {
  const { person, code, codes } = await createPerson();
  const row = await session.one(findPerson, { person });
  await expect(verifySecondFactor(session, undefined, row, code())).rejects.toMatchObject({
    reason: 'unprocessable',
    message: expect.stringMatching(/^ENCRYPTION_KEY: /),
  });
  expect(await verifySecondFactor(session, undefined, row, codes[0] ?? '')).toBe(true);
});

test('after a rotation of ENCRYPTION_KEY a code works, and the secret is encrypted with the new key', async () => {
  const { person, verify, code } = await createPerson();
  const rotated = new Encryption([randomBytes(32), key]);
  const storedSecret = async () => (await session.one(findPerson, { person })).totp_secret ?? '';
  expect(rotated.isCurrent(await storedSecret())).toBe(false);
  expect(await verify(code(), rotated)).toBe(true);
  expect(rotated.isCurrent(await storedSecret())).toBe(true);
  vi.setSystemTime(NOON + STEP_MS);
  expect(await verify(code(), rotated)).toBe(true);
});
