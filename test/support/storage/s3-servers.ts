import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Settings } from '../../../server/config/settings.ts';

/** An S3 server with an empty bucket. */
export interface S3Server {
  settings: S3Settings;
  stop: () => Promise<void>;
}

const BUCKET = 'evidence';

export const s3Settings = (endpoint: string, accessKeyId: string, secretAccessKey: string): S3Settings => ({
  bucketUrl: `${endpoint}/${BUCKET}`,
  isReadOnly: false,
  prefix: 'production/files/',
  region: 'us-east-1',
  accessKeyId,
  secretAccessKey,
  sessionToken: undefined,
});

/** Starts s3rver, which runs on every machine. It checks signatures, but not the SHA-256 of what it receives. */
export async function startS3rver(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 's3rver-'));
  const script = join(import.meta.dirname, 's3rver-process.ts');
  const child = fork(script, [folder, BUCKET], { execArgv: ['--openssl-legacy-provider'] });
  const [port] = (await once(child, 'message')) as [number];
  return {
    settings: s3Settings(`http://127.0.0.1:${port}`, 'S3RVER', 'S3RVER'),
    stop: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
