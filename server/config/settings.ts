import type { z } from 'zod';
import { Environment } from './environment.ts';

const urlUser = (url: string | undefined) => (url === undefined ? undefined : URL.parse(url)?.username);

export interface Settings {
  port: number;
  host: string;
  /** URL of PostgreSQL; undefined selects the embedded database in `dataDir`. */
  databaseUrl: string | undefined;
  /** URL of the same database for the role that owns the tables and applies migrations; undefined means `databaseUrl`. */
  migrationDatabaseUrl: string | undefined;
  /** Maximum number of connections per process to `databaseUrl` and to each replica; undefined selects the default. */
  connections: number | undefined;
  /** Pooling mode of a connection pooler at `databaseUrl`; undefined means a direct connection. */
  pooler: 'transaction' | undefined;
  /** URLs of read replicas of `databaseUrl`. */
  replicaUrls: readonly string[];
  dataDir: string;
  operatorToken: string | undefined;
  /** Maximum requests of each API key in a minute; 0 disables the limits. */
  rateLimitPerMinute: number;
  /** URL of Redis, which counts requests for all processes; undefined means that each process counts separately. */
  redisUrl: string | undefined;
  /** Number of trusted proxies in X-Forwarded-For. */
  trustProxy: number;
  logLevel: z.infer<typeof Environment>['LOG_LEVEL'];
  /** Port of the metrics server; undefined disables metrics. */
  metricsPort: number | undefined;
  metricsHost: string;
  /** OTLP endpoint for traces; undefined disables tracing. */
  otlpEndpoint: string | undefined;
  /** Share, 0 to 1, of the traces started here that are sampled. */
  traceSampleRatio: number;
  /** URL of the public keys of the secret scanner; undefined disables the endpoint for its reports. */
  secretScanningKeysUrl: string | undefined;
  /** Origins whose pages may send cross-origin requests. */
  corsOrigins: readonly string[];
  /** Contact for vulnerability reports; undefined disables `/.well-known/security.txt`. */
  securityContact: string | undefined;
  /** Public origin; undefined means the listening address. */
  appUrl: string | undefined;
  /** Mail server; undefined means that no mail is sent. */
  smtpUrl: string | undefined;
  /** Sender of mails. */
  smtpFrom: string | undefined;
  /** Keys in base64, separated by commas; undefined means the key file in `dataDir`, or none with `databaseUrl`. */
  encryptionKey: string | undefined;
  /** True in development: webhooks may have any address, also over http. */
  webhookAllowPrivate: boolean;
  runMigrations: boolean;
  /** True if a backup of the embedded database is written before it is migrated. */
  upgradeBackup: boolean;
}

/** Returns the URL at which this machine reaches a server on this host and port. */
export function serverUrl({ host, port }: Pick<Settings, 'host' | 'port'>): string {
  const reachableHost = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachableHost.includes(':') ? `[${reachableHost}]` : reachableHost}:${port}`;
}

/** An error in a setting. The message is one line that names the variable. It never contains a secret. */
export class ConfigError extends Error {}

/**
 * Reads the settings from the environment. No other file reads it.
 * @throws ConfigError if a setting is missing or invalid
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
    throw new ConfigError(
      'MIGRATION_DATABASE_URL: expected with DATABASE_POOLER, because migrations need a direct connection',
    );
  }
  if (env.SMTP_URL !== undefined && env.SMTP_FROM === undefined)
    throw new ConfigError('SMTP_FROM: expected with SMTP_URL');
  // A different role on a replica could bypass the row-level security that applies to this one.
  const role = urlUser(env.DATABASE_URL);
  if (env.DATABASE_REPLICA_URLS?.some((url) => role === undefined || urlUser(url) !== role) === true) {
    throw new ConfigError('DATABASE_REPLICA_URLS: expected the user of DATABASE_URL in each URL');
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
    appUrl: env.APP_URL,
    smtpUrl: env.SMTP_URL,
    smtpFrom: env.SMTP_FROM,
    encryptionKey: env.ENCRYPTION_KEY,
    webhookAllowPrivate: env.WEBHOOK_ALLOW_PRIVATE === 'true',
    runMigrations: env.RUN_MIGRATIONS === 'true',
    upgradeBackup: env.UPGRADE_BACKUP === 'true',
  };
}
