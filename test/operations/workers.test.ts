import { readFile, readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../server/config/settings.ts';
import { parseWorkerCount } from '../../server/process/worker-messages.ts';
import { databaseUrl } from '../support/database/database.ts';
import { scrapeMetrics } from '../support/http/prometheus-samples.ts';
import { runProgram, startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import type { ServiceProcess } from '../support/servers/service-process.ts';
import { withClient } from '../support/database/client.ts';
import { createScratchDatabase } from '../support/database/scratch-database.ts';
import { listen } from '../support/http/listen.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

const VENDORS = '/external/smart-inventory/vendor';
/** Allows for slow process starts on a busy machine. */
const POLL_OPTIONS = { timeout: 60_000, interval: 200 };

const folder = await temporaryFolder();

describe('--workers', () => {
  test('accepts a number or auto', () => {
    expect(parseWorkerCount([])).toBeUndefined();
    expect(parseWorkerCount(['--workers', '3'])).toBe(3);
    expect(parseWorkerCount(['--workers=256'])).toBe(256);
    expect(parseWorkerCount(['--workers', 'auto'])).toBeGreaterThan(0);
  });

  test.for([['0'], ['-1'], ['1.5'], ['257'], ['many'], ['']])('rejects %s', ([value = '']) => {
    expect(() => parseWorkerCount([`--workers=${value}`])).toThrow(ConfigError);
  });

  test.for([[['--workers', '0']], [['--workers']], [['--worker', '2']], [['two']]])(
    'a start with %o fails with one line',
    async ([args = []]) => {
      const result = await runProgram('server/main.js', args, { DATA_DIR: join(folder, 'bad') });
      expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^--workers[^\n]+\n$/) });
    },
  );

  test('is rejected in one line with the embedded database, which supports one process only', async () => {
    const result = await runProgram('server/main.js', ['--workers', '2'], { DATA_DIR: join(folder, 'embedded') });
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toBe('--workers: the embedded database supports one process only; set DATABASE_URL\n');
    expect(await readdir(join(folder, 'embedded'))).toEqual(['operator-token']);
  });
});

interface HttpResponse {
  status: number;
  text: string;
}

/**
 * Sends a request over a new connection, which any worker may accept.
 * @returns undefined if the connection breaks
 */
function sendRequest(url: string, headers: Record<string, string>, body?: unknown): Promise<HttpResponse | undefined> {
  const { promise, resolve } = Promise.withResolvers<HttpResponse | undefined>();
  const all = body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' };
  const sent = request(url, { agent: false, method: body === undefined ? 'GET' : 'POST', headers: all }, (response) => {
    let text = '';
    response.on('data', (chunk) => (text += String(chunk)));
    response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    response.on('error', () => resolve(undefined));
  });
  sent.on('error', () => resolve(undefined));
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe.skipIf(databaseUrl === undefined)('two workers (PostgreSQL only):', () => {
  let scratch: Awaited<ReturnType<typeof createScratchDatabase>>;
  let service: ServiceProcess;
  let key: string;
  let metricsUrl: string;
  const environment = () => ({
    DATABASE_URL: scratch.serviceUrl,
    MIGRATION_DATABASE_URL: scratch.url,
    DATA_DIR: join(folder, 'workers'),
    METRICS_PORT: '0',
  });
  const startWorkers = async () => {
    service = await startServiceProcess(environment(), undefined, undefined, ['--workers', '2']);
    metricsUrl = /http:\/\/\S+\/metrics/.exec(service.output)?.[0] ?? '';
  };
  beforeAll(async () => {
    scratch = await createScratchDatabase(process.env['DATABASE_URL'] ?? '');
    await startWorkers();
    const token = await readFile(join(folder, 'workers', 'operator-token'), 'utf8');
    const operator = { Authorization: `Bearer ${token}` };
    const callManagement = async (name: string, headers: Record<string, string>, body: unknown) => {
      const response = await sendRequest(`${service.url}/trpc/management.${name}`, { ...operator, ...headers }, body);
      return (JSON.parse(response?.text ?? '') as { result: { data: { id: number; key: string } } }).result.data;
    };
    const { id } = await callManagement('company.create', {}, { name: 'Acme' });
    ({ key } = await callManagement('apiKey.create', { 'X-Company-Id': String(id) }, { name: 'Load' }));
  });
  afterAll(async () => {
    await stopServiceProcess(service, 'SIGKILL');
    await scratch.drop();
  });

  const create = (name: string) => sendRequest(`${service.url}${VENDORS}/new`, { 'X-API-Key': key }, { name });
  /** Returns the log lines so far. */
  const lines = () =>
    service.output
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []));
  const pidsOf = async () => {
    const children = await readFile(`/proc/${service.child.pid}/task/${service.child.pid}/children`, 'utf8');
    return children.trim().split(' ').map(Number);
  };
  const isComplete = async () => {
    const samples = await scrapeMetrics(metricsUrl);
    return samples['workers'] === 2 && (await pidsOf()).length === 2;
  };

  /** Starts clients that create vendors until `end` is called. */
  function load(name: string) {
    const seen = { acknowledged: [] as string[], errorStatuses: [] as number[], stopped: false };
    /** Broken requests of each client. */
    const broken = Array.from({ length: 8 }, () => 0);
    const client = async (_: unknown, number: number) => {
      for (let index = 0; !seen.stopped; index++) {
        const vendor = `${name} ${number} ${index}`;
        const response = await create(vendor);
        if (response === undefined) broken[number] = (broken[number] ?? 0) + 1;
        else if (response.status === 201) seen.acknowledged.push(vendor);
        else seen.errorStatuses.push(response.status);
      }
    };
    const ended = Promise.all(broken.map(client));
    const end = () => {
      seen.stopped = true;
      return ended;
    };
    return { seen, broken, end };
  }

  const countCreated = async () => {
    const samples = await scrapeMetrics(metricsUrl);
    return samples[`http_request_duration_seconds_count{route="${VENDORS}/new",method="POST",status="2xx"}`] ?? 0;
  };

  const storedNames = async () => {
    const response = await sendRequest(`${service.url}${VENDORS}/list`, { 'X-API-Key': key });
    return new Set((JSON.parse(response?.text ?? '[]') as { name: string }[]).map(({ name }) => name));
  };

  test('share one port, one token and one schema', async () => {
    expect(service.stderr).toMatch(/^Workers +2$/m);
    for (const line of service.stdout.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level');
    expect(await readdir(join(folder, 'workers'))).toEqual(['operator-token']);
    const { rows } = await withClient(scratch.url, (client) =>
      client.query<{ name: string }>('select name from mikro_orm_migrations'),
    );
    const files = (await readdir(join(import.meta.dirname, '../..', 'migrations'))).filter((file) =>
      file.endsWith('.ts'),
    );
    expect(rows.map(({ name }) => `${name}.ts`).toSorted()).toEqual(files.toSorted());
    expect(await pidsOf()).toHaveLength(2);
  });

  test('both respond, and one endpoint returns the sum of their metrics', async () => {
    const pids = await pidsOf();
    const responses = await Promise.all(Array.from({ length: 40 }, () => sendRequest(`${service.url}/healthz`, {})));
    expect(responses.filter((response) => response?.status !== 200)).toEqual([]);
    const count = 'http_request_duration_seconds_count{route="/healthz",method="GET",status="2xx"}';
    await expect
      .poll(() => scrapeMetrics(metricsUrl), POLL_OPTIONS)
      .toMatchObject({ [count]: 40, workers: 2, workers_replaced_total: 0 });
    const respondingPids = () =>
      new Set(lines().flatMap(({ route, pid }) => (route === '/healthz' ? [Number(pid)] : [])));
    await expect.poll(respondingPids, POLL_OPTIONS).toEqual(new Set(pids));
    expect((await scrapeMetrics(metricsUrl))['database_connections{state="total"}']).toBeGreaterThanOrEqual(2);
  });

  test('when one is killed under load, the other continues, it is replaced, and no acknowledged write is lost', async () => {
    const { seen, broken, end } = load('Killed');
    await expect.poll(() => seen.acknowledged.length, POLL_OPTIONS).toBeGreaterThan(50);
    const before = await countCreated();
    const [victim = 0] = await pidsOf();
    process.kill(victim, 'SIGKILL');
    const atKill = seen.acknowledged.length;
    await expect.poll(() => seen.acknowledged.length, POLL_OPTIONS).toBeGreaterThan(atKill + 50);
    await expect.poll(isComplete, POLL_OPTIONS).toBe(true);
    const afterwards = await countCreated();
    await end();
    expect(afterwards).toBeGreaterThanOrEqual(before);
    expect(seen.errorStatuses).toEqual([]);
    // Each client has one request at a time. The kernel closes the connections of the killed worker before its listening
    // socket, so the next request of a client may still reach that socket. No client breaks a third time.
    expect(Math.max(...broken)).toBeLessThanOrEqual(2);
    const storedVendors = await storedNames();
    expect(seen.acknowledged.filter((name) => !storedVendors.has(name))).toEqual([]);
    expect(await pidsOf()).not.toContain(victim);
    expect((await scrapeMetrics(metricsUrl))['workers_replaced_total']).toBe(1);
    expect(lines()).toContainEqual(
      expect.objectContaining({
        worker: victim,
        reason: 'SIGKILL',
        delayMs: 0,
        msg: 'worker: ended, starting a replacement',
      }),
    );
  });

  test('the restart delay increases while workers end early, and their counters are kept', async () => {
    const before = await countCreated();
    expect(before).toBeGreaterThan(0);
    let delayMs = 0;
    for (let kill = 0; kill < 5; kill += 1) {
      const victim = Math.max(...(await pidsOf()));
      const killedAt = performance.now();
      process.kill(victim, 'SIGKILL');
      const isReplaced = async () => {
        const pids = await pidsOf();
        return pids.length === 2 && !pids.includes(victim);
      };
      await expect.poll(isReplaced, { ...POLL_OPTIONS, interval: 20 }).toBe(true);
      delayMs = performance.now() - killedAt;
    }
    // The first victim may have lived long. The third short-lived worker after it waits 200 ms, and the fourth 400 ms.
    expect(delayMs).toBeGreaterThanOrEqual(400);
    await expect.poll(isComplete, POLL_OPTIONS).toBe(true);
    expect(await countCreated()).toBeGreaterThanOrEqual(before);
    expect((await create('After the restarts'))?.status).toBe(201);
  });

  test('SIGTERM under load ends all processes with exit code 0', async () => {
    const pids = [service.child.pid ?? 0, ...(await pidsOf())];
    const { seen, end } = load('Stopped');
    await expect.poll(() => seen.acknowledged.length, POLL_OPTIONS).toBeGreaterThan(20);
    const startedAt = performance.now();
    const code = await stopServiceProcess(service);
    const durationMs = performance.now() - startedAt;
    await end();
    expect(code).toBe(0);
    expect(durationMs).toBeLessThan(10_000);
    expect(pids.filter(isRunning)).toEqual([]);
    expect(seen.errorStatuses).toEqual([]);
    await startWorkers();
    const storedVendors = await storedNames();
    expect(seen.acknowledged.filter((name) => !storedVendors.has(name))).toEqual([]);
  });

  test('workers end when their supervisor is killed', async () => {
    const pids = await pidsOf();
    expect(pids).toHaveLength(2);
    await stopServiceProcess(service, 'SIGKILL');
    await expect.poll(() => pids.filter(isRunning), POLL_OPTIONS).toEqual([]);
    await startWorkers();
  });

  test('a failed start is reported in one line', async () => {
    const { port, stop } = await listen(createServer());
    const inUse = { ...environment(), PORT: String(port) };
    const portInUse = await runProgram('server/main.js', ['--workers', '2'], inUse);
    expect(portInUse).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^HOST, PORT: [^\n]+\n$/) });
    stop();
    const nowhere = Object.assign(new URL(databaseUrl ?? ''), { pathname: '/nowhere' }).href;
    const missing = { ...environment(), DATABASE_URL: nowhere };
    const result = await runProgram('server/main.js', ['--workers', '2'], missing);
    expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^DATABASE_URL: [^\n]+\n$/) });
  });
});
