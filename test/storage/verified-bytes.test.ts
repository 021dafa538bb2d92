import { expect, test } from 'vitest';
import { DifferentBytesError, MissingBytesError, verifiedBytes } from '../../procedures/core/storage.ts';
import { sha256Of } from '../support/storage/evidence-files.ts';
import { partsOf } from '../support/storage/files.ts';

const PARTS = ['first ', 'second ', 'third'].map((text) => Buffer.from(text));
const SHA256 = sha256Of(Buffer.concat(PARTS));

/** Reads until the end or an error. */
async function read(bytes: AsyncIterable<Uint8Array>) {
  let text = '';
  try {
    for await (const chunk of verifiedBytes(bytes, SHA256)) text += Buffer.from(chunk).toString();
  } catch (error) {
    return { text, error };
  }
  return { text };
}

test('bytes with their digest arrive whole', async () => {
  expect(await read(partsOf(...PARTS))).toEqual({ text: 'first second third' });
});

test('bytes with another digest arrive without the last chunk, and the error names both digests', async () => {
  const changed = [...PARTS.slice(0, 2), Buffer.from('Third')];
  const { text, error } = await read(partsOf(...changed));
  expect(text).toBe('first second ');
  expect(error).toBeInstanceOf(DifferentBytesError);
  expect(String(error)).toContain(`expected bytes with the SHA-256 ${SHA256}`);
  expect(String(error)).toContain(sha256Of(Buffer.concat(changed)));
});

test('an error of the store is that of the read', async () => {
  async function* broken() {
    yield Buffer.from('first ');
    throw new MissingBytesError('gone');
  }
  expect(await read(broken())).toEqual({ text: '', error: new MissingBytesError('gone') });
});
