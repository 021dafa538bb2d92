import cluster from 'node:cluster';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { asApiError, errorLine } from '../../database/errors.ts';
import { VERSION } from '../../database/version.ts';
import { ConfigError, loadSettings, secretsOf } from '../config/settings.ts';
import type { Settings } from '../config/settings.ts';
import { ensureOperatorToken } from '../config/data-dir.ts';
import { dataDirError } from './data-errors.ts';
import { migrateAndClose } from './database.ts';
import { createLog, flushLog } from '../telemetry/log.ts';
import { startService } from './service.ts';
import type { Service } from './service.ts';
import { startupMessage } from './startup-message.ts';
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

let loaded: Settings | undefined;
try {
  const settings = (loaded = loadSettings());
  const workers = cluster.isWorker ? undefined : parseWorkerCount(process.argv.slice(2));
  if (settings.endsAfterMigrations) await applyMigrations(settings);
  else await serve(settings, workers);
} catch (error) {
  // A signal that ended the wait for the database is a stop like any other.
  if (!(error instanceof Error && error.name === 'AbortError')) {
    if (!(error instanceof WorkerStartError)) process.stderr.write(`${await describeError(error, loaded)}\n`);
    process.exitCode = 1;
  }
  process.exit(); // whatever is still open, such as the channel to the supervisor
}

/** Applies the migrations for processes that start with RUN_MIGRATIONS=false. */
async function applyMigrations(settings: Settings): Promise<void> {
  await migrateAndClose(settings, { log: createLog(settings.logLevel, secretsOf(settings)) });
  process.stderr.write(`Migrations applied for version ${VERSION}\n`);
}

/** Serves until a signal. @throws Error if the start fails */
async function serve(settings: Settings, workers: number | undefined): Promise<void> {
  const stopped = new AbortController();
  const starting = start(settings, workers, stopped.signal);
  let stopping: Promise<void> | undefined;
  let stopsSince = 0;
  const end = () => {
    if (stopping === undefined) {
      stopsSince = performance.now();
      stopped.abort();
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

async function start(settings: Settings, workers: number | undefined, signal: AbortSignal): Promise<StartedService> {
  // Resolved first, so that the log redacts the token from its first line on.
  const token = await ensureOperatorToken(settings.operatorToken, settings.dataDir);
  const log = createLog(settings.logLevel, [token, ...secretsOf(settings)]);
  const resolvedSettings = { ...settings, operatorToken: token };
  const service =
    workers === undefined
      ? startService(resolvedSettings, log, { signal })
      : supervise(resolvedSettings, workers, { log, signal });
  return { service: await service.catch((error: unknown) => flushLog(log).then(() => Promise.reject(error))), log };
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
async function describeError(error: unknown, at: Settings | undefined): Promise<string> {
  if (error instanceof ConfigError) return error.message;
  const fileError = at && (await dataDirError(error, at));
  if (fileError !== undefined) return fileError.message;
  if (asApiError(error) !== undefined) return `DATABASE_URL: ${errorLine(error)}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
