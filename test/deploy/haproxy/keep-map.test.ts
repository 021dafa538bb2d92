import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendRequest } from '../../support/http/client.ts';
import { until } from '../../support/servers/until.ts';
import { sha256, startFakeCell } from './fake-cell.ts';
import { checkHaproxyConfig, deploy, hasHaproxy, startHaproxy, writeRouterConfig } from './server.ts';

const FAKE_MANAGE = join(import.meta.dirname, 'fake-manage.ts');
const TOKENS = { one: 'o'.repeat(32), two: 't'.repeat(32) };

describe.runIf(hasHaproxy)('the router of cells', () => {
  let folder: string;
  let one: Awaited<ReturnType<typeof startFakeCell>>;
  let two: Awaited<ReturnType<typeof startFakeCell>>;
  let haproxy: Awaited<ReturnType<typeof startHaproxy>>;
  let keeper: ChildProcess;

  const configFor = (port: number) => writeRouterConfig({ folder, port, cells: [one.url, two.url] });
  const startKeeper = () =>
    spawn(
      process.execPath,
      [
        join(deploy, 'keep-map.ts'),
        `--map=${folder}/keys.map`,
        `--socket=${folder}/admin.sock`,
        `--cell=cell-1=${one.url}`,
        `--cell=cell-2=${two.url}`,
        `--manage=${process.execPath} ${FAKE_MANAGE}`,
      ],
      { env: { ...process.env, OPERATOR_TOKEN: TOKENS.one, OPERATOR_TOKEN_CELL_2: TOKENS.two }, stdio: 'inherit' },
    );
  const stopKeeper = async () => {
    const exited = once(keeper, 'exit');
    keeper.kill('SIGTERM');
    await exited;
  };
  const mapFile = () => readFile(join(folder, 'keys.map'), 'utf8');

  /** Name of the cell that serves a request with these headers. */
  async function cellOf(headers: Record<string, string>): Promise<string> {
    const response = await fetch(`${haproxy.url}/mcp`, { headers });
    return ((await response.json()) as { cell: string }).cell;
  }
  const cellOfKey = (key: string) => cellOf({ 'X-API-Key': key });
  const expectEventually = async (key: string, cell: string) => {
    await expect.poll(() => cellOfKey(key), { interval: 20 }).toBe(cell);
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'haproxy-'));
    one = await startFakeCell('cell-1', TOKENS.one);
    two = await startFakeCell('cell-2', TOKENS.two);
    one.add('one-a', 'one-b');
    two.add('two-a', 'two-b', 'two-c');
    await writeFile(join(folder, 'hosts.map'), await readFile(join(deploy, 'hosts.map')));
    await writeFile(join(folder, 'keys.map'), `${sha256('stale')} cell-2\n`);
    haproxy = await startHaproxy(configFor);
    keeper = startKeeper();
    await until(async () => (await cellOfKey('two-a')) === 'cell-2', 'the map of the cells', 60_000);
  });
  afterAll(async () => {
    await stopKeeper();
    await haproxy.stop();
    one.stop();
    two.stop();
    await rm(folder, { recursive: true });
  });

  test('has a valid configuration, and the check finds an error in it', async () => {
    expect(checkHaproxyConfig(haproxy.file)).toBe('');
    const broken = join(folder, 'broken.cfg');
    await writeFile(
      broken,
      (await readFile(haproxy.file, 'utf8')).replace('default_backend cell-1', 'default_backend cell-9'),
    );
    expect(checkHaproxyConfig(broken)).toContain('cell-9');
  });

  test('sends a request with a key to the cell of the key, also a bearer token, and X-API-Key decides', async () => {
    expect(await cellOfKey('one-a')).toBe('cell-1');
    expect(await cellOf({ Authorization: 'Bearer two-a' })).toBe('cell-2');
    expect(await cellOf({ Authorization: 'bearer   two-a' })).toBe('cell-2');
    expect(await cellOf({ Authorization: 'Bearer two-a', 'X-API-Key': 'one-a' })).toBe('cell-1');
    expect(await cellOf({ Authorization: 'Bearer one-a', 'X-API-Key': 'two-a' })).toBe('cell-2');
  });

  test('sends a request without a key that works to the cell of the host, or to the first one', async () => {
    const response = async (headers: Record<string, string>) => {
      // `fetch` sets the header Host itself.
      const [message] = (await once(request(haproxy.url, { headers, agent: false }).end(), 'response')) as [
        IncomingMessage,
      ];
      return ((await json(message)) as { cell: string }).cell;
    };
    expect(await response({ Host: 'two.compliance.example.com' })).toBe('cell-2');
    expect(await response({ Host: 'TWO.compliance.example.com:8080', 'X-API-Key': 'unknown' })).toBe('cell-2');
    expect(await response({ Host: 'two.compliance.example.com', 'X-API-Key': 'one-a' })).toBe('cell-1');
    expect(await response({ Host: 'elsewhere.example.com', 'X-API-Key': 'unknown' })).toBe('cell-1');
  });

  test('removes entries of the file that no cell lists', async () => {
    await expectEventually('stale', 'cell-1');
    expect(await mapFile()).not.toContain(sha256('stale'));
  });

  test('knows a new key, and forgets one that ended, but only if its own cell says so', async () => {
    two.add('two-new');
    await expectEventually('two-new', 'cell-2');
    one.send(`- ${sha256('two-new')}`);
    two.remove('two-b');
    await expectEventually('two-b', 'cell-1');
    expect(await cellOfKey('two-new')).toBe('cell-2');
    expect(await mapFile()).toContain(`${sha256('two-new')} cell-2\n`);
    expect(await mapFile()).not.toContain(sha256('two-b'));
  });

  test('follows a company that moves, whichever cell speaks first, and no request finds the key missing', async () => {
    const seen = new Set<string>();
    const moved = new AbortController();
    const watch = async () => {
      while (!moved.signal.aborted) seen.add(await cellOfKey('two-c'));
    };
    const watching = watch();
    two.remove('two-c');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect([...seen]).toEqual(['cell-2']);
    one.add('two-c');
    await expectEventually('two-c', 'cell-1');
    two.add('two-c'); // moves back
    one.remove('two-c');
    await expectEventually('two-c', 'cell-2');
    moved.abort();
    await watching;
  });

  test('keeps the keys of a cell whose directory is lost, and applies the complete list afterwards', async () => {
    two.add('two-ends');
    await expectEventually('two-ends', 'cell-2');
    two.cut();
    two.remove('two-ends');
    two.add('two-later');
    one.add('one-later');
    await expect.poll(mapFile).toContain(sha256('one-later'));
    expect(await cellOfKey('two-ends')).toBe('cell-2');
    expect(await cellOfKey('two-a')).toBe('cell-2');
    two.restore();
    await expectEventually('two-later', 'cell-2');
    await expectEventually('two-ends', 'cell-1');
    expect(await cellOfKey('two-a')).toBe('cell-2');
  });

  test('responds with the error of the service while a cell has no database', async () => {
    two.setReady(false);
    const response = async () => {
      const { status, headers, text } = await sendRequest(`${haproxy.url}/mcp`, {
        method: 'GET',
        headers: { 'X-API-Key': 'two-a' },
      });
      return { status, ...headers, body: JSON.parse(text) as unknown };
    };
    await expect.poll(response, { timeout: 30_000 }).toMatchObject({
      status: 503,
      'content-type': 'application/json',
      'retry-after': '1',
      'x-error-code': 'unavailable',
      body: { error: expect.stringMatching(/Try again/) },
    });
    expect(await cellOfKey('one-a')).toBe('cell-1');
    two.setReady(true);
    await expect.poll(async () => (await response()).status, { timeout: 30_000 }).toBe(200);
  });

  test('starts from the map file, with the changes that came while it was down', async () => {
    await haproxy.stop();
    two.add('two-while-down');
    await expect.poll(mapFile).toContain(sha256('two-while-down'));
    await stopKeeper();
    await haproxy.startAgain();
    expect(await cellOfKey('two-while-down')).toBe('cell-2');
    expect(await cellOfKey('two-a')).toBe('cell-2');
    keeper = startKeeper();
    two.add('two-last');
    await expectEventually('two-last', 'cell-2');
  });
});
