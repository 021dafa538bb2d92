import { expect, test } from 'vitest';
import { hashPassword, verifyPassword } from '../../procedures/sign-in/password.ts';

const PASSWORD = 'correct horse battery staple';

test('a password is hashed with Argon2id and its own salt, and only the same text verifies', async () => {
  const [one, two] = [await hashPassword(PASSWORD), await hashPassword(PASSWORD)];
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(one).not.toBe(two);
  expect(await verifyPassword(PASSWORD, one)).toBe(true);
  expect(await verifyPassword(`${PASSWORD} `, one)).toBe(false);
});

test('a password verifies in both Unicode forms, as keyboards send either', async () => {
  expect(await verifyPassword('cafe\u0301 au lait', await hashPassword('caf\u00e9 au lait'))).toBe(true);
});

test('no password verifies without a hash', async () => {
  expect(await verifyPassword('', null)).toBe(false);
  expect(await verifyPassword(PASSWORD, null)).toBe(false);
});

test('at most 52 hashes run or wait, and further ones are rejected at once', async () => {
  const results = await Promise.allSettled(Array.from({ length: 60 }, () => verifyPassword(PASSWORD, null)));
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  expect(errors).toHaveLength(8);
  for (const error of errors) expect(error).toMatchObject({ reason: 'unavailable' });
  expect(await verifyPassword(PASSWORD, await hashPassword(PASSWORD))).toBe(true);
});
