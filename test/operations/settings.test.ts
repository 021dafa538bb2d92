import { describe, expect, test } from 'vitest';
import { generateRawKey } from '../../entities/api-key/raw-key.ts';
import { loadSettings } from '../../server/config/settings.ts';

/** A key with a valid checksum. */
const DEMO_API_KEY = generateRawKey();
/** Its text has characters that base64url writes differently. */
const CURSOR_SECRET = Buffer.alloc(32, 0xfb);

describe('settings', () => {
  test('default to no optional feature, except a rate limit of 600 a minute', () => {
    expect(loadSettings({})).toMatchObject({
      rateLimitPerMinute: 600,
      companyRateLimitPerMinute: 3000,
      redisUrl: undefined,
      corsOrigins: [],
      securityContact: undefined,
      metricsPort: undefined,
      otlpEndpoint: undefined,
      webhookAllowPrivate: false,
      companyIdStart: 1,
      cursorSecret: undefined,
    });
  });

  test.for([
    ['RATE_LIMIT_PER_MINUTE', '0', { rateLimitPerMinute: 0, companyRateLimitPerMinute: 0 }],
    ['RATE_LIMIT_PER_MINUTE', '6000', { rateLimitPerMinute: 6000, companyRateLimitPerMinute: 6000 }],
    ['COMPANY_RATE_LIMIT_PER_MINUTE', '0', { rateLimitPerMinute: 600, companyRateLimitPerMinute: 0 }],
    ['RATE_LIMIT_PER_MINUTE', '1000000', { rateLimitPerMinute: 1_000_000 }],
    ['DATABASE_CONNECTIONS', '4', { connections: 4 }],
    ['DATABASE_CONNECTIONS', '100', { connections: 100 }],
    ['REDIS_URL', 'redis://127.0.0.1', { redisUrl: 'redis://127.0.0.1' }],
    ['REDIS_URL', 'rediss://u:p@redis.internal:6380/3', { redisUrl: 'rediss://u:p@redis.internal:6380/3' }],
    [
      'CORS_ORIGINS',
      'https://a.example, http://localhost:5173',
      { corsOrigins: ['https://a.example', 'http://localhost:5173'] },
    ],
    ['WEBHOOK_ALLOW_PRIVATE', 'true', { webhookAllowPrivate: true }],
    ['METRICS_PORT', '0', { metricsPort: 0, metricsHost: '127.0.0.1' }],
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'http://collector:4318',
      { otlpEndpoint: 'http://collector:4318', traceSampleRatio: 1 },
    ],
    ['OTEL_TRACES_SAMPLER_ARG', '0.25', { traceSampleRatio: 0.25 }],
    [
      'TIMESTAMP_URL',
      'http://timestamp.example.com/tsr',
      { timestampUrl: 'http://timestamp.example.com/tsr', signingKey: undefined },
    ],
    ['SECURITY_CONTACT', 'https://example.com/report?x=1', { securityContact: 'https://example.com/report?x=1' }],
    ['SECURITY_CONTACT', 'mailto:security@example.com', { securityContact: 'mailto:security@example.com' }],
    ['EVIDENCE_MAX_BYTES', '2147483647', { evidenceMaxBytes: 2_147_483_647 }],
    ['EVIDENCE_QUOTA_BYTES', '1', { evidenceQuotaBytes: 1 }],
    ['DEMO_API_KEY', DEMO_API_KEY, { demoApiKey: DEMO_API_KEY }],
    ['COMPANY_ID_START', '1', { companyIdStart: 1 }],
    ['COMPANY_ID_START', '2147483647', { companyIdStart: 2_147_483_647 }],
    ['CURSOR_SECRET', CURSOR_SECRET.toString('base64'), { cursorSecret: CURSOR_SECRET }],
  ] as const)('%s=%s is accepted', ([name, value, expected]) => {
    expect(loadSettings({ [name]: value })).toMatchObject(expected);
  });

  test.for([
    ['RATE_LIMIT_PER_MINUTE', '-1'],
    ['COMPANY_RATE_LIMIT_PER_MINUTE', '-1'],
    ['RATE_LIMIT_PER_MINUTE', '1.5'],
    ['RATE_LIMIT_PER_MINUTE', '1000001'],
    ['RATE_LIMIT_PER_MINUTE', 'many'],
    ['EVIDENCE_MAX_BYTES', '0'],
    ['EVIDENCE_MAX_BYTES', '5368709121'],
    ['EVIDENCE_QUOTA_BYTES', '10 GiB'],
    ['COMPANY_ID_START', '0'],
    ['COMPANY_ID_START', '-5'],
    ['COMPANY_ID_START', '1e6'],
    ['COMPANY_ID_START', '2147483648'],
    ['CURSOR_SECRET', 'secret'],
    ['CURSOR_SECRET', CURSOR_SECRET.toString('hex')],
    ['CURSOR_SECRET', CURSOR_SECRET.toString('base64url')],
    ['CURSOR_SECRET', ` ${CURSOR_SECRET.toString('base64')}`],
    ['CURSOR_SECRET', CURSOR_SECRET.subarray(1).toString('base64')],
    ['CURSOR_SECRET', Buffer.concat([CURSOR_SECRET, CURSOR_SECRET]).toString('base64')],
    ['DEMO_API_KEY', 'secret'],
    ['DEMO_API_KEY', `svc_sk_live_${'0'.repeat(46)}`], // its checksum is wrong
    ['STORAGE_URL', 'https://bucket.s3.amazonaws.com'],
    ['SIGNING_KEY', 'secret'],
    ['SIGNING_KEY', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'],
    ['TIMESTAMP_URL', 'timestamp.example.com'],
    ['DATABASE_POOLER', 'session'],
    ['DATABASE_CONNECTIONS', '3'],
    ['DATABASE_CONNECTIONS', '101'],
    ['DATABASE_CONNECTIONS', 'ten'],
    ['DATABASE_REPLICA_URLS', 'postgresql://u@one/d,two'],
    ['REDIS_URL', 'http://127.0.0.1:6379'],
    ['REDIS_URL', '127.0.0.1:6379'],
    ['REDIS_URL', 'redis://'],
    ['REDIS_URL', 'redis://127.0.0.1/first'],
    ['REDIS_URL', 'redis://:100%@127.0.0.1'],
    ['REDIS_URL', 'redis://100%:41@127.0.0.1'],
    ['SMTP_URL', 'smtp://user:100%@127.0.0.1'],
    ['SMTP_FROM', 'Compliance'],
    ['SMTP_FROM', 'Compliance <>'],
    ['SMTP_FROM', 'Compliance <a@example.com> <b@example.com>'],
    ['SMTP_FROM', 'a@example.com, b@example.com'],
    ['SMTP_FROM', 'Acme, Inc. <a@example.com>'],
    ['SMTP_FROM', 'Compliance\nBcc: b@example.com <a@example.com>'],
    ['DATABASE_URL', 'postgresql://user:100%@127.0.0.1/app'],
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'null'],
    ['CORS_ORIGINS', 'app.example.com'],
    ['CORS_ORIGINS', 'https://app.example.com/'],
    ['CORS_ORIGINS', 'https://App.example.com'],
    ['CORS_ORIGINS', 'https://app.example.com:443'],
    ['CORS_ORIGINS', 'https://*.example.com'],
    ['CORS_ORIGINS', 'https://a.example,'],
    ['WEBHOOK_ALLOW_PRIVATE', 'yes'],
    ['METRICS_PORT', '65536'],
    ['METRICS_PORT', 'yes'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', 'half'],
    ['SECURITY_CONTACT', 'security@example.com'],
    ['SECURITY_CONTACT', 'http://example.com/report'],
    ['SECURITY_CONTACT', 'mailto:'],
    ['SECURITY_CONTACT', 'mailto:somebody@example.com\nExpires: never'],
  ] as const)('%s=%s is rejected in one line that names the variable', ([name, value]) => {
    expect(() => loadSettings({ [name]: value })).toThrow(new RegExp(`^${name}: expected [^\\n]+$`));
  });

  test.for([
    'postgresql://u:p@one,two/d',
    'postgresql://u:p@one:5432,two:5432/d?target_session_attrs=read-write',
    'postgres://one,two/d',
    'postgresql://u:p,q@one,two',
    'postgresql:///d?host=one,two',
    'postgresql:///d?host=one&host=two',
    'postgresql://u@one%2Ctwo/d',
  ])('%s is rejected with the advice to put a router in front of the hosts', (url) => {
    const advice = 'expected one host; to use several hosts, put a router in front of them';
    for (const name of ['DATABASE_URL', 'MIGRATION_DATABASE_URL', 'DATABASE_REPLICA_URLS'])
      expect(() => loadSettings({ [name]: url })).toThrow(new RegExp(`^${name}: ${advice}$`));
    expect(() =>
      loadSettings({
        DATABASE_URL: 'postgresql://u@one/d',
        DATABASE_REPLICA_URLS: `postgresql://u@three/d, ${url}, postgres://u@four/d`,
      }),
    ).toThrow(new RegExp(`^DATABASE_REPLICA_URLS: ${advice}$`));
  });

  test.for(['postgresql://u:p,q@one:5432/d', 'postgresql://u@[::1]:5432/d', 'postgresql:///d?host=/tmp'])(
    '%s names one host',
    (url) => {
      expect(loadSettings({ DATABASE_URL: url, MIGRATION_DATABASE_URL: url })).toMatchObject({ databaseUrl: url });
    },
  );

  test.for([
    ['sslmode=prefer', 'sslmode: expected disable, require or verify-full'],
    ['sslmode=verify-ca', 'sslmode: expected disable, require or verify-full'],
    ['sslmode=no-verify', 'sslmode: expected disable, require or verify-full'],
    ['sslmode=', 'sslmode: expected disable, require or verify-full'],
    ['sslmode=require&sslmode=disable', 'sslmode: expected one value'],
    ['ssl=true', 'ssl: unknown parameter; sslmode selects TLS'],
    ['uselibpqcompat=true&sslmode=require', 'uselibpqcompat: unknown parameter; sslmode selects TLS'],
    ['sslmode=require&sslrootcert=/ca.pem', 'sslrootcert: expected with sslmode=verify-full'],
    ['sslmode=require&sslcert=/cert.pem', 'sslcert, sslkey: expected both or neither'],
    ['sslcert=/cert.pem&sslkey=/key.pem', 'sslcert: expected with sslmode=require or verify-full'],
    ['connect_timeout=0', 'connect_timeout: expected seconds from 1 to 300'],
    ['connect_timeout=1.5', 'connect_timeout: expected seconds from 1 to 300'],
    ['connect_timeout=301', 'connect_timeout: expected seconds from 1 to 300'],
  ] as const)('?%s in the URL of a database is rejected', ([query, message]) => {
    const url = `postgresql://u@h/d?${query}`;
    for (const name of ['DATABASE_URL', 'MIGRATION_DATABASE_URL'])
      expect(() => loadSettings({ [name]: url })).toThrow(new RegExp(`^${name}: ${message}$`));
    const replicas = { DATABASE_URL: 'postgresql://u@h/d', DATABASE_REPLICA_URLS: `postgresql://u@g/d,${url}` };
    expect(() => loadSettings(replicas)).toThrow(new RegExp(`^DATABASE_REPLICA_URLS: ${message}$`));
  });

  test.for<[string, string, string]>([
    ['no-reply@example.com', '', 'no-reply@example.com'],
    ['<no-reply@example.com>', '', 'no-reply@example.com'],
    ['Compliance <no-reply@example.com>', 'Compliance', 'no-reply@example.com'],
    ['"Acme, Inc." <no-reply@example.com>', 'Acme, Inc.', 'no-reply@example.com'],
    ['Übersicht der Aufgaben <no-reply@example.com>', 'Übersicht der Aufgaben', 'no-reply@example.com'],
  ])('SMTP_FROM=%s has the name "%s" and the address %s', ([text, name, address]) => {
    const settings = loadSettings({ SMTP_URL: 'smtp://127.0.0.1', SMTP_FROM: text });
    expect(settings.smtpFrom).toEqual({ name, address });
  });

  test('a key of the company Demo needs the embedded database', () => {
    expect(() => loadSettings({ DEMO_API_KEY, DATABASE_URL: 'postgresql://u@h/d' })).toThrow(
      /^DEMO_API_KEY: expected without DATABASE_URL/,
    );
  });

  test('replica URLs must have the user of DATABASE_URL', () => {
    const primary = { DATABASE_URL: 'postgresql://u:p@h/d' };
    const urls = 'postgresql://u:p@one/d, postgresql://u:q@two/d';
    expect(loadSettings({ ...primary, DATABASE_REPLICA_URLS: urls })).toMatchObject({ replicaUrls: urls.split(', ') });
    for (const invalid of [
      { ...primary, DATABASE_REPLICA_URLS: 'postgresql://v@one/d' },
      { DATABASE_REPLICA_URLS: urls },
    ])
      expect(() => loadSettings(invalid)).toThrow(/^DATABASE_REPLICA_URLS: expected/);
  });

  test('a pooler requires a direct URL for migrations, or RUN_MIGRATIONS=false', () => {
    const poolerSettings = { DATABASE_URL: 'postgresql://u@h:6432/d', DATABASE_POOLER: 'transaction' };
    expect(() => loadSettings(poolerSettings)).toThrow(/^MIGRATION_DATABASE_URL: expected/);
    expect(loadSettings({ ...poolerSettings, RUN_MIGRATIONS: 'false' })).toMatchObject({ pooler: 'transaction' });
    const directUrl = 'postgresql://u@h:5432/d';
    expect(loadSettings({ ...poolerSettings, MIGRATION_DATABASE_URL: directUrl })).toMatchObject({
      migrationDatabaseUrl: directUrl,
    });
  });

  test('RUN_MIGRATIONS=only is for PostgreSQL, and needs a direct URL as other migrations do', () => {
    const only = { RUN_MIGRATIONS: 'only' };
    expect(() => loadSettings(only)).toThrow(/^RUN_MIGRATIONS: only needs DATABASE_URL/);
    const settings = { ...only, DATABASE_URL: 'postgresql://u@h/d' };
    expect(loadSettings(settings)).toMatchObject({ runMigrations: true, endsAfterMigrations: true });
    expect(loadSettings({})).toMatchObject({ runMigrations: true, endsAfterMigrations: false });
    expect(() => loadSettings({ ...settings, DATABASE_POOLER: 'transaction' })).toThrow(/^MIGRATION_DATABASE_URL:/);
  });
});
