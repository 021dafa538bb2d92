import { setTimeout as wait } from 'node:timers/promises';
import cluster from 'node:cluster';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { asApiError, isInsufficientPrivilege } from '../../database/errors.ts';
import { createApp } from '../app.ts';
import { ConfigError } from '../config/settings.ts';
import type { Settings } from '../config/settings.ts';
import { databaseDir, lockDataDir, makePrivate, ensureOperatorToken, recoverDataDir } from '../config/data-dir.ts';
import { createDemoData } from './demo-data.ts';
import { startIdempotencyCleanup } from '../jobs/delete-expired-idempotency-records.ts';
import { HttpServer } from '../http/server.ts';
import { openRateLimits } from '../auth/rate-limit.ts';
import type { RateLimits } from '../auth/rate-limit.ts';
import type { MetricsServer } from '../telemetry/metrics-server.ts';
import type { RequestObserver } from '../telemetry/request-observer.ts';
import { redactor } from '../telemetry/redact.ts';
import { startSealing } from '../jobs/seal-audit-log.ts';
import { LoadShedder } from '../http/load-shedding.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { serveWorkerMetrics } from './worker-messages.ts';

/** How often, and after how many milliseconds again, is looked for rights that lack. */
const PRIVILEGE_CHECK = { attempts: 5, intervalMs: 300 };

/** A running service. */
export interface Service {
  url: string;
  /** Where its numbers are told; undefined where they are not. */
  metricsUrl: string | undefined;
  /** What was made of an empty embedded database: the key is shown here only. */
  demo: { key: string; framework: number } | undefined;
  /** Answers what is in flight, closes connections, the database and the folder. */
  stop(): Promise<void>;
}

/**
 * Starts the service: folder, token, database, migrations, demo data, socket.
 * @throws BadSetting when DATA_DIR is another process's
 */
export async function startService(settings: Settings, log: Logger): Promise<Service> {
  const token = await ensureOperatorToken(settings.operatorToken, settings.dataDir);
  const { database, unlock } = await openDatabase(settings, log);
  let rateLimits: RateLimits | undefined;
  let metrics: ServiceMetrics | undefined;
  let tracing: Tracing | undefined;
  let loadShedder: LoadShedder | undefined;
  try {
    const poolerError = await database.poolerError();
    if (poolerError !== undefined) throw new ConfigError(`DATABASE_POOLER: ${poolerError}`);
    await migrateIfNeeded(database, settings);
    const missingPrivileges = await waitForPrivileges(database);
    if (missingPrivileges !== undefined) throw new ConfigError(`DATABASE_URL: ${missingPrivileges}`);
    const excessPrivileges = await database.excessPrivileges();
    const warnings =
      excessPrivileges === undefined
        ? []
        : [`DATABASE_URL: ${excessPrivileges}, so PostgreSQL itself does not keep companies apart.`];
    for (const warning of warnings) log.warn(warning);
    await database.start();
    const demo = settings.databaseUrl === undefined ? await createDemoData(database) : undefined;
    rateLimits = await openRateLimits(settings, log);
    loadShedder = new LoadShedder(
      log,
      [database, ...database.replicas].flatMap(({ pool }) => pool ?? []),
    );
    metrics = await openMetrics(settings, database);
    tracing = await openTracing(settings, database, log, redactor([token]));
    const observers = metrics === undefined ? [] : [metrics.observeRequest];
    const isStopping = () => server.isStopping;
    const options: NonNullable<Parameters<typeof createApp>[3]> = {
      ...settings,
      rateLimits,
      warnings,
      loadShedder,
      isStopping,
      observers,
      traceMiddleware: tracing?.middleware,
    };
    const server = new HttpServer(createApp(database, token, log, options).callback());
    const url = await server.listen(settings);
    const stopSealing = startSealing(database, log);
    const stopIdempotencyCleanup = startIdempotencyCleanup(database, log);
    const stop = async () => {
      await Promise.all([server.stop(), stopSealing(), stopIdempotencyCleanup()]);
      loadShedder?.stop();
      rateLimits?.close();
      await Promise.all([metrics?.stop(), tracing?.stop()]);
      await database.close();
      unlock();
    };
    return { url, metricsUrl: metrics?.url, demo, stop };
  } catch (error) {
    loadShedder?.stop();
    rateLimits?.close();
    await Promise.all([metrics?.stop(), tracing?.stop()]);
    await database.close();
    unlock();
    throw error;
  }
}

/** @throws BadSetting when the schema is not what this version needs, and this process is not to change it or may not */
export async function migrateIfNeeded(
  database: Database,
  { runMigrations, migrationDatabaseUrl }: Settings,
): Promise<void> {
  if (await database.isMigrated()) return;
  if (!runMigrations) throw new ConfigError('RUN_MIGRATIONS: is false, and migrations are still to be applied');
  await database.migrate().catch((cause: unknown) => {
    if (asApiError(cause) === undefined && !isInsufficientPrivilege(cause)) throw cause;
    const name = migrationDatabaseUrl === undefined ? 'DATABASE_URL' : 'MIGRATION_DATABASE_URL';
    throw new ConfigError(`${name}: ${rootCauseMessage(cause)}`, { cause });
  });
}

/** What the role of the service lacks for longer than another process takes from the last migration to granting it. */
async function waitForPrivileges(database: Database): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    const missingPrivileges = await database.missingPrivileges();
    if (missingPrivileges === undefined || attempt === PRIVILEGE_CHECK.attempts) return missingPrivileges;
    await wait(PRIVILEGE_CHECK.intervalMs);
  }
}

/** What a driver said of it first. */
function rootCauseMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? rootCauseMessage(error.cause) : error.message;
}

/** Loads the driver of the database that is used: the other one's weight is its own. */
export async function openDatabase(
  { databaseUrl, migrationDatabaseUrl: ownerUrl, connections, pooler, replicaUrls, dataDir }: Settings,
  log: Logger,
): Promise<{ database: Database; unlock: () => void }> {
  if (databaseUrl !== undefined) {
    const { openPostgreSql } = await import('../../database/postgresql/open.ts');
    return {
      database: await openPostgreSql(databaseUrl, { ownerUrl, maxConnections: connections, pooler, replicaUrls }),
      unlock: () => {},
    };
  }
  const { openPglite: openEmbedded } = await import('../../database/pglite/open.ts');
  const unlock = await lockDataDir(dataDir);
  await recoverDataDir(dataDir);
  const folder = databaseDir(dataDir);
  const error = await makePrivate(folder);
  if (error !== undefined) log.warn({ err: error, folder }, 'database folder: other users may read it');
  return { database: await openEmbedded(folder), unlock };
}

/** Where its numbers are told, if it does so itself, and who is told of requests. */
interface ServiceMetrics extends Pick<MetricsServer, 'stop'> {
  url: string | undefined;
  observeRequest: RequestObserver;
}

/** Counts and tells where that is asked for: what does so is loaded for nobody else. */
async function openMetrics(
  { metricsPort, metricsHost }: Settings,
  database: Database,
): Promise<ServiceMetrics | undefined> {
  if (metricsPort === undefined) return undefined;
  const [{ startMetrics }, { startMetricsServer }] = await Promise.all([
    import('../telemetry/metrics.ts'),
    import('../telemetry/metrics-server.ts'),
  ]);
  const metrics = startMetrics(database);
  if (cluster.isWorker) {
    serveWorkerMetrics(() => metrics.collect());
    return { ...metrics, url: undefined, stop: async () => {} };
  }
  const address = { port: metricsPort, host: metricsHost };
  return { ...metrics, ...(await startMetricsServer(address, async () => [await metrics.collect()])) };
}

/** Makes traces where somebody takes them: OpenTelemetry is loaded for nobody else. */
async function openTracing(
  { otlpEndpoint, traceSampleRatio }: Settings,
  database: Database,
  log: Logger,
  redact: (text: string) => string,
): Promise<Tracing | undefined> {
  if (otlpEndpoint === undefined) return undefined;
  const { startTracing } = await import('../telemetry/tracing.ts');
  const tracing = startTracing(otlpEndpoint, traceSampleRatio, log, redact);
  database.observe(tracing.statementObserver);
  return tracing;
}
