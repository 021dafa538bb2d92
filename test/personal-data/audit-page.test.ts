import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('the identity in docs/audit.md can be recomputed with sha256sum, and is the SHA-256 of salt, name and email', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/audit.md'), 'utf8');
  const [script = ''] = /^SALT=.*\n.*sha256sum.*$/m.exec(page) ?? [];
  const [, documented = ''] = /# ([\da-f]{64})$/.exec(script) ?? [];
  const { stdout } = await promisify(execFile)('sh', ['-euc', script]);
  expect(stdout).toBe(`${documented}  -\n`);
  const [, salt = ''] = /^SALT=([\da-f]{32})$/m.exec(script) ?? [];
  expect(documented).toBe(hash('sha256', `${salt}\nAnn\nann@example.com`, 'hex'));
});
