import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { requireWeakRole, start, stop } from '../support/process.ts';
import { scratchDatabase } from '../support/scratch-database.ts';
import type { Question, Told } from './tap.ts';

const TAP = join(import.meta.dirname, 'tap.ts');
export const OPERATOR_TOKEN = 'operator-token-of-the-input-suite-0123456789';

/** Looks into the database that the service runs on. */
type Sql = <Row>(text: string, ...values: unknown[]) => Promise<Row[]>;

/** A real process of the service, on a database of its own. */
export interface Service {
  url: string;
  port: number;
  on: 'PostgreSQL' | 'embedded';
  sql: Sql;
  /** What it logged of faults of its own. */
  faults(): string[];
  /** Whether it is the process that was started, still. */
  isAlive(): boolean;
  /** @returns the exit status */
  stop(): Promise<number | null>;
}

/** Starts it on PostgreSQL, in a database made beside that of the URL, or else on the embedded one, in a new folder. */
export async function startService(databaseUrl: string | undefined): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'compliance-fuzz-'));
  const scratch = databaseUrl === undefined ? undefined : await scratchDatabase(databaseUrl);
  const given = { DATA_DIR: folder, OPERATOR_TOKEN, LOG_LEVEL: 'warn' };
  const started =
    scratch === undefined
      ? await start(given, TAP)
      : await start({ ...given, MIGRATION_DATABASE_URL: scratch.url, DATABASE_URL: scratch.serviceUrl });
  const { child, url } = started;
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (log += String(chunk)));
  if (url === '') throw new Error(`the service did not start: ${started.output}`);
  await requireWeakRole(started);
  const pool = scratch && new Pool({ connectionString: scratch.url, max: 2 });
  const sql: Sql = pool
    ? async <Row>(text: string, ...values: unknown[]) => (await pool.query(text, values)).rows as Row[]
    : askChild(child);
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  return {
    url,
    port: Number(new URL(url).port),
    on: scratch === undefined ? 'embedded' : 'PostgreSQL',
    sql,
    faults: () => log.split('\n').filter((line) => line.includes('"level":50') || line.includes('Error:')),
    isAlive,
    stop: async () => {
      await pool?.end();
      const code = isAlive() ? await stop(started) : child.exitCode;
      await scratch?.drop();
      await rm(folder, { recursive: true, force: true });
      return code;
    },
  };
}

function askChild(child: ChildProcess): Sql {
  const waiting = new Map<number, PromiseWithResolvers<unknown[]>>();
  let asked = 0;
  child.on('message', (told: Told) => {
    const one = waiting.get(told.id);
    waiting.delete(told.id);
    if ('rows' in told) one?.resolve(told.rows);
    else one?.reject(new Error(told.error));
  });
  child.on('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the service has ended'));
  });
  return <Row>(text: string, ...values: unknown[]) => {
    const one = Promise.withResolvers<unknown[]>();
    const question: Question = { id: (asked += 1), text, values };
    waiting.set(question.id, one);
    child.send(question);
    return one.promise as Promise<Row[]>;
  };
}
