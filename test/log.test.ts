import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { generateRawKey } from '../entities/raw-key.ts';

test('no raw key gets into a log line, wherever it stands in what is logged', async () => {
  const key = generateRawKey();
  const script = `
    import { createLog } from './server/log.ts';
    const log = createLog('trace');
    log.info('with ${key} in the message');
    log.error({ err: new Error('${key}', { cause: new Error('caused by ${key}') }), headers: { 'x-api-key': '${key}' } });
    log.trace({ deep: { '${key}': ['${key}${key}'] } });`;
  const cwd = join(import.meta.dirname, '..');
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd });
  expect(stdout.trim().split('\n')).toHaveLength(3);
  expect(stdout).not.toContain(key.slice(0, 20));
  expect(stdout.match(/svc_sk_live_\[redacted\]/g)?.length).toBeGreaterThan(5);
});
