import cluster from 'node:cluster';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { asApiError } from '../../database/errors.ts';
import { VERSION } from '../../database/version.ts';
import { demoMessage } from '../../procedures/demo/demo-data.ts';
import { ConfigError, loadSettings, secretsOf } from '../config/settings.ts';
import type { Settings } from '../config/settings.ts';
import { ensureOperatorToken } from '../config/data-dir.ts';
import { migrateAndClose } from './database.ts';
import { createLog, flushLog } from '../telemetry/log.ts';
import { startService } from './service.ts';
import type { Service } from './service.ts';
import { WorkerStartError, supervise } from './supervisor.ts';
import { sendToSupervisor, parseWorkerCount } from './worker-messages.ts';

/** Milliseconds after SIGTERM at which the process exits, even if the shutdown hangs. */
const SHUTDOWN_TIMEOUT_MS = 9500;
/**
 * Milliseconds in which a further signal counts as the same one. A terminal or systemd signals the whole process group, and
 * npm forwards that signal once more.
 */
const SIGNAL_DEBOUNCE_MS = 200;

// Makes V8 collect garbage earlier than it would on a machine with much memory. Set here, after most modules are loaded,
// because their memory is never freed.
setFlagsFromString('--heap-growing-percent=60');
// Keeps compiled functions. Otherwise V8 discards the code for writes after several collections with only reads.
setFlagsFromString('--no-flush-bytecode');

try {
  const settings = loadSettings();
  const workers = cluster.isWorker ? undefined : parseWorkerCount(process.argv.slice(2));
  if (settings.endsAfterMigrations) await applyMigrations(settings);
  else await serve(settings, workers);
} catch (error) {
  if (!(error instanceof WorkerStartError)) process.stderr.write(`${describeError(error)}\n`);
  process.exitCode = 1;
  if (cluster.isWorker) process.exit(); // the channel to the supervisor would keep the process running
}

/** Applies the migrations for processes that start with RUN_MIGRATIONS=false. */
async function applyMigrations(settings: Settings): Promise<void> {
  await migrateAndClose(settings, createLog(settings.logLevel, secretsOf(settings)));
  process.stderr.write(`Migrations applied for version ${VERSION}\n`);
}

/** Serves until a signal. @throws Error if the start fails */
async function serve(settings: Settings, workers: number | undefined): Promise<void> {
  const starting = start(settings, workers);
  let stopping: Promise<void> | undefined;
  let stopsSince = 0;
  const end = () => {
    if (stopping === undefined) {
      stopsSince = performance.now();
      stopping = stop(starting);
    } else if (performance.now() - stopsSince > SIGNAL_DEBOUNCE_MS) process.exit(1);
  };
  // Also handles signals that arrive before the server listens.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, end);
  const { service } = await starting;
  if (cluster.isWorker) sendToSupervisor({ listeningUrl: service.url });
  else process.stderr.write(startupMessage(service, settings, workers));
}

interface StartedService {
  service: Service;
  log: Logger;
}

async function start(settings: Settings, workers: number | undefined): Promise<StartedService> {
  // Resolved first, so that the log redacts the token from its first line on.
  const token = await ensureOperatorToken(settings.operatorToken, settings.dataDir);
  const log = createLog(settings.logLevel, [token, ...secretsOf(settings)]);
  const resolvedSettings = { ...settings, operatorToken: token };
  const service =
    workers === undefined ? startService(resolvedSettings, log) : supervise(resolvedSettings, workers, log);
  return { service: await service, log };
}

async function stop(starting: Promise<StartedService>): Promise<void> {
  setTimeout(() => process.exit(1), SHUTDOWN_TIMEOUT_MS).unref();
  const started = await starting.catch(() => undefined);
  if (started === undefined) return; // the error is reported where `starting` is awaited
  const { service, log } = started;
  await service.stop();
  await flushLog(log);
  process.exit(process.exitCode ?? 0);
}

/** Describes an error: one line for errors that the operator can fix, a stack for all others. */
function describeError(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const databaseError = asApiError(error);
  if (databaseError !== undefined)
    return `DATABASE_URL: ${messageOf(databaseError.cause)}${poolerHint(databaseError.cause)}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Returns a hint for the error with which PgBouncer rejects startup parameters that it does not support. */
function poolerHint(error: unknown): string {
  return messageOf(error).startsWith('unsupported startup parameter')
    ? ' (if this is a connection pooler, set DATABASE_POOLER)'
    : '';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function startupMessage(
  { url, appUrl, metricsUrl, demo }: Service,
  { databaseUrl, dataDir }: Settings,
  workers: number | undefined,
): string {
  const lines = [
    `Listening on   ${url}`,
    `API reference  ${url}/docs`,
    `Data           ${databaseUrl === undefined ? dataDir : 'PostgreSQL (DATABASE_URL)'}`,
    ...(workers === undefined ? [] : [`Workers        ${workers}`]),
    ...(metricsUrl === undefined ? [] : [`Metrics        ${metricsUrl}`]),
    'Manage         npm run manage -- --help',
  ];
  if (demo !== undefined) lines.push('', ...demoMessage(demo, { url, appUrl }));
  return `${lines.join('\n')}\n`;
}
