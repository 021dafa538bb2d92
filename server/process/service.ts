import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { NewerDataError } from '../../database/upgrade/inspect.ts';
import { VERSION, isOlder } from '../../database/version.ts';
import { sealWaiters } from '../../database/seal-waiters.ts';
import { Encryption } from '../../procedures/core/encryption.ts';
import type { Services } from '../../procedures/core/services.ts';
import { createApp } from '../app.ts';
import { ConfigError } from '../config/settings.ts';
import type { Settings } from '../config/settings.ts';
import { ensureEncryptionKeys, ensureOperatorToken } from '../config/data-dir.ts';
import { incompatibleData } from './incompatible-data.ts';
import { migrateIfNeeded, openDatabase, waitForPrivileges } from './database.ts';
import { createDemoData } from './demo-data.ts';
import type { DemoData } from './demo-data.ts';
import { startBackupCleanup } from '../jobs/delete-old-backups.ts';
import { startProcessRecord } from '../jobs/record-process.ts';
import type { RecordedProcess } from '../jobs/record-process.ts';
import { startKeyUsageCleanup } from '../jobs/delete-old-key-usage.ts';
import { startDeliveryCleanup } from '../jobs/delete-old-deliveries.ts';
import { startIdempotencyCleanup } from '../jobs/delete-expired-idempotency-records.ts';
import { startSignInCleanup } from '../jobs/delete-expired-sign-ins.ts';
import { HttpServer } from '../http/server.ts';
import { openRateLimits } from '../auth/rate-limit.ts';
import type { RateLimits } from '../auth/rate-limit.ts';
import { redactor } from '../telemetry/redact.ts';
import { startTaskHistory } from '../jobs/record-task-history.ts';
import { startImports } from '../jobs/run-imports.ts';
import { startSealing } from '../jobs/seal-audit-log.ts';
import { startWebhooks } from '../jobs/send-webhooks.ts';
import { createWebhookClient } from '../outbound/webhook-client.ts';
import { LoadShedder } from '../http/load-shedding.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { openSignInLimits } from '../session/sign-in-limits.ts';
import { openMetrics, openTracing } from './telemetry.ts';
import type { ServiceMetrics } from './telemetry.ts';

/**
 * Risk of every excess privilege. A superuser or a role with BYPASSRLS ignores row-level security, and an owner can disable it.
 * TRUNCATE ignores it and fires no row triggers. New objects can hide tables, or replace functions that triggers call.
 * https://www.postgresql.org/docs/current/ddl-rowsecurity.html
 */
const EXCESS_PRIVILEGE_RISK = 'can bypass tenant isolation or the audit log in PostgreSQL';

/** Maximum number of milliseconds for a shutdown, before the process exits anyway. */
const MAX_STOP_MS = 9000;

/** A running service. */
export interface Service {
  url: string;
  /** URL of the metrics; undefined if this process does not serve metrics. */
  metricsUrl: string | undefined;
  /** Public origin of the server, for links. */
  appUrl: string;
  /** Demo data created in an empty embedded database; undefined otherwise. */
  demo: DemoData | undefined;
  /** Completes requests in flight, closes connections and the database, and releases the lock of DATA_DIR. */
  stop(): Promise<void>;
}

/**
 * Starts the service: data directory, operator token, database, migrations, demo data, HTTP server.
 * @throws ConfigError if a setting prevents the start, for example if another process has locked DATA_DIR
 */
export async function startService(settings: Settings, log: Logger): Promise<Service> {
  const token = await ensureOperatorToken(settings.operatorToken, settings.dataDir);
  const { database, demo: preparedDemo, unlock } = await openDatabase(settings, log);
  const signInLimits = openSignInLimits(settings, log);
  let rateLimits: RateLimits | undefined;
  let metrics: ServiceMetrics | undefined;
  let tracing: Tracing | undefined;
  let loadShedder: LoadShedder | undefined;
  let recordedProcess: RecordedProcess | undefined;
  try {
    const encryptionKeys = await ensureEncryptionKeys(settings);
    const poolerError = await database.poolerError();
    if (poolerError !== undefined) throw new ConfigError(`DATABASE_POOLER: ${poolerError}`);
    await migrateIfNeeded(database, settings);
    const missingPrivileges = await waitForPrivileges(database);
    if (missingPrivileges !== undefined) throw new ConfigError(`DATABASE_URL: ${missingPrivileges}`);
    const excessPrivilege = await database.excessPrivileges();
    if (excessPrivilege !== undefined)
      log.warn({ setting: 'DATABASE_URL', excessPrivilege }, `database role: ${EXCESS_PRIVILEGE_RISK}`);
    const warnings =
      excessPrivilege === undefined ? [] : [`DATABASE_URL: ${excessPrivilege} and ${EXCESS_PRIVILEGE_RISK}`];
    recordedProcess = await recordProcess(database, settings, log);
    const { data } = recordedProcess.version;
    if (isOlder(VERSION, data)) {
      log.warn({ service: VERSION, data }, 'data: a newer version has run on them');
      warnings.push(`data: version ${data} has run on them, and this is ${VERSION}`);
    }
    await database.start();
    const mailer = await openMailer(settings, log);
    const webhookClient = createWebhookClient(settings.webhookAllowPrivate);
    let listeningUrl = '';
    const services: Services = {
      appUrl: () => settings.appUrl ?? listeningUrl,
      encryption: encryptionKeys && new Encryption(encryptionKeys),
      sendMail: mailer?.sendMail,
      requirePublicUrl: webhookClient.requirePublicUrl,
    };
    // A preparation that was interrupted is completed here.
    const demo =
      preparedDemo ?? (settings.databaseUrl === undefined ? await createDemoData(database, services) : undefined);
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
      services,
      signInLimits,
      rateLimits,
      warnings,
      loadShedder,
      isStopping,
      observers,
      traceMiddleware: tracing?.middleware,
    };
    const server = new HttpServer(createApp(database, token, log, options).callback());
    const url = await server.listen(settings);
    listeningUrl = asLocalhost(url);
    const stopSealing = startSealing(database, log);
    const startJobs = [
      startIdempotencyCleanup,
      startSignInCleanup,
      startKeyUsageCleanup,
      startTaskHistory,
      startImports,
      startDeliveryCleanup,
    ];
    const stopJobs = startJobs.map((startJob) => startJob(database, log));
    const { encryption } = services;
    if (settings.databaseUrl === undefined) stopJobs.push(startBackupCleanup(settings.dataDir, log));
    stopJobs.push(startWebhooks(database, log, { encryption, send: webhookClient.send }));
    const stop = async () => {
      const deadline = performance.now() + MAX_STOP_MS;
      sealWaiters(database).stop();
      await Promise.all([server.stop(), stopSealing(), ...stopJobs.map((stopJob) => stopJob())]);
      loadShedder?.stop();
      signInLimits.close();
      rateLimits?.close();
      await Promise.all([mailer?.stop(Math.max(0, deadline - performance.now())), metrics?.stop(), tracing?.stop()]);
      await recordedProcess?.stop();
      await database.close();
      unlock();
    };
    return { url, appUrl: services.appUrl(), metricsUrl: metrics?.url, demo, stop };
  } catch (error) {
    loadShedder?.stop();
    rateLimits?.close();
    await Promise.all([metrics?.stop(), tracing?.stop(), recordedProcess?.stop()]);
    await database.close();
    unlock();
    throw error;
  }
}

/** Records this process in the database. It stops if the data become unusable for its version. */
async function recordProcess(database: Database, settings: Settings, log: Logger): Promise<RecordedProcess> {
  const stopProcess = (error: NewerDataError) => {
    log.fatal({ err: error }, 'data: a newer version has changed them, this process stops');
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  };
  return startProcessRecord(database, log, stopProcess).catch(async (error: unknown) => {
    throw error instanceof NewerDataError ? await incompatibleData(error, settings) : error;
  });
}

/** Names this machine instead of its loopback address: passkeys need a domain (https://www.w3.org/TR/webauthn-3/#rp-id). */
const asLocalhost = (url: string) => url.replace(/^http:\/\/(127\.0\.0\.1|\[::1\])/, 'http://localhost');

/** Opens the mailer if SMTP_URL is set. Its module is loaded only then. */
async function openMailer({ smtpUrl, smtpFrom }: Settings, log: Logger) {
  if (smtpUrl === undefined || smtpFrom === undefined) return undefined;
  const { createMailer } = await import('../mail/mailer.ts');
  return createMailer(smtpUrl, smtpFrom, log);
}
