import { z } from 'zod';
import { isContactUri, isHttpUrl, isOrigin, isPostgreSqlUrl, isRedisUrl, isTrustedUrl } from './urls.ts';

const PORT = z
  .string()
  .refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535, 'expected an integer from 0 to 65535')
  .transform(Number);

const MAX_RATE_PER_MINUTE = 1_000_000;
const RATE_PER_MINUTE = z
  .string()
  .refine(
    (text) => /^\d{1,7}$/.test(text) && Number(text) <= MAX_RATE_PER_MINUTE,
    `expected an integer from 0 to ${MAX_RATE_PER_MINUTE}; 0 turns the limits off`,
  )
  .transform(Number);

/** Two are shared by reads, and two are for changes that come together. */
const CONNECTION_BOUNDS = { min: 4, max: 100 };
const DATABASE_CONNECTIONS = z
  .string()
  .refine(
    (text) => /^\d{1,3}$/.test(text) && Number(text) >= CONNECTION_BOUNDS.min && Number(text) <= CONNECTION_BOUNDS.max,
    `expected an integer from ${CONNECTION_BOUNDS.min} to ${CONNECTION_BOUNDS.max}`,
  )
  .transform(Number);

/** What the operator's token looks like. */
export const OPERATOR_TOKEN_PATTERN = /^\S{32,}$/;

/** The environment, as docs/operations.md lists it. An empty variable counts as unset. */
const Environment = z.object({
  PORT: PORT.default(3000),
  HOST: z.string().default('127.0.0.1'),
  DATABASE_URL: z.string().refine(isPostgreSqlUrl, 'expected postgresql://user:password@host:port/database').optional(),
  MIGRATION_DATABASE_URL: z
    .string()
    .refine(isPostgreSqlUrl, 'expected postgresql://user:password@host:port/database')
    .optional(),
  DATABASE_CONNECTIONS: DATABASE_CONNECTIONS.optional(),
  DATABASE_POOLER: z.literal('transaction', 'expected transaction, or nothing').optional(),
  DATABASE_REPLICA_URLS: z
    .string()
    .transform((text) => text.split(',').map((url) => url.trim()))
    .refine(
      (urls) => urls.every(isPostgreSqlUrl),
      'expected postgresql://user:password@host:port/database, several separated by commas',
    )
    .optional(),
  DATA_DIR: z.string().default('./data'),
  OPERATOR_TOKEN: z
    .string()
    .regex(OPERATOR_TOKEN_PATTERN, 'expected at least 32 characters without a space')
    .optional(),
  RATE_LIMIT_PER_MINUTE: RATE_PER_MINUTE.default(600),
  REDIS_URL: z.string().refine(isRedisUrl, 'expected redis://host:port or rediss://user:password@host:port').optional(),
  TRUST_PROXY: z
    .string()
    .regex(/^[1-9]$/, 'expected the number of proxies, 1 to 9')
    .transform(Number)
    .optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  METRICS_PORT: PORT.optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.string().refine(isHttpUrl, 'expected http://host:port or https://host').optional(),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .refine((text) => /^(0(\.\d{1,9})?|1(\.0)?)$/.test(text), 'expected a number from 0 to 1')
    .transform(Number)
    .default(1),
  SECRET_SCANNING_KEYS_URL: z
    .string()
    .refine(isTrustedUrl, 'expected an https:// address, or one that begins with http://127.0.0.1')
    .optional(),
  CORS_ORIGINS: z
    .string()
    .transform((text) => text.split(',').map((origin) => origin.trim()))
    .refine((origins) => origins.every(isOrigin), 'expected origins like https://app.example.com, separated by commas')
    .optional(),
  SECURITY_CONTACT: z
    .string()
    .refine(isContactUri, 'expected mailto:somebody@example.com or an https:// address, without a space')
    .optional(),
  RUN_MIGRATIONS: z.enum(['true', 'false']).default('true'),
});

const urlUser = (url: string | undefined) => (url === undefined ? undefined : URL.parse(url)?.username);

export interface Settings {
  port: number;
  host: string;
  /** PostgreSQL; undefined means the embedded database in `dataDir`. */
  databaseUrl: string | undefined;
  /** The same database for the role that owns the tables and migrates them; undefined means that of `databaseUrl`. */
  migrationDatabaseUrl: string | undefined;
  /** Connections of each process to `databaseUrl`, and to each replica, at most; undefined: as many as serve most. */
  connections: number | undefined;
  /** What stands between the service and `databaseUrl`: undefined means nothing. */
  pooler: 'transaction' | undefined;
  /** Servers that follow `databaseUrl`, and that may be read. */
  replicaUrls: readonly string[];
  dataDir: string;
  operatorToken: string | undefined;
  /** Requests that each key may make in a minute; 0: no limits. */
  rateLimitPerMinute: number;
  /** Where the processes count requests together; undefined: each counts its own. */
  redisUrl: string | undefined;
  /** How many proxies' X-Forwarded-For is believed. */
  trustProxy: number;
  logLevel: z.infer<typeof Environment>['LOG_LEVEL'];
  /** Where the service's numbers are shown to who asks this port; undefined: nowhere, and nothing is counted. */
  metricsPort: number | undefined;
  metricsHost: string;
  /** Where traces are sent to; undefined: none are made. */
  otlpEndpoint: string | undefined;
  /** The share of the traces begun here that are made. */
  traceSampleRatio: number;
  /** Where the scanner for leaked secrets publishes its keys; undefined: no reports are received. */
  secretScanningKeysUrl: string | undefined;
  /** Origins whose pages may ask from a browser. */
  corsOrigins: readonly string[];
  /** Where a weakness is reported to; undefined: nobody is named. */
  securityContact: string | undefined;
  runMigrations: boolean;
}

/** Where a server on this host and port is reached from this machine. */
export function serverUrl({ host, port }: Pick<Settings, 'host' | 'port'>): string {
  const reachableHost = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachableHost.includes(':') ? `[${reachableHost}]` : reachableHost}:${port}`;
}

/** A setting that stops the start. Its message is one line that names the variable and never shows its value. */
export class ConfigError extends Error {}

/**
 * Reads the settings; no other file reads the environment.
 * @throws BadSetting
 */
export function loadSettings(environment: NodeJS.ProcessEnv = process.env): Settings {
  const nonEmpty = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = Environment.safeParse(nonEmpty);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(lines.join('; '));
  }
  const env = parsed.data;
  if (env.DATABASE_POOLER !== undefined && env.RUN_MIGRATIONS === 'true' && env.MIGRATION_DATABASE_URL === undefined) {
    throw new ConfigError('MIGRATION_DATABASE_URL: expected with DATABASE_POOLER, as migrations go past the pooler');
  }
  // Another role might see more than policies let this one.
  const role = urlUser(env.DATABASE_URL);
  if (env.DATABASE_REPLICA_URLS?.some((url) => role === undefined || urlUser(url) !== role) === true) {
    throw new ConfigError('DATABASE_REPLICA_URLS: expected the user of DATABASE_URL in each of them');
  }
  return {
    port: env.PORT,
    host: env.HOST,
    databaseUrl: env.DATABASE_URL,
    migrationDatabaseUrl: env.MIGRATION_DATABASE_URL,
    connections: env.DATABASE_CONNECTIONS,
    pooler: env.DATABASE_POOLER,
    replicaUrls: env.DATABASE_REPLICA_URLS ?? [],
    dataDir: env.DATA_DIR,
    operatorToken: env.OPERATOR_TOKEN,
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
    redisUrl: env.REDIS_URL,
    trustProxy: env.TRUST_PROXY ?? 0,
    logLevel: env.LOG_LEVEL,
    metricsPort: env.METRICS_PORT,
    metricsHost: env.METRICS_HOST,
    otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
    traceSampleRatio: env.OTEL_TRACES_SAMPLER_ARG,
    secretScanningKeysUrl: env.SECRET_SCANNING_KEYS_URL,
    corsOrigins: env.CORS_ORIGINS ?? [],
    securityContact: env.SECURITY_CONTACT,
    runMigrations: env.RUN_MIGRATIONS === 'true',
  };
}
