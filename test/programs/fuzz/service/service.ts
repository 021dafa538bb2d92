import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import {
  isRunning,
  requireUnprivilegedRole,
  startService as start,
  stopServiceProcess,
} from '../../../support/servers/service-process.ts';
import { sqlOn } from '../../../support/database/client.ts';
import type { RunSql } from '../../../support/database/client.ts';
import { createScratchDatabase } from '../../../support/database/scratch-database.ts';
import type { SqlRequest, SqlResponse } from './pglite-bridge.ts';

const BRIDGE_PATH = join(import.meta.dirname, 'pglite-bridge.ts');

/** A service process with its own database. */
export interface Service {
  url: string;
  port: number;
  database: 'PostgreSQL' | 'embedded';
  /** Runs SQL on the database of the service. */
  sql: RunSql;
  /** Logged errors. */
  loggedErrors(): string[];
  /** Returns false once the process has ended. */
  isRunning(): boolean;
  /** @returns the exit code */
  stop(): Promise<number | null>;
}

/** Starts the service on a scratch database of the PostgreSQL server, or without a URL on the embedded database. */
export async function startService(databaseUrl: string | undefined): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'compliance-fuzz-'));
  const scratch = databaseUrl === undefined ? undefined : await createScratchDatabase(databaseUrl);
  const databaseSettings = scratch && { MIGRATION_DATABASE_URL: scratch.url, DATABASE_URL: scratch.serviceUrl };
  const started = await start(
    { DATA_DIR: folder, ...databaseSettings },
    scratch === undefined ? BRIDGE_PATH : undefined,
  );
  const { child, url } = started;
  await requireUnprivilegedRole(started);
  const pool = scratch && new Pool({ connectionString: scratch.url, max: 2 });
  const sql = pool === undefined ? queryChild(child) : sqlOn(pool);
  const isAlive = () => isRunning(started);
  return {
    url,
    port: Number(new URL(url).port),
    database: scratch === undefined ? 'embedded' : 'PostgreSQL',
    sql,
    loggedErrors: () =>
      started.output.split('\n').filter((line) => line.includes('"level":50') || line.includes('Error:')),
    isRunning: isAlive,
    stop: async () => {
      await pool?.end();
      const code = isAlive() ? await stopServiceProcess(started) : child.exitCode;
      await scratch?.drop();
      await rm(folder, { recursive: true, force: true });
      return code;
    },
  };
}

function queryChild(child: ChildProcess): RunSql {
  const pending = new Map<number, PromiseWithResolvers<unknown[]>>();
  let requestCount = 0;
  child.on('message', (response: SqlResponse) => {
    const query = pending.get(response.id);
    pending.delete(response.id);
    if ('rows' in response) query?.resolve(response.rows);
    else query?.reject(new Error(response.error));
  });
  child.on('exit', () => {
    for (const { reject } of pending.values()) reject(new Error('the service has ended'));
  });
  return <Row>(text: string, ...values: unknown[]) => {
    const query = Promise.withResolvers<unknown[]>();
    const request: SqlRequest = { id: (requestCount += 1), text, values };
    pending.set(request.id, query);
    child.send(request);
    return query.promise as Promise<Row[]>;
  };
}
