import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65_535);

/** Whether what is fetched there comes from the host that the address names: over TLS, or from this machine. */
function isTrustworthy(address: string): boolean {
  const { protocol, hostname, username, password } = URL.parse(address) ?? {};
  return (
    username === '' && password === '' && (protocol === 'https:' || (protocol === 'http:' && hostname === '127.0.0.1'))
  );
}

/** The environment, as the README lists it. An empty variable counts as unset. */
const Environment = z.object({
  PORT: port.default(3000),
  HOST: z.string().default('127.0.0.1'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'expected postgresql://user:password@host:port/database')
    .optional(),
  DATA_DIR: z.string().default('./data'),
  OPERATOR_TOKEN: z.string().min(32, 'expected at least 32 characters').optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  SECRET_SCANNING_KEYS_URL: z
    .string()
    .refine(isTrustworthy, 'expected an https:// address, or one that begins with http://127.0.0.1')
    .optional(),
  RUN_MIGRATIONS: z.enum(['true', 'false']).default('true'),
});

export interface Settings {
  port: number;
  host: string;
  /** PostgreSQL; undefined means the embedded database in `dataDir`. */
  databaseUrl: string | undefined;
  dataDir: string;
  operatorToken: string | undefined;
  logLevel: z.infer<typeof Environment>['LOG_LEVEL'];
  /** Where the scanner for leaked secrets publishes its keys; undefined: no reports are received. */
  secretScanningKeysUrl: string | undefined;
  runMigrations: boolean;
}

/** A setting that stops the start. Its message is one line that names the variable and never shows its value. */
export class BadSetting extends Error {}

/**
 * Reads the settings; no other file reads the environment.
 * @throws BadSetting
 */
export function settings(environment: NodeJS.ProcessEnv = process.env): Settings {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new BadSetting(lines.join('; '));
  }
  const env = parsed.data;
  return {
    port: env.PORT,
    host: env.HOST,
    databaseUrl: env.DATABASE_URL,
    dataDir: env.DATA_DIR,
    operatorToken: env.OPERATOR_TOKEN,
    logLevel: env.LOG_LEVEL,
    secretScanningKeysUrl: env.SECRET_SCANNING_KEYS_URL,
    runMigrations: env.RUN_MIGRATIONS === 'true',
  };
}
