import { chmod, mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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
    expect(stderr).toMatch(/^DATA_DIR: \S+\/damaged\/pglite: could not open file "\S+": [^\n]+\n$/);
  });

  test.for(['operator-token', 'encryption-key', 'signing-key', 'lock', 'pglite/PG_VERSION'])(
    'with %s unreadable ends the start with one line that names it',
    async (name) => {
      const dataDir = pathTo('unreadable', name.replace('/', '-'));
      await prepareDataDir(dataDir);
      await rm(join(dataDir, name), { force: true });
      await mkdir(join(dataDir, name)); // root may read every file, but nobody can read a folder as one
      const { child, stderr } = await startServiceProcess({ DATA_DIR: dataDir });
      expect(child.exitCode).toBe(1);
      expect(stderr).toMatch(/^DATA_DIR: [^\n]+\n$/);
      expect(stderr).toContain(join(dataDir, dirname(name)));
    },
  );

  test('ends the process of a start in which a statement takes too long, and names DATA_DIR', async () => {
    await prepareDataDir(pathTo('slow'));
    // As if the process was suspended while it reads which migrations are applied.
    const slow = `data:text/javascript,${encodeURIComponent(`
      import { MessagePort, isMainThread } from 'node:worker_threads';
      const { postMessage } = MessagePort.prototype;
      let earlier = Promise.resolve();
      if (isMainThread)
        MessagePort.prototype.postMessage = function (message, transfer) {
          const isSlow = message instanceof Uint8Array && Buffer.from(message).includes('mikro_orm_migrations');
          earlier = earlier.then(() => isSlow && new Promise((resume) => setTimeout(resume, 6000)));
          void earlier.then(() => postMessage.call(this, message, transfer));
        };`)}`;
    const { child, stderr } = await startServiceProcess({ DATA_DIR: pathTo('slow') }, slow);
    expect(child.exitCode).toBe(1);
    expect(stderr).toBe(`DATA_DIR: ${pathTo('slow', 'pglite')}: Query read timeout\n`);
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
