import { chmod, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openPglite } from '../../database/pglite/open.ts';
import { databaseUrl } from '../support/database/database.ts';
import { prepareDataDir } from '../support/database/template.ts';
import { startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

const folder = await temporaryFolder();
const pathTo = (...names: string[]) => join(folder, ...names);
const fileMode = async (...names: string[]) => (await stat(pathTo(...names))).mode & 0o777;

// The service runs on an embedded database here, so the tests run only once.
describe.runIf(databaseUrl === undefined)('the folder of the embedded database', () => {
  test('is private to its owner in a DATA_DIR that others can read, even if it exists before the start', async () => {
    // Before the first start, every user of the machine can read DATA_DIR.
    await mkdir(pathTo('data'));
    await chmod(pathTo('data'), 0o755);
    const first = await startServiceProcess({ DATA_DIR: pathTo('data') });
    expect(await fileMode('data', 'pglite')).toBe(0o700);
    expect(first.output).not.toContain('database folder');
    await stopServiceProcess(first);
    await chmod(pathTo('data', 'pglite'), 0o755);
    await stopServiceProcess(await startServiceProcess({ DATA_DIR: pathTo('data') }), 'SIGKILL');
    expect([await fileMode('data', 'pglite'), await fileMode('data')]).toEqual([0o700, 0o755]);
  });

  test('ends the process of a start that cannot read it', async () => {
    await prepareDataDir(pathTo('damaged'));
    const database = await openPglite(pathTo('damaged', 'pglite'));
    const path = `select pg_relation_filepath('rewrite_request') as file`;
    const [table] = await database.query<{ file: string }>('test.path', path, []);
    await database.close();
    await rm(pathTo('damaged', 'pglite', table?.file ?? ''));
    const { child, stderr } = await startServiceProcess({ DATA_DIR: pathTo('damaged') });
    expect(child.exitCode).toBe(1);
    expect(stderr).toContain('could not open file');
  });

  test('causes a warning if its mode cannot be changed', async () => {
    await prepareDataDir(pathTo('foreign'));
    await chmod(pathTo('foreign', 'pglite'), 0o755);
    const failing = `data:text/javascript,${encodeURIComponent(`
      import fs from 'node:fs/promises';
      import { syncBuiltinESMExports } from 'node:module';
      fs.chmod = () => Promise.reject(Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' }));
      syncBuiltinESMExports();`)}`;
    const service = await startServiceProcess({ DATA_DIR: pathTo('foreign') }, failing);
    expect(service.output).toMatch(/"level":"?(40|warn)"?.*database folder: other users may read it/);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await stopServiceProcess(service, 'SIGKILL');
  });
});
