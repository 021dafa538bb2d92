import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { loadSettings, secretsOf } from '../../server/config/settings.ts';
import { openStorage } from '../../server/storage/open.ts';
import { redactor } from '../../server/telemetry/redact.ts';
import { database } from '../support/database/database.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { startHostilePeer } from '../support/servers/hostile-peer.ts';
import { partsOf } from '../support/storage/files.ts';

const DATA_DIR = await temporaryFolder();
const S3 = {
  STORAGE_URL: 's3://bucket-1/a/b?endpoint=https://s3.example.com&region=eu-1',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'a secret/with=all+signs',
};
const DATABASE_URL = 'postgresql://service@127.0.0.1/none';

async function open(environment: Record<string, string>) {
  const storage = await openStorage(loadSettings({ DATA_DIR, ...environment }), database, pino({ enabled: false }));
  storage.stop();
  return storage;
}

describe('new files are kept', () => {
  test('in DATA_DIR with the embedded database, and limits have defaults', async () => {
    const storage = await open({});
    expect(storage).toMatchObject({ current: 'files', maxBytes: 52_428_800, quotaBytes: 10_737_418_240 });
    const file = await storage.spool(partsOf(Buffer.alloc(100)));
    expect(await readdir(join(DATA_DIR, 'uploads'))).toHaveLength(1);
    const key = { company: 1, uniqueId: '01990000-0000-7000-8000-000000000000' };
    await storage.store('files').put(key, file);
    expect(await readdir(join(DATA_DIR, 'pglite', 'files', '1'))).toEqual([key.uniqueId]);
    expect(await readdir(join(DATA_DIR, 'uploads'))).toEqual([]);
  });

  test('in the database with PostgreSQL, where the limits may be others', async () => {
    const storage = await open({ DATABASE_URL, EVIDENCE_MAX_BYTES: '10', EVIDENCE_QUOTA_BYTES: '20' });
    expect(storage).toMatchObject({ current: 'database', maxBytes: 10, quotaBytes: 20 });
    await expect(storage.spool(partsOf(Buffer.alloc(11)))).rejects.toMatchObject({ code: 'payload_too_large' });
    const file = await storage.spool(partsOf(Buffer.alloc(11)), 11);
    await storage.discard(file);
    const error = 'DATABASE_URL: expected no value, because the file is in the folder of the embedded database.';
    expect(() => storage.store('files')).toThrow(error);
  });

  test('in S3 with STORAGE_URL, and other stores stay readable', async () => {
    expect((await open(S3)).current).toBe('s3');
    const storage = await open({ ...S3, DATABASE_URL });
    expect(storage.current).toBe('s3');
    expect(storage.store('database')).toBeDefined();
    const error = 'STORAGE_URL: expected, because the file is in S3-compatible storage.';
    await expect(open({}).then((opened) => opened.store('s3'))).rejects.toMatchObject({
      code: 'unavailable',
      message: error,
    });
  });
});

test('a stop gives up the calls to S3, in the place of today and in former ones, and later calls at once', async () => {
  const { url, connections } = await startHostilePeer('never responds');
  const storage = await open({ ...S3, STORAGE_URL: `s3://bucket-1/a?endpoint=${url.slice(0, -1)}` });
  const key = { company: 1, uniqueId: '01990000-0000-7000-8000-000000000000' };
  const stores = [storage.store('s3'), storage.store('s3', 'bucket-1/former/')];
  const calls = stores.map((store) => store.delete(key));
  await expect.poll(connections).toBe(2);
  storage.endCalls(0);
  const gaveUp = { status: 'rejected', reason: { code: 'unavailable', cause: { message: 'S3: the process stops' } } };
  expect(await Promise.allSettled(calls)).toMatchObject([gaveUp, gaveUp]);
  expect(await Promise.allSettled(stores.map((store) => store.delete(key)))).toMatchObject([gaveUp, gaveUp]);
  expect(connections()).toBe(2);
});

describe('STORAGE_URL', () => {
  const s3Of = (url: string, others = {}) => loadSettings({ ...S3, STORAGE_URL: url, ...others }).s3;

  test('names bucket, prefix, endpoint and region; by default those of AWS', () => {
    expect(s3Of(S3.STORAGE_URL)).toEqual({
      bucketUrl: 'https://s3.example.com/bucket-1',
      prefix: 'a/b/',
      region: 'eu-1',
      isReadOnly: false,
      accessKeyId: 'id',
      secretAccessKey: 'a secret/with=all+signs',
      sessionToken: undefined,
    });
    expect(s3Of('s3://bucket', { AWS_SESSION_TOKEN: 'token' })).toMatchObject({
      bucketUrl: 'https://s3.us-east-1.amazonaws.com/bucket',
      prefix: '',
      sessionToken: 'token',
    });
    expect(s3Of('s3://b.c_d/e/?endpoint=http://127.0.0.1:9000/path/')).toMatchObject({
      bucketUrl: 'http://127.0.0.1:9000/path/b.c_d',
      prefix: 'e/',
    });
    expect(s3Of('s3://bucket?readonly=true')).toMatchObject({ isReadOnly: true });
  });

  test.for([
    'bucket',
    'https://bucket/prefix',
    's3://',
    's3://b',
    's3://key:secret@bucket/prefix',
    's3://bucket/../other',
    's3://bucket/a b',
    's3://bucket//a',
    's3://bucket?endpoint=s3.example.com',
    's3://bucket?endpoint=ftp://s3.example.com',
    's3://bucket?endpoint=https://key:secret@s3.example.com',
    's3://bucket?region=',
    's3://bucket?acl=public',
    's3://bucket?readonly=1',
    's3://bucket#part',
  ])('%s is rejected without being repeated', (url) => {
    expect(() => s3Of(url)).toThrow(/^STORAGE_URL: expected s3:..bucket.prefix.endpoint=https:..host&region=name$/);
  });

  test.for([
    [{ AWS_ACCESS_KEY_ID: '' }, 'AWS_ACCESS_KEY_ID: expected with STORAGE_URL'],
    [{ AWS_SECRET_ACCESS_KEY: '' }, 'AWS_SECRET_ACCESS_KEY: expected with STORAGE_URL'],
    [
      { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' },
      'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: expected with STORAGE_URL',
    ],
    [{ AWS_ACCESS_KEY_ID: 'with space' }, 'AWS_ACCESS_KEY_ID: expected ASCII characters without a space'],
    [{ AWS_SESSION_TOKEN: 'line\nbreak' }, 'AWS_SESSION_TOKEN: expected ASCII characters without a space'],
  ] as const)('needs credentials that can be sent: %o', ([others, message]) => {
    expect(() => s3Of(S3.STORAGE_URL, others)).toThrow(new Error(message));
  });

  test('has secrets that no log line contains', () => {
    const settings = loadSettings({ ...S3, AWS_SESSION_TOKEN: 'the-session-token' });
    const redact = redactor(secretsOf(settings));
    expect(redact(`a secret/with=all+signs the-session-token`)).toBe('[redacted] [redacted]');
    expect(secretsOf(loadSettings({}))).toEqual([]);
  });
});
