import { setTimeout as wait } from 'node:timers/promises';
import cluster from 'node:cluster';
import type { Logger } from 'pino';
import type { Database } from '../entities/database/database.ts';
import { asRefusal, isForbidden } from '../entities/database/failure.ts';
import { createApp } from './app.ts';
import { BadSetting } from './config.ts';
import type { Settings } from './config.ts';
import { databaseFolder, lockDataFolder, makePrivate, operatorToken, settleDataFolder } from './data-folder.ts';
import { createDemo } from './demo.ts';
import { startForgetting } from './forgetting.ts';
import { HttpServer } from './http.ts';
import { openLimits } from './limits.ts';
import type { Limits } from './limits.ts';
import type { MetricsEndpoint } from './metrics-endpoint.ts';
import type { Watcher } from './observe.ts';
import { redactor } from './redact.ts';
import { startSealing } from './sealing.ts';
import { Shedding } from './shedding.ts';
import type { Tracing } from './tracing.ts';
import { answerSupervisor } from './workers.ts';

/** How often, and after how many milliseconds again, is looked for rights that lack. */
const GRANTED = { looks: 5, every: 300 };

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
  const token = await operatorToken(settings.operatorToken, settings.dataDir);
  const { database, unlock } = await openDatabase(settings, log);
  let limits: Limits | undefined;
  let metrics: Measuring | undefined;
  let tracing: Tracing | undefined;
  let shedding: Shedding | undefined;
  try {
    await bringUpToDate(database, settings);
    const lacks = await lackOf(database);
    if (lacks !== undefined) throw new BadSetting(`DATABASE_URL: ${lacks}`);
    const why = await database.tooStrong();
    const warnings =
      why === undefined ? [] : [`DATABASE_URL: ${why}, so PostgreSQL itself does not keep companies apart.`];
    for (const warning of warnings) log.warn(warning);
    await database.attend();
    const demo = settings.databaseUrl === undefined ? await createDemo(database) : undefined;
    limits = await openLimits(settings, log);
    shedding = new Shedding(
      log,
      [database, ...database.replicas].flatMap(({ pool }) => pool ?? []),
    );
    metrics = await openMetrics(settings, database);
    tracing = await openTracing(settings, database, log, redactor([token]));
    const watchers = metrics === undefined ? [] : [metrics.watch];
    const isStopping = () => server.isStopping;
    const options = { ...settings, limits, warnings, shedding, isStopping, watchers, trace: tracing?.trace };
    const server = new HttpServer(createApp(database, token, log, options).callback());
    const url = await server.listen(settings);
    const stopSealing = startSealing(database, log);
    const stopForgetting = startForgetting(database, log);
    const stop = async () => {
      await Promise.all([server.stop(), stopSealing(), stopForgetting()]);
      shedding?.stop();
      limits?.close();
      await Promise.all([metrics?.stop(), tracing?.stop()]);
      await database.close();
      unlock();
    };
    return { url, metricsUrl: metrics?.url, demo, stop };
  } catch (error) {
    shedding?.stop();
    limits?.close();
    await Promise.all([metrics?.stop(), tracing?.stop()]);
    await database.close();
    unlock();
    throw error;
  }
}

/** @throws BadSetting when the schema is not what this version needs, and this process is not to change it or may not */
export async function bringUpToDate(
  database: Database,
  { runMigrations, migrationDatabaseUrl }: Settings,
): Promise<void> {
  if (await database.isMigrated()) return;
  if (!runMigrations) throw new BadSetting('RUN_MIGRATIONS: is false, and migrations are still to be applied');
  await database.migrate().catch((cause: unknown) => {
    if (asRefusal(cause) === undefined && !isForbidden(cause)) throw cause;
    const name = migrationDatabaseUrl === undefined ? 'DATABASE_URL' : 'MIGRATION_DATABASE_URL';
    throw new BadSetting(`${name}: ${reasonOf(cause)}`, { cause });
  });
}

/** What the role of the service lacks for longer than another process takes from the last migration to granting it. */
async function lackOf(database: Database): Promise<string | undefined> {
  for (let asked = 1; ; asked++) {
    const lacks = await database.tooWeak();
    if (lacks === undefined || asked === GRANTED.looks) return lacks;
    await wait(GRANTED.every);
  }
}

/** What a driver said of it first. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}

/** Loads the driver of the database that is used: the other one's weight is its own. */
export async function openDatabase(
  { databaseUrl, migrationDatabaseUrl: ownerUrl, connections, pooler, replicaUrls, dataDir }: Settings,
  log: Logger,
): Promise<{ database: Database; unlock: () => void }> {
  if (databaseUrl !== undefined) {
    const { openPostgreSql } = await import('../entities/database/postgresql.ts');
    return {
      database: await openPostgreSql(databaseUrl, { ownerUrl, connections, pooler, replicaUrls }),
      unlock: () => {},
    };
  }
  const { openEmbedded } = await import('../entities/database/embedded.ts');
  const unlock = await lockDataFolder(dataDir);
  await settleDataFolder(dataDir);
  const folder = databaseFolder(dataDir);
  const error = await makePrivate(folder);
  if (error !== undefined) log.warn({ err: error, folder }, 'database folder: other users may read it');
  return { database: await openEmbedded(folder), unlock };
}

/** Where its numbers are told, if it does so itself, and who is told of requests. */
interface Measuring extends Pick<MetricsEndpoint, 'stop'> {
  url: string | undefined;
  watch: Watcher;
}

/** Counts and tells where that is asked for: what does so is loaded for nobody else. */
async function openMetrics({ metricsPort, metricsHost }: Settings, database: Database): Promise<Measuring | undefined> {
  if (metricsPort === undefined) return undefined;
  const [{ startMetrics }, { serveMetrics }] = await Promise.all([
    import('./metrics.ts'),
    import('./metrics-endpoint.ts'),
  ]);
  const metrics = startMetrics(database);
  if (cluster.isWorker) {
    answerSupervisor(() => metrics.numbers());
    return { ...metrics, url: undefined, stop: async () => {} };
  }
  const at = { port: metricsPort, host: metricsHost };
  return { ...metrics, ...(await serveMetrics(at, async () => [await metrics.numbers()])) };
}

/** Makes traces where somebody takes them: OpenTelemetry is loaded for nobody else. */
async function openTracing(
  { otlpEndpoint, tracesShare }: Settings,
  database: Database,
  log: Logger,
  redact: (text: string) => string,
): Promise<Tracing | undefined> {
  if (otlpEndpoint === undefined) return undefined;
  const { startTracing } = await import('./tracing.ts');
  const tracing = startTracing(otlpEndpoint, tracesShare, log, redact);
  database.watch(tracing.watch);
  return tracing;
}
