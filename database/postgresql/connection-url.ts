import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { DescribedError, errorLine } from '../errors.ts';
import { TIMEOUTS_MS } from '../timeouts.ts';

/** Modes of TLS. The driver has other meanings for them, and changes them with its versions. docs/operations.md, PostgreSQL. */
const TLS_MODES = new Set<string | null>([null, 'disable', 'require', 'verify-full']);
/** Options of TLS for which a URL names files, by its parameter. */
const TLS_FILES = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const;
/** Parameters of the driver that would give `sslmode` another meaning. */
const FOREIGN_PARAMETERS = ['ssl', 'sslnegotiation', 'uselibpqcompat'];
/** Parameters that are read here. The driver does not see them. */
const OWN_PARAMETERS = ['sslmode', 'connect_timeout', ...Object.keys(TLS_FILES)];
const MAX_CONNECT_TIMEOUT_S = 300;

/** Options of a connection, for pg and its pool. */
export interface ConnectionConfig {
  connectionString: string;
  /** Always set: without it, the driver reads PGSSLMODE. */
  ssl: false | ConnectionOptions;
  /** Set if the URL has a `connect_timeout`. */
  connectionTimeoutMillis?: number;
}

/** Describes the error in the parameters of a PostgreSQL URL; undefined if they are valid. Reads no file. */
export function parameterError(url: string): string | undefined {
  const { searchParams } = new URL(url);
  const repeated = OWN_PARAMETERS.find((name) => searchParams.getAll(name).length > 1);
  if (repeated !== undefined) return `${repeated}: expected one value`;
  const foreign = FOREIGN_PARAMETERS.find((name) => searchParams.has(name));
  if (foreign !== undefined) return `${foreign}: unknown parameter; sslmode selects TLS`;
  const mode = searchParams.get('sslmode');
  if (!TLS_MODES.has(mode)) return 'sslmode: expected disable, require or verify-full';
  if (searchParams.has('sslrootcert') && mode !== 'verify-full')
    return 'sslrootcert: expected with sslmode=verify-full';
  if (searchParams.has('sslcert') !== searchParams.has('sslkey')) return 'sslcert, sslkey: expected both or neither';
  if (searchParams.has('sslcert') && (mode === null || mode === 'disable'))
    return 'sslcert: expected with sslmode=require or verify-full';
  const timeout = searchParams.get('connect_timeout');
  if (timeout !== null && !(/^[1-9]\d{0,2}$/.test(timeout) && Number(timeout) <= MAX_CONNECT_TIMEOUT_S))
    return `connect_timeout: expected seconds from 1 to ${MAX_CONNECT_TIMEOUT_S}`;
  return undefined;
}

/**
 * Returns the options of connections to a URL without a `parameterError`.
 * @throws DescribedError if a file for TLS cannot be read
 */
export function connectionConfig(text: string): ConnectionConfig {
  const url = new URL(text);
  const parameters = new Map(url.searchParams);
  for (const name of OWN_PARAMETERS) url.searchParams.delete(name);
  const timeout = parameters.get('connect_timeout');
  return {
    connectionString: url.href,
    ssl: tlsOptions(parameters, parameters.get('host') ?? url.hostname),
    ...(timeout !== undefined && { connectionTimeoutMillis: Number(timeout) * 1000 }),
  };
}

function tlsOptions(parameters: ReadonlyMap<string, string>, host: string): false | ConnectionOptions {
  const mode = parameters.get('sslmode') ?? 'disable';
  if (mode === 'disable') return false;
  // For a server that is named by its address, the driver leaves out the name, and Node would verify `localhost`.
  const options: ConnectionOptions = {
    rejectUnauthorized: mode === 'verify-full',
    host: host.replace(/^\[(.+)\]$/, '$1'),
  };
  for (const [parameter, option] of Object.entries(TLS_FILES)) {
    const file = parameters.get(parameter);
    if (file !== undefined) options[option] = readTlsFile(parameter, file);
  }
  return options;
}

function readTlsFile(parameter: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new DescribedError(`${parameter}: expected a file that can be read: ${errorLine(cause)}`, { cause });
  }
}

/**
 * Settings of each session. Dates have one format, whatever the server defaults are. All statements are short, so JIT
 * compilation would cost more than it saves. https://www.postgresql.org/docs/current/jit-decision.html
 */
export const SESSION_PARAMETERS = { datestyle: 'ISO', timezone: 'UTC', jit: 'off' };

/** Timeouts that the server enforces. */
export const SERVER_TIMEOUTS = {
  statement_timeout: TIMEOUTS_MS.statement,
  lock_timeout: TIMEOUTS_MS.lock,
  idle_in_transaction_session_timeout: TIMEOUTS_MS.idleInTransaction,
};

export const SESSION_OPTIONS = {
  options: Object.entries(SESSION_PARAMETERS)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' '),
};

/** Startup parameters of a connection of the service that no pooler shares. */
export const STARTUP_PARAMETERS = { ...SERVER_TIMEOUTS, ...SESSION_OPTIONS };

/** A pooler follows `datestyle` and `timezone` of its clients itself, so they do not show that it ignores others. */
const EXPECTED = Object.entries({ ...SERVER_TIMEOUTS, jit: SESSION_PARAMETERS.jit })
  .map(([name, value]) => `('${name}', '${value}')`)
  .join(', ');

/** Selects the startup parameters that are not in force. A pooler can ignore them (PgBouncer: `ignore_startup_parameters`). */
export const IGNORED_PARAMETERS = `select name from (values ${EXPECTED}) expected (name, value)
  where value is distinct from (select setting from pg_settings where pg_settings.name = expected.name)`;
