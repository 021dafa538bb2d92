import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { databaseUrl } from '../support/database/database.ts';
import { runProgram, startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

const folder = await temporaryFolder();
const pathTo = (...names: string[]) => join(folder, ...names);
const fileMode = async (...names: string[]) => (await stat(pathTo(...names))).mode & 0o777;

/** Creates a DATA_DIR before the first start that every user of the machine can read. */
async function createReadableDir(name: string): Promise<void> {
  await mkdir(pathTo(name));
  await chmod(pathTo(name), 0o755);
}

// The service runs on an embedded database here, so the tests run only once.
describe.runIf(databaseUrl === undefined)('the folder of the embedded database', () => {
  test('is private to its owner in a DATA_DIR that others can read, even if it exists before the start', async () => {
    await createReadableDir('data');
    const first = await startServiceProcess({ DATA_DIR: pathTo('data') });
    expect(await fileMode('data', 'pglite')).toBe(0o700);
    expect(first.output).not.toContain('database folder');
    await stopServiceProcess(first);
    await chmod(pathTo('data', 'pglite'), 0o755);
    await stopServiceProcess(await startServiceProcess({ DATA_DIR: pathTo('data') }));
    expect([await fileMode('data', 'pglite'), await fileMode('data')]).toEqual([0o700, 0o755]);
  });

  test('is private after a restore, as is the replaced folder', async () => {
    await createReadableDir('from');
    const service = await startServiceProcess({ DATA_DIR: pathTo('from') });
    const backup = pathTo('backup.tar.gz');
    const command = (...args: string[]) => runProgram('cli/manage.ts', ['backup', ...args], { DATA_DIR: pathTo('to') });
    const created = await runProgram('cli/manage.ts', ['backup', 'create', backup, '--server', service.url], {
      DATA_DIR: pathTo('from'),
    });
    expect(created).toMatchObject({ code: 0 });
    await stopServiceProcess(service);
    await createReadableDir('to');
    expect(await command('restore', backup)).toMatchObject({ code: 0 });
    expect(await fileMode('to', 'pglite')).toBe(0o700);
    await chmod(pathTo('to', 'pglite'), 0o755);
    expect(await command('restore', backup, '--replace')).toMatchObject({ code: 0 });
    const replaced =
      (await readdir(pathTo('to'))).find((name) => name.startsWith('replaced-')) ?? expect.fail('no replaced folder');
    expect([await fileMode('to', 'pglite'), await fileMode('to', replaced)]).toEqual([0o700, 0o700]);
  });

  test('causes a warning if its mode cannot be changed', async () => {
    await createReadableDir('foreign');
    await mkdir(pathTo('foreign', 'pglite'));
    await chmod(pathTo('foreign', 'pglite'), 0o755);
    const failing = `data:text/javascript,${encodeURIComponent(`
      import fs from 'node:fs/promises';
      import { syncBuiltinESMExports } from 'node:module';
      fs.chmod = () => Promise.reject(Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' }));
      syncBuiltinESMExports();`)}`;
    const service = await startServiceProcess({ DATA_DIR: pathTo('foreign') }, failing);
    expect(service.output).toMatch(/"level":"?(40|warn)"?.*database folder: other users may read it/);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await stopServiceProcess(service);
  });
});
