import cluster from 'node:cluster';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { NewerDataError } from '../../database/upgrade/inspect.ts';
import { VERSION, isOlder } from '../../database/version.ts';
import { Encryption } from '../../procedures/core/encryption.ts';
import type { Services } from '../../procedures/core/services.ts';
import { createDemoData } from '../../procedures/demo/demo-data.ts';
import type { DemoData } from '../../procedures/demo/demo-data.ts';
import type { Job, JobServices } from '../../procedures/jobs/job.ts';
import { JOBS } from '../../procedures/jobs/registry.ts';
import { identifyMembers, recordIdentities } from '../../procedures/member/identity.ts';
import { recordCurrentKey, recordingKey } from '../../procedures/audit/signing-key.ts';
import { backupCleanup } from '../backup/upgrade.ts';
import { createApp } from '../app.ts';
import { ConfigError, secretsOf } from '../config/settings.ts';
import type { Settings } from '../config/settings.ts';
import { ensureEncryptionKeys, ensureOperatorToken, ensureSigningKey } from '../config/data-dir.ts';
import { startProcessRecord } from '../jobs/record-process.ts';
import type { RecordedProcess } from '../jobs/record-process.ts';
import { startJob } from '../jobs/runner.ts';
import { HttpServer } from '../http/server.ts';
import { knownCompany } from '../auth/authenticate.ts';
import { openRateLimits } from '../auth/rate-limit.ts';
import { redactor } from '../telemetry/redact.ts';
import { createTimestampAuthority } from '../outbound/timestamp-authority.ts';
import { createWebhookClient } from '../outbound/webhook-client.ts';
import { LoadShedder } from '../http/load-shedding.ts';
import { openSignInLimits } from '../session/sign-in-limits.ts';
import { openStorage } from '../storage/open.ts';
import type { MetricsServer } from '../telemetry/metrics-server.ts';
import type { RequestObserver } from '../telemetry/request-observer.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { incompatibleData } from './data-errors.ts';
import { migrateIfNeeded, openDatabase, waitForPrivileges } from './database.ts';
import type { StartOptions } from './require-servers.ts';
import { serveWorkerMetrics } from './worker-messages.ts';

/** Maximum number of milliseconds of a shutdown for which jobs wait for the mail server. */
const MAX_MAIL_STOP_MS = 5000;
/** The same maximum for the store of files. Requests in flight have no longer. */
const MAX_STORAGE_STOP_MS = 8000;

/** Keeps the statistics of the embedded database, and writes its checkpoints. */
const embeddedMaintenance: Job = {
  kind: 'interval',
  name: 'maintain-embedded-database',
  failure: 'embedded database: maintenance failed',
  intervalMs: 15_000,
  startsIdle: true,
  run: async (_, { database: { embedded } }) => {
    await embedded?.maintenance.analyze();
    await embedded?.maintenance.writeCheckpoint();
  },
};

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
 * Risk of every excess privilege. A superuser or a role with BYPASSRLS ignores row-level security, and an owner can disable it.
 * TRUNCATE ignores it and fires no row triggers. New objects can hide tables, or replace functions that triggers call.
 * https://www.postgresql.org/docs/current/ddl-rowsecurity.html
 */
const EXCESS_PRIVILEGE_RISK = 'can bypass tenant isolation or the audit log in PostgreSQL';

/**
 * Checks the privileges of the service role.
 * @returns a warning for the operator if it has excess privileges
 * @throws ConfigError if a privilege is missing
 */
async function checkPrivileges(database: Database, log: Logger): Promise<string[]> {
  const missingPrivileges = await waitForPrivileges(database);
  if (missingPrivileges !== undefined) throw new ConfigError(`DATABASE_URL: ${missingPrivileges}`);
  const excessPrivilege = await database.excessPrivileges();
  if (excessPrivilege === undefined) return [];
  log.warn({ setting: 'DATABASE_URL', excessPrivilege }, `database role: ${EXCESS_PRIVILEGE_RISK}`);
  return [`DATABASE_URL: ${excessPrivilege} and ${EXCESS_PRIVILEGE_RISK}`];
}

/**
 * Starts the service: data directory, operator token, database, migrations, demo data, HTTP server.
 * @param options `now` is the clock of reminders, mails and retention, by default that of the machine; `signal` ends the wait for
 *   the database
 * @throws ConfigError if a setting prevents the start, for example if another process has locked DATA_DIR
 */
export async function startService(
  settings: Settings,
  log: Logger,
  { now, signal }: Pick<JobServices, 'now'> & Pick<StartOptions, 'signal'> = {},
): Promise<Service> {
  const token = await ensureOperatorToken(settings.operatorToken, settings.dataDir);
  // Everything that is started is put on the stack, which stops it in reverse order: at the end, or after an error of the start.
  await using stack = new AsyncDisposableStack();
  const { database, demo: preparedDemo } = await openDatabase(settings, { log, signal }, stack);
  const signInLimits = stack.adopt(openSignInLimits(settings, log), (limits) => limits.close());
  const encryptionKeys = await ensureEncryptionKeys(settings);
  const signing = await ensureSigningKey(settings);
  const poolerError = await database.poolerError?.();
  if (poolerError !== undefined) throw new ConfigError(`DATABASE_POOLER: ${poolerError}`);
  await migrateIfNeeded(database, settings, { log, signal });
  const warnings = await checkPrivileges(database, log);
  const recorded = stack.adopt(await recordProcess(database, settings, log), ({ stop }) => stop());
  const { data } = recorded.version;
  if (isOlder(VERSION, data)) {
    log.warn({ service: VERSION, data }, 'data: a newer version has run on them');
    warnings.push(`data: version ${data} has already run on these data, and this is version ${VERSION}`);
  }
  if (settings.smtpUrl !== undefined && encryptionKeys === undefined) {
    log.warn('mail: ENCRYPTION_KEY is not set, so that no link and no mail about an account can be sent');
    warnings.push('ENCRYPTION_KEY: required to send email, which is stored encrypted until it is sent');
  }
  await database.start();
  // A failure does not keep the service from starting, because the job tries again.
  await identifyMembers(new Session(database, null, recordIdentities.name)).catch((err: unknown) => {
    log.warn({ err }, recordIdentities.failure);
  });
  await recordCurrentKey(new Session(database, null, recordingKey.name), signing).catch((err: unknown) => {
    log.warn({ err }, recordingKey.failure);
  });
  const outputs = deferTogether(stack);
  const mailer = await openMailer(settings, log);
  const webhookClient = createWebhookClient(settings.webhookAllowPrivate);
  const storage = stack.adopt(await openStorage(settings, database, log), (opened) => opened.stop());
  let listeningUrl = '';
  const services: Services = {
    appUrl: () => settings.appUrl ?? listeningUrl,
    encryption: encryptionKeys && new Encryption(encryptionKeys),
    signing,
    hasMail: mailer !== undefined,
    tryMail: mailer?.tryMail,
    requirePublicUrl: webhookClient.requirePublicUrl,
    report: (fields, line) => log.info(fields, line),
    databaseMaxBytes: settings.databaseMaxBytes,
    storage,
  };
  // A preparation that was interrupted is completed here.
  const demo =
    preparedDemo ??
    (settings.databaseUrl === undefined ? await createDemoData(database, services, settings.demoApiKey) : undefined);
  const rateLimits = stack.adopt(await openRateLimits(settings, log), (limits) => limits?.close());
  const pools = [database, ...database.replicas].flatMap(({ pool }) => pool ?? []);
  const loadShedder = stack.adopt(new LoadShedder(log, pools, knownCompany(database)), (shedder) => shedder.stop());
  const metrics = await openMetrics(settings, database);
  outputs.push(() => metrics?.stop());
  const tracing = await openTracing(settings, database, log, redactor([token, ...secretsOf(settings)]));
  outputs.push(() => tracing?.stop());
  const options: NonNullable<Parameters<typeof createApp>[3]> = {
    ...settings,
    services,
    signInLimits,
    rateLimits,
    warnings,
    loadShedder,
    isStopping: () => server.isStopping,
    observers: metrics === undefined ? [] : [metrics.observeRequest],
    traceMiddleware: tracing?.middleware,
  };
  const server = new HttpServer(createApp(database, token, log, options).callback());
  const url = await server.listen(settings);
  const work = deferTogether(stack);
  work.push(
    () => database.sealWaiters.stop(),
    () => server.stop(),
    () => mailer?.endAttempts(MAX_MAIL_STOP_MS),
    () => storage.endCalls(MAX_STORAGE_STOP_MS),
  );
  listeningUrl = asLocalhost(url);
  const { encryption, appUrl } = services;
  const jobServices: JobServices = {
    encryption,
    signing,
    timestamp: settings.timestampUrl === undefined ? undefined : createTimestampAuthority(settings.timestampUrl),
    sendWebhook: webhookClient.send,
    mail: mailer && { send: mailer.tryMail, appUrl },
    storage,
    ...(now && { now }),
  };
  const jobs =
    settings.databaseUrl === undefined ? [...JOBS, backupCleanup(settings.dataDir), embeddedMaintenance] : JOBS;
  for (const job of jobs) work.push(startJob(job, { database, log, services: jobServices }));
  const started = stack.move();
  const stop = () => started.disposeAsync();
  return { url, appUrl: services.appUrl(), metricsUrl: metrics?.url, demo, stop };
}

/** Puts a list on the stack. Its functions are called at the same time, in their order. */
function deferTogether(stack: AsyncDisposableStack): (() => unknown)[] {
  const stops: (() => unknown)[] = [];
  stack.defer(async () => {
    await Promise.all(stops.map((stop) => stop()));
  });
  return stops;
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

/** Metrics of this process. `url` is undefined in a worker, because its supervisor serves the metrics. */
interface ServiceMetrics extends Pick<MetricsServer, 'stop'> {
  url: string | undefined;
  observeRequest: RequestObserver;
}

/** Starts the metrics if METRICS_PORT is set. Their modules are loaded only then. */
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

/** Starts tracing if an OTLP endpoint is set. OpenTelemetry is loaded only then. */
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
