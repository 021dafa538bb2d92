import type { Logger } from 'pino';
import { errorLine, isUnreachable } from '../../database/errors.ts';
import { awaitServer } from '../../database/postgresql/await-server.ts';
import { ConfigError } from '../config/settings.ts';
import type { Settings } from '../config/settings.ts';

/** Log of a start, and the signal that ends its waits. */
export interface StartOptions {
  log: Logger;
  signal?: AbortSignal | undefined;
}

/** Milliseconds that the start waits for a server that it does not need. */
const OPTIONAL_SERVER_PATIENCE_MS = 1000;

/** What to set in the URL, by the errors whose text does not say it. */
const URL_ADVICE: readonly (readonly [RegExp, string])[] = [
  [/, (?:no encryption|SSL off)$|SSL required/, 'sslmode=require or sslmode=verify-full encrypts'],
  [/does not support SSL/, 'sslmode=disable does not encrypt'],
  [/certificate/, 'sslrootcert names the file with the certificate of its authority'],
  [/client password must be a string/, 'the URL has no password'],
];

/** A server that a setting names. */
interface NamedServer {
  setting: string;
  url: string;
  /** True if a pooler in transaction mode is at the URL. */
  hasPooler?: boolean;
  /** What to do about a pooler that cannot be used. */
  poolerAdvice: string;
  /** True if the service starts without it. */
  isOptional?: boolean;
}

/** Waits for the primary, and looks at the replicas. @throws ConfigError with one line that names the setting */
export async function requireServers(
  { databaseUrl, pooler, replicaUrls }: Settings,
  start: StartOptions,
): Promise<void> {
  const hasPooler = pooler !== undefined;
  const poolerAdvice = 'if this is a connection pooler in transaction mode, set DATABASE_POOLER=transaction';
  const primary = databaseUrl === undefined ? [] : [{ setting: 'DATABASE_URL', url: databaseUrl }];
  const replicas = replicaUrls.map((url) => ({ setting: 'DATABASE_REPLICA_URLS', url, isOptional: true }));
  for (const server of [...primary, ...replicas]) await requireServer({ ...server, hasPooler, poolerAdvice }, start);
}

/** Waits for the server of the role that owns the tables. @throws ConfigError with one line that names the setting */
export const requireOwnerServer = (url: string, start: StartOptions): Promise<void> =>
  requireServer({ setting: 'MIGRATION_DATABASE_URL', url, poolerAdvice: 'connect to PostgreSQL directly' }, start);

/**
 * Waits until a server can be used.
 * @throws ConfigError with one line that names the setting
 */
async function requireServer(
  { setting, url, hasPooler = false, poolerAdvice, isOptional = false }: NamedServer,
  { log, signal }: StartOptions,
): Promise<void> {
  const wait = isOptional
    ? { patienceMs: OPTIONAL_SERVER_PATIENCE_MS }
    : { onRetry: (err: unknown) => log.warn({ err, setting }, 'database: unreachable, it is tried again') };
  const ignored = await awaitServer(url, { hasPooler, signal, ...wait }).catch((cause: unknown) => {
    if (signal?.aborted === true) throw cause;
    if (isOptional && isUnreachable(cause)) {
      log.warn({ err: cause, setting }, 'database: a replica is unreachable, the primary serves its reads');
      return [];
    }
    const line = errorLine(cause);
    const [, advice] =
      [...URL_ADVICE, [/^unsupported startup parameter/, poolerAdvice] as const].find(([text]) => text.test(line)) ??
      [];
    throw new ConfigError(`${setting}: ${line}${advice === undefined ? '' : ` (${advice})`}`, { cause });
  });
  if (ignored.length > 0)
    throw new ConfigError(
      `${setting}: the server ignores the startup parameters ${ignored.join(', ')}, as a pooler with ignore_startup_parameters does; ${poolerAdvice}`,
    );
}
