import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ApiError } from '../../entities/api-error.ts';

/** Parameters of Argon2id. https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
const SALT_BYTES = 16;
/** Each hash takes 19 MiB and a thread of the pool of libuv. */
const MAX_CONCURRENT_HASHES = 2;
/** Maximum number of hashes that wait. A hash takes about 50 ms, so more of them would exceed the deadline of a request. */
const MAX_WAITING_HASHES = 50;

/** Hash of no password, so that a sign-in with an unknown email takes as long as one with a wrong password. */
const DECOY = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

const PHC_PATTERN = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const argon2Async = promisify(argon2);

/** Hashes a password with Argon2id. Returns a PHC string. https://github.com/P-H-C/phc-string-format */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await limited(() => deriveTag(password, salt, PARAMETERS));
  const { memory, passes, parallelism } = PARAMETERS;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(salt)}$${encode(tag)}`;
}

/**
 * Verifies a password in constant time.
 * @param phc hash of the right password; null if there is none, which takes as long and returns false
 */
export async function verifyPassword(password: string, phc: string | null): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', tag = ''] = PHC_PATTERN.exec(phc ?? DECOY) ?? [];
  if (memory === undefined) throw new Error('password: expected a PHC string of Argon2id');
  const expected = Buffer.from(tag, 'base64');
  const parameters = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  };
  const actual = await limited(() => deriveTag(password, Buffer.from(salt, 'base64'), parameters));
  return timingSafeEqual(actual, expected) && phc !== null;
}

const deriveTag = (password: string, nonce: Buffer, parameters: typeof PARAMETERS): Promise<Buffer> =>
  argon2Async('argon2id', { ...parameters, message: password.normalize('NFKC'), nonce });

/** Base64 without padding. */
const encode = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

let running = 0;
const waiting: (() => void)[] = [];

/** @throws ApiError 503 if too many hashes wait */
async function limited<T>(work: () => Promise<T>): Promise<T> {
  if (waiting.length >= MAX_WAITING_HASHES)
    throw new ApiError('unavailable', 'Too many people are signing in. Try again shortly.');
  if (running >= MAX_CONCURRENT_HASHES) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next(); // which takes this place
  }
}
