import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { z } from 'zod';
import { cpuMs } from '../service.ts';
import type { BenchService } from '../service.ts';
import type { Endpoint } from './endpoints.ts';
import type { SeededCompany } from './seed.ts';

/** Requests of a measurement, after some that are not measured, and the time after which it ends earlier. */
const REQUESTS = 200;
const WARM_UP = 10;
const MAX_MS = 4000;
const SEALS = 20;
const MAX_SEAL_MS = 20_000;
const IDLE_SECONDS = 15;

/** A company in a running installation. */
export interface Target {
  /** Heading of its column. */
  name: string;
  company: SeededCompany;
  service: BenchService;
  databaseUrl: string;
}

export interface Measured {
  /** Median in milliseconds. */
  p50: number;
  /** CPU time of the service and of PostgreSQL for each request, in milliseconds. */
  cpu: number;
}

export async function measure(target: Target, endpoint: Endpoint): Promise<Measured> {
  for (let count = 0; count < WARM_UP; count++) await send(target, endpoint);
  const client = new Client({ connectionString: target.databaseUrl });
  await client.connect();
  try {
    const before = await usedCpu(target, client);
    const times: number[] = [];
    for (const end = performance.now() + MAX_MS; times.length < REQUESTS && performance.now() < end;)
      times.push(await send(target, endpoint));
    return { p50: median(times), cpu: ((await usedCpu(target, client)) - before) / times.length };
  } finally {
    await client.end();
  }
}

/** Sends a request. @returns milliseconds @throws Error unless it succeeds */
async function send({ service: { url }, company }: Target, { name, requestFor }: Endpoint): Promise<number> {
  const { method, path, body } = requestFor(company);
  const startedAt = performance.now();
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { 'X-API-Key': company.key, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${name}: ${response.status} ${text}`);
  return performance.now() - startedAt;
}

/** CPU time of the service and of all sessions of its database. Autovacuum and parallel workers are not included. */
async function usedCpu({ service }: Target, client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );
  const used = await Promise.all([service.cpuMs(), ...rows.map(({ pid }) => cpuMs(pid))]);
  return used.reduce((sum, ms) => sum + ms, 0);
}

/** CPU time in milliseconds that the service and PostgreSQL take in a second without requests. */
export async function idleCpu(target: Target): Promise<number> {
  const client = new Client({ connectionString: target.databaseUrl });
  await client.connect();
  const before = await usedCpu(target, client);
  await wait(IDLE_SECONDS * 1000);
  const used = (await usedCpu(target, client)) - before;
  await client.end();
  return used / IDLE_SECONDS;
}

/** Median milliseconds from the response to a change until its event is sealed, and so in the change feed. */
export async function sealingLag({ service: { url }, company: { id, key }, databaseUrl }: Target): Promise<number> {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const head = async () => {
    const text = 'select s.seq::int from audit_seal s where s.company_id = $1 order by s.seq desc limit 1';
    return (await client.query<{ seq: number }>(text, [id])).rows[0]?.seq;
  };
  const lags: number[] = [];
  while (lags.length < SEALS) {
    const before = await head();
    const body = JSON.stringify({ name: randomUUID() });
    await fetch(`${url}/external/smart-inventory/vendor/new`, { method: 'POST', headers, body });
    const startedAt = performance.now();
    while ((await head()) === before) {
      if (performance.now() - startedAt > MAX_SEAL_MS) throw new Error(`company ${id}: a change is not sealed`);
      await wait(1);
    }
    lags.push(performance.now() - startedAt);
  }
  await client.end();
  return median(lags);
}

/** Milliseconds of `audit verify`, and the number of seals. */
export async function verifyLog({ service, company }: Target): Promise<{ ms: number; sealed: number }> {
  const startedAt = performance.now();
  const Verified = z.object({ intact: z.boolean(), sealed: z.number() });
  const { intact, sealed } = await service.manage('audit.verify', {}, Verified, company.id);
  if (!intact) throw new Error(`company ${company.id}: its audit log is not intact`);
  return { ms: performance.now() - startedAt, sealed };
}

/** Milliseconds of the first request of a key, which the service looks up in the database; the median of several companies. */
export async function keyLookUp({ service: { url } }: Target, keys: readonly string[]): Promise<number> {
  const times: number[] = [];
  for (const key of keys) {
    const startedAt = performance.now();
    await (await fetch(`${url}/external/api-key/whoami`, { headers: { 'X-API-Key': key } })).text();
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
}
