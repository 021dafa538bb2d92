import { spawn } from 'node:child_process';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import type { RequestOptions } from 'node:http';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { z } from 'zod';
import { loadSettings } from '../server/config/settings.ts';
import { startBenchService } from './service.ts';

// Measures the CPU time of requests, of the service and PostgreSQL, as a multiple of a reference program that takes turns with it. Fails
// if one exceeds its budget by a tenth: DATABASE_URL=postgresql://… npm run bench:budget, on an empty database of this machine, as a role
// that sees the processes of PostgreSQL. With --write it writes the measured multiples to budget.json.

const CONNECTIONS = 32;
const ITEMS = 100;
const TOLERANCE = 1.1;
const BUDGET = new URL('budget/budget.json', import.meta.url);

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '0.4' },
    write: { type: 'boolean', default: false },
  },
});
const { databaseUrl } = loadSettings();
if (databaseUrl === undefined) throw new Error('DATABASE_URL: required');

/** One request of a workload. */
interface Call {
  method: string;
  path: string;
  body?: object;
}

/** A server under load. */
interface Target {
  url: string;
  headers: Readonly<Record<string, string>>;
  pid: number;
  /** SQL condition on `pg_stat_activity` for its connections. */
  connections: string;
  workloads: Readonly<Record<Workload, (no: number) => Call>>;
}

const WORKLOADS = ['get', 'list', 'count', 'create', 'update'] as const;
type Workload = (typeof WORKLOADS)[number];

const print = (line: string) => void process.stdout.write(`${line}\n`);
const at = (ids: readonly string[], no: number) => ids[no % ids.length] ?? '';

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

/** Sends a request, and reads the response to its end. @throws Error unless it succeeds */
function send({ url, headers }: Pick<Target, 'url' | 'headers'>, { method, path, body }: Call): Promise<string> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const content = text !== undefined && {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  };
  const settings: RequestOptions = { method, agent, headers: { ...headers, ...content } };
  return new Promise((resolve, reject) => {
    const sent = request(url + path, settings, (response) => {
      let received = '';
      response.setEncoding('utf8').on('data', (chunk) => (received += String(chunk)));
      response.on('end', () => {
        if ((response.statusCode ?? 500) < 300) resolve(received);
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${received}`));
      });
    });
    sent.on('error', reject).end(text);
  });
}

const Created = z.object({ uniqueId: z.string() });
const Id = z.object({ id: z.number() });

/** The service with a company whose vendors and tasks have all their fields, half of them owners, assignees, reviews and evidence. */
async function startService(url: string) {
  const limits = { COMPANY_RATE_LIMIT_PER_MINUTE: '0' };
  const service = await startBenchService(url, limits);
  const { id: company } = await service.manage('company.create', { name: 'Bench' }, Id);
  const { key } = await service.manage('apiKey.create', { name: 'Bench' }, z.object({ key: z.string() }), company);
  const { id: framework } = await service.manage('framework.create', { name: 'ISO' }, Id, company);
  const server = { url: service.url, headers: { 'X-API-Key': key } };
  const create = async (path: string, body: object) =>
    Created.parse(JSON.parse(await send(server, { method: 'POST', path, body }))).uniqueId;
  const vendors: string[] = [];
  const tasks: string[] = [];
  for (let no = 0; no < ITEMS; no++) {
    const isFull = no % 2 === 0;
    const vendor = await create('/external/smart-inventory/vendor/new', {
      ...NEW_VENDOR,
      ...(isFull && {
        criticality: 2,
        nextReview: '2027-01-31',
        website: 'https://cloud.example',
        labels: ['hosting'],
      }),
    });
    vendors.push(vendor);
    tasks.push(
      await create(`/external/task/framework/${framework}/new`, { ...NEW_TASK, vendors: isFull ? [vendor] : [] }),
    );
  }
  const target: Target = {
    ...server,
    pid: service.pid,
    connections: `application_name <> 'reference'`,
    workloads: {
      get: (no) => ({ method: 'GET', path: `/external/smart-inventory/vendor/${at(vendors, no)}/item` }),
      list: () => ({ method: 'GET', path: '/external/smart-inventory/vendor/list' }),
      count: () => ({ method: 'GET', path: `/external/task/framework/${framework}/list` }),
      create: () => ({ method: 'POST', path: '/external/smart-inventory/vendor/new', body: NEW_VENDOR }),
      update: (no) => ({
        method: 'PATCH',
        path: `/external/task/${at(tasks, no)}/edit`,
        body: { title: `Changed ${no}`, priority: 1 + (no % 4) },
      }),
    },
  };
  return { target, stop: service.stop };
}

const NEW_VENDOR = { name: 'Cloud Ltd', description: '<p>Hosting and <b>backups</b>, reviewed every year.</p>' };
const NEW_TASK = {
  title: 'Review access rights',
  description: 'Check who has access and remove what is no longer needed.',
  priority: 2,
  labels: ['access', 'review'],
  startDate: '2026-01-05',
  dueDate: '2026-02-27',
};

/** The reference program with as many items. */
async function startReference(url: string) {
  const child = spawn(process.execPath, [new URL('budget/reference.ts', import.meta.url).pathname, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const origin = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk).trim()));
    void exited.then(() => reject(new Error('reference: has ended')));
  });
  const ids: string[] = [];
  for (let no = 0; no < ITEMS; no++) {
    const created = await send({ url: origin, headers: {} }, { method: 'POST', path: '/create', body: NEW_VENDOR });
    ids.push(z.object({ id: z.string() }).parse(JSON.parse(created)).id);
  }
  const target: Target = {
    url: origin,
    headers: {},
    pid: child.pid ?? 0,
    connections: `application_name = 'reference'`,
    workloads: {
      get: (no) => ({ method: 'GET', path: `/get/${at(ids, no)}` }),
      list: () => ({ method: 'GET', path: '/list' }),
      count: () => ({ method: 'GET', path: '/count' }),
      create: () => ({ method: 'POST', path: '/create', body: NEW_VENDOR }),
      update: (no) => ({ method: 'PATCH', path: `/update/${at(ids, no)}`, body: { name: `Changed ${no}` } }),
    },
  };
  const stop = async () => {
    child.kill();
    await exited;
  };
  return { target, stop };
}

/** CPU microseconds for each request of a workload, of the server and its connections to PostgreSQL. */
async function measure(client: Client, target: Target, workload: Workload, seconds: number): Promise<number> {
  const used = async () => {
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and ${target.connections}`,
    );
    return sum(await Promise.all([target.pid, ...rows.map(({ pid }) => pid)].map(cpuNanoseconds)));
  };
  const call = target.workloads[workload];
  let sent = 0;
  const load = async (until: number) => {
    while (performance.now() < until) await send(target, call((sent += 1)));
  };
  const run = async (duration: number) => {
    const until = performance.now() + duration * 1000;
    await Promise.all(Array.from({ length: CONNECTIONS }, () => load(until)));
  };
  await run(seconds / 4);
  const before = await used();
  sent = 0;
  await run(seconds);
  return ((await used()) - before) / 1000 / sent;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** CPU time of the threads of a process. The times of `/proc/PID/stat` are in steps of 10 ms, which is too coarse. */
async function cpuNanoseconds(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const times = await Promise.all(
    threads.map(async (thread) => {
      const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
      return Number(text.split(' ', 1)[0]);
    }),
  );
  return sum(times);
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** Measures both by turns. @returns the median of the multiples by workload, and of the microseconds of both */
async function compare(client: Client, service: Target, reference: Target) {
  const rows = [];
  for (const workload of WORKLOADS) {
    const rounds = [];
    for (let round = 0; round < Number(options.rounds); round++) {
      const own = await measure(client, service, workload, Number(options.seconds));
      const other = await measure(client, reference, workload, Number(options.seconds));
      rounds.push({ own, other, multiple: own / other });
    }
    rows.push({
      workload,
      own: median(rounds.map(({ own }) => own)),
      other: median(rounds.map(({ other }) => other)),
      multiple: Number(median(rounds.map(({ multiple }) => multiple)).toFixed(2)),
    });
  }
  return rows;
}

const client = new Client({ connectionString: databaseUrl });
await client.connect();
const service = await startService(databaseUrl);
const reference = await startReference(databaseUrl);
try {
  const rows = await compare(client, service.target, reference.target);
  const budget = z.record(z.string(), z.number()).parse(JSON.parse(await readFile(BUDGET, 'utf8')));
  print('| workload | service, µs | reference, µs | multiple | budget |');
  print('| --- | ---: | ---: | ---: | ---: |');
  for (const { workload, own, other, multiple } of rows)
    print(`| ${workload} | ${own.toFixed(0)} | ${other.toFixed(0)} | ${multiple} | ${budget[workload] ?? 'none'} |`);
  const exceeding = rows.filter(({ workload, multiple }) => !(multiple <= (budget[workload] ?? 0) * TOLERANCE));
  if (options.write) {
    const measured = Object.fromEntries(rows.map(({ workload, multiple }) => [workload, multiple]));
    await writeFile(BUDGET, `${JSON.stringify(measured, undefined, 2)}\n`);
  } else if (exceeding.length > 0) {
    print(`over budget: ${exceeding.map(({ workload }) => workload).join(', ')}`);
    process.exitCode = 1;
  }
} finally {
  await Promise.all([service.stop(), reference.stop(), client.end()]);
  agent.destroy();
}
