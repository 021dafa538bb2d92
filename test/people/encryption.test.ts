import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Encryption, clientSecretPlace, totpSecretPlace } from '../../procedures/core/encryption.ts';

const PLACE = totpSecretPlace('ann');

test('a secret is read again at its place', () => {
  const encryption = new Encryption([randomBytes(32)]);
  for (const secret of ['', 'secret', 'Ümläut 🔑', 'x'.repeat(10_000)]) {
    const text = encryption.encrypt(secret, PLACE);
    expect(encryption.decrypt(text, PLACE)).toBe(secret);
    if (secret !== '') expect(text).not.toContain(secret);
  }
});

test('the same secret gives another ciphertext each time', () => {
  const encryption = new Encryption([randomBytes(32)]);
  expect(encryption.encrypt('secret', PLACE)).not.toBe(encryption.encrypt('secret', PLACE));
});

test('a ciphertext that was moved to another row or column is rejected', () => {
  const encryption = new Encryption([randomBytes(32)]);
  const text = encryption.encrypt('secret', PLACE);
  for (const place of [totpSecretPlace('bob'), clientSecretPlace(1), ''])
    expect(() => encryption.decrypt(text, place)).toThrow('unable to authenticate');
});

test('a ciphertext that was changed is rejected, at every byte', () => {
  const encryption = new Encryption([randomBytes(32)]);
  const [version = '', id = '', encoded = ''] = encryption.encrypt('secret', PLACE).split('.');
  const bytes = Buffer.from(encoded, 'base64url');
  for (const index of bytes.keys()) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
    expect(() => encryption.decrypt(`${version}.${id}.${changed.toString('base64url')}`, PLACE)).toThrow(
      'unable to authenticate',
    );
  }
  for (const length of [0, 12, 27, bytes.length - 1]) {
    const cut = bytes.subarray(0, length).toString('base64url');
    expect(() => encryption.decrypt(`${version}.${id}.${cut}`, PLACE)).toThrow(/Invalid|unable to authenticate/);
  }
});

test('a ciphertext of an unknown key is rejected with its place, without the secret', () => {
  const text = new Encryption([randomBytes(32)]).encrypt('secret', PLACE);
  expect(() => new Encryption([randomBytes(32)]).decrypt(text, PLACE)).toThrow(
    /^person\.totp_secret:ann: encrypted with an unknown key, [0-9a-f]{8}$/,
  );
  for (const malformed of ['', 'v1', 'v2.x.y', 'secret'])
    expect(() => new Encryption([randomBytes(32)]).decrypt(malformed, PLACE)).toThrow(PLACE);
});

test('after a rotation the new key encrypts, and the old one still decrypts', () => {
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
  const before = new Encryption([oldKey]).encrypt('secret', PLACE);
  const rotated = new Encryption([newKey, oldKey]);
  expect(rotated.decrypt(before, PLACE)).toBe('secret');
  expect(rotated.isCurrent(before)).toBe(false);
  const after = rotated.encrypt('secret', PLACE);
  expect(rotated.isCurrent(after)).toBe(true);
  expect(new Encryption([newKey]).decrypt(after, PLACE)).toBe('secret');
  expect(() => new Encryption([oldKey]).decrypt(after, PLACE)).toThrow('unknown key');
});
