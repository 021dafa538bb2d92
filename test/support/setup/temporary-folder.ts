import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Creates a folder for the tests of a file or of a `describe`, and deletes it after them. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'compliance-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
