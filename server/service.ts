import cluster from 'node:cluster';
import type { Logger } from 'pino';
import type { Database } from '../entities/database/database.ts';
import { createApp } from './app.ts';
import type { Settings } from './config.ts';
import { databaseFolder, lockDataFolder, operatorToken } from './data-folder.ts';
import { createDemo } from './demo.ts';
import { startForgetting } from './forgetting.ts';
import { HttpServer } from './http.ts';
import { openLimits } from './limits.ts';
import type { Limits } from './limits.ts';
import type { MetricsEndpoint } from './metrics-endpoint.ts';
import type { Watcher } from './observe.ts';
import { startSealing } from './sealing.ts';
import type { Tracing } from './tracing.ts';
import { answerSupervisor } from './workers.ts';

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
  const { database, unlock } = await openDatabase(settings);
  let limits: Limits | undefined;
  let metrics: Measuring | undefined;
  let tracing: Tracing | undefined;
  try {
    if (settings.runMigrations) await database.migrate();
    const why = await database.tooStrong();
    const warnings =
      why === undefined ? [] : [`DATABASE_URL: ${why}, so PostgreSQL itself does not keep companies apart.`];
    for (const warning of warnings) log.warn(warning);
    await database.attend();
    const demo = settings.databaseUrl === undefined ? await createDemo(database) : undefined;
    limits = await openLimits(settings, log);
    metrics = await openMetrics(settings, database);
    tracing = await openTracing(settings, database, log);
    const watchers = metrics === undefined ? [] : [metrics.watch];
    const server = new HttpServer(
      createApp(database, token, log, { ...settings, limits, warnings, watchers, trace: tracing?.trace }).callback(),
    );
    const url = await server.listen(settings);
    const stopSealing = startSealing(database, log);
    const stopForgetting = startForgetting(database, log);
    const stop = async () => {
      await Promise.all([server.stop(), stopSealing(), stopForgetting()]);
      limits?.close();
      await Promise.all([metrics?.stop(), tracing?.stop()]);
      await database.close();
      unlock();
    };
    return { url, metricsUrl: metrics?.url, demo, stop };
  } catch (error) {
    limits?.close();
    await Promise.all([metrics?.stop(), tracing?.stop()]);
    await database.close();
    unlock();
    throw error;
  }
}

/** Loads the driver of the database that is used: the other one's weight is its own. */
export async function openDatabase({
  databaseUrl,
  migrationDatabaseUrl,
  dataDir,
}: Settings): Promise<{ database: Database; unlock: () => void }> {
  if (databaseUrl !== undefined) {
    const { openPostgreSql } = await import('../entities/database/postgresql.ts');
    return { database: await openPostgreSql(databaseUrl, { ownerUrl: migrationDatabaseUrl }), unlock: () => {} };
  }
  const { openEmbedded } = await import('../entities/database/embedded.ts');
  const unlock = await lockDataFolder(dataDir);
  return { database: await openEmbedded(databaseFolder(dataDir)), unlock };
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
): Promise<Tracing | undefined> {
  if (otlpEndpoint === undefined) return undefined;
  const { startTracing } = await import('./tracing.ts');
  const tracing = startTracing(otlpEndpoint, tracesShare, log);
  database.watch(tracing.watch);
  return tracing;
}
