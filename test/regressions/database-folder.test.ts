import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseUrl } from '../support/database.ts';
import { say, start, stop } from '../support/process.ts';

let folder: string;
const at = (...names: string[]) => join(folder, ...names);
const modeOf = async (...names: string[]) => (await stat(at(...names))).mode & 0o777;

/** A DATA_DIR that is there before the first start, and that every user of the machine can read. */
async function open(name: string): Promise<void> {
  await mkdir(at(name));
  await chmod(at(name), 0o755);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'compliance-'));
});
afterAll(() => rm(folder, { recursive: true }));

// The service is started on an embedded database, whichever database the other tests use.
describe.runIf(databaseUrl === undefined)('the folder of the embedded database', { timeout: 300_000 }, () => {
  test('is private to its owner, in a DATA_DIR that others can read, also when it is there already', async () => {
    await open('data');
    const first = await start({ DATA_DIR: at('data') });
    expect(await modeOf('data', 'pglite')).toBe(0o700);
    expect(first.output).not.toContain('database folder');
    await stop(first);
    await chmod(at('data', 'pglite'), 0o755);
    await stop(await start({ DATA_DIR: at('data') }));
    expect([await modeOf('data', 'pglite'), await modeOf('data')]).toEqual([0o700, 0o755]);
  });

  test('is private after a restore, and so is the one that was replaced', async () => {
    await open('from');
    const service = await start({ DATA_DIR: at('from') });
    const backup = at('backup.tar.gz');
    const command = (...args: string[]) => say('server/manage.ts', ['backup', ...args], { DATA_DIR: at('to') });
    const made = await say('server/manage.ts', ['backup', 'create', backup, '--server', service.url], {
      DATA_DIR: at('from'),
    });
    expect(made).toMatchObject({ code: 0 });
    await stop(service);
    await open('to');
    expect(await command('restore', backup)).toMatchObject({ code: 0 });
    expect(await modeOf('to', 'pglite')).toBe(0o700);
    await chmod(at('to', 'pglite'), 0o755);
    expect(await command('restore', backup, '--replace')).toMatchObject({ code: 0 });
    const kept = (await readdir(at('to'))).find((name) => name.startsWith('replaced-')) ?? expect.fail('nothing kept');
    expect([await modeOf('to', 'pglite'), await modeOf('to', kept)]).toEqual([0o700, 0o700]);
  });

  test('that cannot be changed, as it belongs to another user, is used with a warning', async () => {
    await open('foreign');
    await mkdir(at('foreign', 'pglite'));
    await chmod(at('foreign', 'pglite'), 0o755);
    const failing = `data:text/javascript,${encodeURIComponent(`
      import fs from 'node:fs/promises';
      import { syncBuiltinESMExports } from 'node:module';
      fs.chmod = () => Promise.reject(Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' }));
      syncBuiltinESMExports();`)}`;
    const service = await start({ DATA_DIR: at('foreign') }, failing);
    expect(service.output).toMatch(/"level":"?(40|warn)"?.*database folder: other users may read it/);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await stop(service);
  });
});
