import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Spool } from '../../server/storage/spool.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { partsOf } from '../support/storage/files.ts';

const SPOOL_PROCESS = join(import.meta.dirname, '../support/storage/spool-process.ts');
const folder = await temporaryFolder();
let count = 0;

/** Starts a spool in a new folder, after the given preparation of it. */
async function startSpool({
  isShared = false,
  prepare,
}: { isShared?: boolean; prepare?: (path: string) => unknown } = {}) {
  const path = join(folder, String((count += 1)));
  await prepare?.(path);
  const spool = new Spool(path, { isShared });
  await spool.start();
  return { spool, path };
}

const MIB = 1024 * 1024;

describe('a received file', () => {
  test('is written with its size and SHA-256, where only its user may read it, until it is discarded', async () => {
    const { spool, path } = await startSpool();
    const parts = [1, 70_000, 65_536, 65_535, 200_000, 3].map((size) => Buffer.alloc(size, size % 251));
    const content = Buffer.concat(parts);
    const file = await spool.receive(partsOf(...parts), MIB);
    expect(file).toEqual({
      path: expect.stringMatching(/^\S+\/[\da-f-]{36}$/),
      size: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    });
    expect((await readFile(file.path)).equals(content)).toBe(true);
    expect((await stat(file.path)).mode & 0o777).toBe(0o600);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    await spool.discard(file);
    await spool.discard(file);
    expect(await readdir(path)).toEqual([]);
  });

  test.for([
    ['payload_too_large', 'The body is larger than 10 bytes.', () => partsOf(Buffer.alloc(6), Buffer.alloc(5))],
    ['invalid_request', 'The body is empty.', () => partsOf(Buffer.alloc(0))],
    ['invalid_request', 'The body is empty.', () => partsOf()],
  ] as const)('is removed if it is %s', async ([code, message, content]) => {
    const { spool, path } = await startSpool();
    await expect(spool.receive(content(), 10)).rejects.toMatchObject({ code, message });
    expect(await spool.receive(partsOf(Buffer.alloc(10)), 10)).toMatchObject({ size: 10 });
    expect(await readdir(path)).toHaveLength(1);
  });

  test('is removed if its client goes away, and the error is that of the client', async () => {
    const { spool, path } = await startSpool();
    async function* aborted() {
      yield Buffer.alloc(200_000);
      throw new Error('aborted');
    }
    await expect(spool.receive(aborted(), MIB)).rejects.toThrow('aborted');
    expect(await readdir(path)).toEqual([]);
  });

  test('waits for the disk: the next part is read only when those before are written', async () => {
    const { spool, path } = await startSpool();
    let ahead = 0;
    async function* watched() {
      for (let part = 0; part < 50; part += 1) {
        const [name = ''] = await readdir(path);
        ahead = Math.max(ahead, part * MIB - (await stat(join(path, name))).size);
        yield Buffer.alloc(MIB);
      }
    }
    await spool.receive(watched(), 50 * MIB);
    expect(ahead).toBeLessThanOrEqual(64 * 1024);
  });

  test('takes little memory beside others: 20 of 50 MiB at once take less than 32 MB', async () => {
    const path = join(folder, String((count += 1)));
    // A process of its own: the test runner collects its garbage too late for a measurement.
    const { stdout } = await promisify(execFile)(process.execPath, [SPOOL_PROCESS, path]);
    const { receivedBytes, memoryBytes } = z
      .object({ receivedBytes: z.int(), memoryBytes: z.int() })
      .parse(JSON.parse(stdout));
    expect(receivedBytes).toBe(20 * 50 * MIB);
    expect(memoryBytes).toBeLessThan(32_000_000);
  });
});

describe('the folder of received files', () => {
  const HOUR_AGO = new Date(Date.now() - 3_700_000);
  const leftovers = async (path: string) => {
    await mkdir(path);
    await writeFile(join(path, 'old'), 'x');
    await writeFile(join(path, 'new'), 'x');
    await utimes(join(path, 'old'), HOUR_AGO, HOUR_AGO);
  };

  test('is emptied at the start by its only process', async () => {
    expect(await readdir((await startSpool({ prepare: leftovers })).path)).toEqual([]);
  });

  test('loses only old files at the start of one of several processes', async () => {
    const { spool, path } = await startSpool({ isShared: true, prepare: leftovers });
    expect(await readdir(path)).toEqual(['new']);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    spool.stop();
  });

  test.for([
    ['is a link', (path: string) => symlink(folder, path)],
    ['is a file', (path: string) => writeFile(path, '')],
  ] as const)('is rejected if it %s, and so is each file', async ([, prepare]) => {
    const path = join(folder, String((count += 1)));
    await prepare(path);
    const spool = new Spool(path, { isShared: true });
    const rejection = {
      code: 'unavailable',
      cause: { message: expect.stringContaining('expected a folder of this user') },
    };
    await expect(spool.start()).rejects.toMatchObject(rejection);
    await expect(spool.receive(partsOf(Buffer.alloc(1)), 10)).rejects.toMatchObject(rejection);
    spool.stop();
  });
});
