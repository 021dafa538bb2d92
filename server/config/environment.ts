import { z } from 'zod';
import { isRawKey } from '../../entities/api-key/raw-key.ts';
import { MAX_ID } from '../../entities/ids.ts';
import { ENCRYPTION_KEY_BYTES } from '../../procedures/core/encryption.ts';
import { parameterError } from '../../database/postgresql/connection-url.ts';
import { parseSigningKey } from '../../procedures/core/signing.ts';
import { DEFAULT_MAX_FILE_BYTES, LARGEST_FILE_BYTES } from '../../procedures/core/storage.ts';
import {
  hasOneHost,
  isContactUri,
  isSmtpUrl,
  isHttpUrl,
  isOrigin,
  isPostgreSqlUrl,
  isRedisUrl,
  isTrustedUrl,
  parseStorageUrl,
} from './urls.ts';

/** An integer in decimal digits. */
function integer(min: number, max: number, note = '') {
  const pattern = new RegExp(`^\\d{1,${String(max).length}}$`);
  return z
    .string()
    .refine(
      (text) => pattern.test(text) && Number(text) >= min && Number(text) <= max,
      `expected an integer from ${min} to ${max}${note}`,
    )
    .transform(Number);
}

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

const PORT = integer(0, 65_535);

const ONE_HOST = {
  error: 'expected one host; to use several hosts, put a router in front of them',
  abort: true,
};
/** URL of a PostgreSQL database. */
export const DATABASE_URL = z
  .string()
  .refine(hasOneHost, ONE_HOST)
  .refine(isPostgreSqlUrl, { error: 'expected postgresql://user:password@host:port/database', abort: true })
  .refine((url) => parameterError(url) === undefined, {
    error: ({ input }) => (typeof input === 'string' ? parameterError(input) : undefined),
  });
/** Separates URLs, but not several hosts in one URL. */
const URL_SEPARATOR = /,(?=\s*postgres)/;

const CURSOR_SECRET_BYTES = 32;

/** Format of the operator token. */
export const OPERATOR_TOKEN_PATTERN = /^\S{32,}$/;

/** Parses keys in base64. The first one encrypts; the others decrypt what was encrypted before a rotation. */
export function parseEncryptionKeys(text: string): [Buffer, ...Buffer[]] | undefined {
  const [first, ...others] = text.split(',').map((key) => Buffer.from(key.trim(), 'base64'));
  if (first === undefined || [first, ...others].some(({ length }) => length !== ENCRYPTION_KEY_BYTES)) return undefined;
  return [first, ...others];
}

/** Parses the secret of cursors, strictly: another reading of the same text would be another secret. */
function parseCursorSecret(text: string): Buffer | undefined {
  const secret = Buffer.from(text, 'base64');
  return secret.length === CURSOR_SECRET_BYTES && secret.toString('base64') === text ? secret : undefined;
}

const Address = z.email();
/** `Name <address>` or `"Name" <address>`, or an address alone. https://www.rfc-editor.org/rfc/rfc5322#section-3.4 */
const MAILBOX = /^(?:(?:"([^"\\<>\p{Cc}]*)"|([^"\\<>,;:@\p{Cc}]*))\s*<([^<>]*)>|([^<>]*))$/u;

/** Parses the sender of mails. @returns undefined for anything but one address, with or without a name */
function parseMailbox(text: string): { name: string; address: string } | undefined {
  const [, quoted, plain, inBrackets, alone] = MAILBOX.exec(text.trim()) ?? [];
  const { data: address } = Address.safeParse((inBrackets ?? alone)?.trim());
  return address === undefined ? undefined : { name: (quoted ?? plain ?? '').trim(), address };
}

/** Environment variables, documented in README.md. An empty variable counts as unset. */
export const Environment = z.object({
  PORT: PORT.default(3000),
  HOST: z.string().default('127.0.0.1'),
  DATABASE_URL: DATABASE_URL.optional(),
  MIGRATION_DATABASE_URL: DATABASE_URL.optional(),
  // The minimum allows for two pipelined connections for reads and two for write batches.
  DATABASE_CONNECTIONS: integer(4, 100).optional(),
  DATABASE_POOLER: z.literal('transaction', 'expected transaction, or no value').optional(),
  DATABASE_REPLICA_URLS: z
    .string()
    .refine((text) => text.split(URL_SEPARATOR).every((url) => hasOneHost(url.trim())), ONE_HOST)
    .transform((text) => text.split(',').map((url) => url.trim()))
    .refine((urls) => urls.every(isPostgreSqlUrl), {
      error: 'expected postgresql://user:password@host:port/database, several separated by commas',
      abort: true,
    })
    .refine((urls) => urls.every((url) => parameterError(url) === undefined), {
      error: ({ input }) =>
        Array.isArray(input) ? input.map(String).flatMap((url) => parameterError(url) ?? [])[0] : undefined,
    })
    .optional(),
  DATABASE_MAX_BYTES: integer(1, 1_000_000_000_000_000).optional(),
  DATA_DIR: z.string().default('./data'),
  DEMO_API_KEY: z
    .string()
    .refine(isRawKey, 'expected an API key: svc_sk_live_, 40 letters or digits, and their checksum')
    .optional(),
  OPERATOR_TOKEN: z
    .string()
    .regex(OPERATOR_TOKEN_PATTERN, 'expected at least 32 characters without a space')
    .optional(),
  TARGET_OPERATOR_TOKEN: z
    .string()
    .regex(OPERATOR_TOKEN_PATTERN, 'expected at least 32 characters without a space')
    .optional(),
  RATE_LIMIT_PER_MINUTE: integer(0, 1_000_000, '; 0 disables the limits').default(600),
  COMPANY_RATE_LIMIT_PER_MINUTE: integer(0, 1_000_000, '; 0 disables the limit of companies').optional(),
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
    .refine(isContactUri, 'expected mailto:security@example.com or an https:// address, without a space')
    .optional(),
  APP_URL: z.string().refine(isOrigin, 'expected an origin like https://compliance.example.com').optional(),
  SMTP_URL: z.string().refine(isSmtpUrl, 'expected smtp://host:port or smtps://user:password@host:port').optional(),
  SMTP_FROM: z
    .string()
    .refine(
      (text) => parseMailbox(text) !== undefined,
      'expected an email address, or one with a name like Compliance <no-reply@example.com>',
    )
    .transform(parseMailbox)
    .optional(),
  ENCRYPTION_KEY: z
    .string()
    .refine((text) => parseEncryptionKeys(text) !== undefined, `expected ${ENCRYPTION_KEY_BYTES} bytes in base64`)
    .optional(),
  CURSOR_SECRET: z
    .string()
    .refine((text) => parseCursorSecret(text) !== undefined, `expected ${CURSOR_SECRET_BYTES} bytes in base64`)
    .transform(parseCursorSecret)
    .optional(),
  COMPANY_ID_START: integer(1, MAX_ID).default(1),
  SIGNING_KEY: z
    .string()
    .refine(
      (text) => parseSigningKey(text) !== undefined,
      'expected a private key of Ed25519 as PKCS#8, in PEM or in base64',
    )
    .optional(),
  TIMESTAMP_URL: z.string().refine(isHttpUrl, 'expected http://host/path or https://host/path').optional(),
  WEBHOOK_ALLOW_PRIVATE: z.enum(['true', 'false'], 'expected true or false').default('false'),
  RUN_MIGRATIONS: z.enum(['true', 'false', 'only'], 'expected true, false or only').default('true'),
  UPGRADE_BACKUP: z.enum(['true', 'false'], 'expected true or false').default('true'),
  STORAGE_URL: z
    .string()
    .refine(
      (text) => parseStorageUrl(text) !== undefined,
      'expected s3://bucket/prefix?endpoint=https://host&region=name',
    )
    .transform(parseStorageUrl)
    .optional(),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  AWS_SESSION_TOKEN: z.string().optional(),
  EVIDENCE_MAX_BYTES: integer(1, LARGEST_FILE_BYTES).default(DEFAULT_MAX_FILE_BYTES),
  EVIDENCE_QUOTA_BYTES: integer(1, 1024 * 1024 * GIB).default(10 * GIB),
});
