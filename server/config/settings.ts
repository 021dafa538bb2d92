import type { z } from 'zod';
import { Environment } from './environment.ts';
import type { StorageUrl } from './urls.ts';

const urlUser = (url: string | undefined) => (url === undefined ? undefined : URL.parse(url)?.username);

/** Default of `COMPANY_RATE_LIMIT_PER_MINUTE` while keys are limited. */
const DEFAULT_COMPANY_RATE_LIMIT = 3000;

/** Settings of the service. */
export type Settings = ReturnType<typeof loadSettings>;

/** Returns the URL at which this machine reaches a server on this host and port. */
export function serverUrl({ host, port }: Pick<Settings, 'host' | 'port'>): string {
  // A server at `::` takes IPv4 too, also on machines that have no address of IPv6.
  const reachableHost = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachableHost.includes(':') ? `[${reachableHost}]` : reachableHost}:${port}`;
}

/** An error in a setting. The message is one line that names the variable. It never contains a secret. */
export class ConfigError extends Error {}

/**
 * Reads the settings from the environment. No other file reads it.
 * @throws ConfigError if a setting is missing or invalid
 */
export function loadSettings(environment: NodeJS.ProcessEnv = process.env) {
  const nonEmpty = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = Environment.safeParse(nonEmpty);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(lines.join('; '));
  }
  const env = parsed.data;
  if (env.RUN_MIGRATIONS === 'only' && env.DATABASE_URL === undefined)
    throw new ConfigError(
      'RUN_MIGRATIONS: only needs DATABASE_URL, because the service prepares the embedded database',
    );
  if (env.DEMO_API_KEY !== undefined && env.DATABASE_URL !== undefined) {
    throw new ConfigError(
      'DEMO_API_KEY: expected without DATABASE_URL, because only an embedded database gets the company Demo',
    );
  }
  if (env.DATABASE_POOLER !== undefined && env.RUN_MIGRATIONS !== 'false' && env.MIGRATION_DATABASE_URL === undefined) {
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
  const s3 = env.STORAGE_URL && s3Settings(env.STORAGE_URL, env);
  return {
    port: env.PORT,
    host: env.HOST,
    /** URL of PostgreSQL; undefined selects the embedded database in `dataDir`. */
    databaseUrl: env.DATABASE_URL,
    /** URL of the same database for the role that owns the tables and applies migrations; undefined means `databaseUrl`. */
    migrationDatabaseUrl: env.MIGRATION_DATABASE_URL,
    /** Maximum number of connections per process to `databaseUrl` and to each replica; undefined selects the default. */
    connections: env.DATABASE_CONNECTIONS,
    /** Pooling mode of a connection pooler at `databaseUrl`; undefined means a direct connection. */
    pooler: env.DATABASE_POOLER,
    /** URLs of read replicas of `databaseUrl`. */
    replicaUrls: env.DATABASE_REPLICA_URLS ?? [],
    /** Bytes that the database may have when it takes a company from another cell; undefined without a limit. */
    databaseMaxBytes: env.DATABASE_MAX_BYTES,
    dataDir: env.DATA_DIR,
    /** API key of the company `Demo`, which the first start on an empty embedded database creates; undefined means a random one. */
    demoApiKey: env.DEMO_API_KEY,
    operatorToken: env.OPERATOR_TOKEN,
    /** Operator token of the cell that takes a company, for `company move`. */
    targetOperatorToken: env.TARGET_OPERATOR_TOKEN,
    /** Maximum requests of each API key or person in a minute; 0 disables this limit and that of failed attempts. */
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
    /** Maximum requests of the keys and members of a company in a minute; 0 disables this limit. */
    companyRateLimitPerMinute:
      env.COMPANY_RATE_LIMIT_PER_MINUTE ??
      (env.RATE_LIMIT_PER_MINUTE === 0 ? 0 : Math.max(DEFAULT_COMPANY_RATE_LIMIT, env.RATE_LIMIT_PER_MINUTE)),
    /** URL of Redis, which counts requests for all processes; undefined means that each process counts separately. */
    redisUrl: env.REDIS_URL,
    /** Number of trusted proxies in X-Forwarded-For. */
    trustProxy: env.TRUST_PROXY ?? 0,
    logLevel: env.LOG_LEVEL,
    /** Port of the metrics server; undefined disables metrics. */
    metricsPort: env.METRICS_PORT,
    metricsHost: env.METRICS_HOST,
    /** OTLP endpoint for traces; undefined disables tracing. */
    otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
    /** Share, 0 to 1, of the traces started here that are sampled. */
    traceSampleRatio: env.OTEL_TRACES_SAMPLER_ARG,
    /** URL of the public keys of the secret scanner; undefined disables the endpoint for its reports. */
    secretScanningKeysUrl: env.SECRET_SCANNING_KEYS_URL,
    /** Origins whose pages may send cross-origin requests. */
    corsOrigins: env.CORS_ORIGINS ?? [],
    /** Contact for vulnerability reports; undefined disables `/.well-known/security.txt`. */
    securityContact: env.SECURITY_CONTACT,
    /** Public origin; undefined means the listening address. */
    appUrl: env.APP_URL,
    /** Mail server; undefined means that no mail is sent. */
    smtpUrl: env.SMTP_URL,
    /** Sender of mails. */
    smtpFrom: env.SMTP_FROM,
    /** Keys in base64, separated by commas; undefined means the key file in `dataDir`, or none with `databaseUrl`. */
    encryptionKey: env.ENCRYPTION_KEY,
    /** Secret that signs cursors, the same in all cells; undefined means the one in the database. */
    cursorSecret: env.CURSOR_SECRET,
    /** Smallest id of a company that is created here. */
    companyIdStart: env.COMPANY_ID_START,
    /** Private key that signs proofs and checkpoints; undefined means the key file in `dataDir`, or none with `databaseUrl`. */
    signingKey: env.SIGNING_KEY,
    /** Time-stamp authority for proofs; undefined means no time stamps. */
    timestampUrl: env.TIMESTAMP_URL,
    /** True in development: webhooks may have any address, also over http. */
    webhookAllowPrivate: env.WEBHOOK_ALLOW_PRIVATE === 'true',
    runMigrations: env.RUN_MIGRATIONS !== 'false',
    /** True if the process applies the migrations and exits. */
    endsAfterMigrations: env.RUN_MIGRATIONS === 'only',
    /** True if a backup of the embedded database is written before it is migrated. */
    upgradeBackup: env.UPGRADE_BACKUP === 'true',
    /** S3-compatible storage for new files; undefined means DATA_DIR, or the database with `databaseUrl`. */
    s3,
    /** Maximum size of a file of evidence in bytes. */
    evidenceMaxBytes: env.EVIDENCE_MAX_BYTES,
    /** Maximum bytes of all files of evidence of a company. */
    evidenceQuotaBytes: env.EVIDENCE_QUOTA_BYTES,
  };
}

/** Bucket of an S3-compatible storage, with the credentials for it. */
export interface S3Settings extends StorageUrl {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | undefined;
}

/** @throws ConfigError if a credential is missing, or cannot be sent in a header */
function s3Settings(
  url: StorageUrl,
  env: Pick<z.infer<typeof Environment>, 'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY' | 'AWS_SESSION_TOKEN'>,
): S3Settings {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = env;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    const missing = [
      ...(accessKeyId === undefined ? ['AWS_ACCESS_KEY_ID'] : []),
      ...(secretAccessKey === undefined ? ['AWS_SECRET_ACCESS_KEY'] : []),
    ];
    throw new ConfigError(`${missing.join(', ')}: expected with STORAGE_URL`);
  }
  for (const [name, value] of Object.entries({ AWS_ACCESS_KEY_ID: accessKeyId, AWS_SESSION_TOKEN: sessionToken ?? '' }))
    if (!/^[!-~]*$/.test(value)) throw new ConfigError(`${name}: expected ASCII characters without a space`);
  return { ...url, accessKeyId, secretAccessKey, sessionToken };
}

/** Credentials that no log line may contain. */
export const secretsOf = ({ s3 }: Pick<Settings, 's3'>): string[] =>
  [s3?.secretAccessKey, s3?.sessionToken].filter((secret) => secret !== undefined);
