import cluster from 'node:cluster';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { asApiError } from '../../database/errors.ts';
import { ConfigError, loadSettings } from '../config/settings.ts';
import type { Settings } from '../config/settings.ts';
import { ensureOperatorToken } from '../config/data-dir.ts';
import { createLog, flushLog } from '../telemetry/log.ts';
import { startService } from './service.ts';
import type { Service } from './service.ts';
import { WorkerStartError, supervise } from './supervisor.ts';
import { sendToSupervisor, parseWorkerCount } from './worker-messages.ts';

/** Milliseconds after SIGTERM by which the process is gone, whatever hangs. */
const SHUTDOWN_TIMEOUT_MS = 9500;
/** Milliseconds in which another signal is the same: npm passes on what a terminal or systemd has sent to all of a group. */
const SIGNAL_DEBOUNCE_MS = 200;

// Collects earlier than V8 would on a machine with much memory. Not before most is loaded, which all stays.
setFlagsFromString('--heap-growing-percent=60');
// Else V8 forgets how to change anything where for some collections there was only reading.
setFlagsFromString('--no-flush-bytecode');

try {
  const chosen = loadSettings();
  const workers = cluster.isWorker ? undefined : parseWorkerCount(process.argv.slice(2));
  const starting = start(chosen, workers);
  let stopping: Promise<void> | undefined;
  let stopsSince = 0;
  const end = () => {
    if (stopping === undefined) {
      stopsSince = performance.now();
      stopping = stop(starting);
    } else if (performance.now() - stopsSince > SIGNAL_DEBOUNCE_MS) process.exit(1);
  };
  // Before it listens, too.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, end);
  const { service } = await starting;
  if (cluster.isWorker) sendToSupervisor({ listeningUrl: service.url });
  else process.stderr.write(startupMessage(service, chosen, workers));
} catch (error) {
  if (!(error instanceof WorkerStartError)) process.stderr.write(`${describeError(error)}\n`);
  process.exitCode = 1;
  if (cluster.isWorker) process.exit(); // which its supervisor would keep
}

interface StartedService {
  service: Service;
  log: Logger;
}

async function start(settings: Settings, workers: number | undefined): Promise<StartedService> {
  // First, so that no line shows it.
  const token = await ensureOperatorToken(settings.operatorToken, settings.dataDir);
  const log = createLog(settings.logLevel, [token]);
  const resolvedSettings = { ...settings, operatorToken: token };
  const service =
    workers === undefined ? startService(resolvedSettings, log) : supervise(resolvedSettings, workers, log);
  return { service: await service, log };
}

async function stop(starting: Promise<StartedService>): Promise<void> {
  setTimeout(() => process.exit(1), SHUTDOWN_TIMEOUT_MS).unref();
  const started = await starting.catch(() => undefined);
  if (started === undefined) return; // whoever began it tells why
  const { service, log } = started;
  await service.stop();
  await flushLog(log);
  process.exit(process.exitCode ?? 0);
}

/** One line for what the operator can mend; a stack for what only we can. */
function describeError(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const unreachable = asApiError(error);
  if (unreachable !== undefined) return `DATABASE_URL: ${messageOf(unreachable.cause)}${poolerHint(unreachable.cause)}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** So PgBouncer refuses what only a connection to PostgreSQL itself may be told at its start. */
function poolerHint(error: unknown): string {
  return messageOf(error).startsWith('unsupported startup parameter') ? ' (a pooler? See DATABASE_POOLER)' : '';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function startupMessage(
  { url, metricsUrl, demo }: Service,
  { databaseUrl, dataDir }: Settings,
  workers: number | undefined,
): string {
  const lines = [
    `Listening on   ${url}`,
    `The API        ${url}/docs`,
    `Data           ${databaseUrl === undefined ? dataDir : 'PostgreSQL, as DATABASE_URL says'}`,
    ...(workers === undefined ? [] : [`Workers        ${workers}`]),
    ...(metricsUrl === undefined ? [] : [`Metrics        ${metricsUrl}`]),
    'Manage         npm run manage -- --help',
  ];
  if (demo !== undefined) {
    lines.push(
      '',
      'The company Demo is made. This is its API key; it is not shown again:',
      `  ${demo.key}`,
      'Try it:',
      `  curl ${url}/external/task/framework/${demo.framework}/new -H 'X-API-Key: ${demo.key}' -H 'Content-Type: application/json' -d '{"title":"Review access rights"}'`,
    );
  }
  return `${lines.join('\n')}\n`;
}
