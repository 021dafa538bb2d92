import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { keyRefusal } from '../entities/api-key.ts';
import type { KeyState } from '../entities/api-key.ts';
import type { Database } from '../entities/database/database.ts';
import { Session } from '../entities/database/session.ts';
import { TIMEOUTS } from '../entities/database/timeouts.ts';
import { operatorOf } from '../entities/principal.ts';
import { isId } from '../entities/ids.ts';
import { hashRawKey, isRawKey } from '../entities/raw-key.ts';
import { Refusal, notFound } from '../entities/refusal.ts';
import { companyExists } from '../entities/statements/company.ts';
import type { Context } from '../procedures/trpc.ts';

// Made once: a refusal must stay cheap, and a stack for each of them is not.
const REFUSED = {
  missing: new Refusal('unauthorized', 'X-API-Key: required'),
  unauthorized: new Refusal('unauthorized', 'X-API-Key: not a valid key'),
  key_disabled: new Refusal('key_disabled', 'X-API-Key: the key is disabled'),
  key_expired: new Refusal('key_expired', 'X-API-Key: the key has expired'),
  operator: new Refusal('unauthorized', 'Authorization: not the operator’s token'),
  neither: new Refusal('unauthorized', 'X-API-Key or Authorization: required'),
};

/** What a request shows of who asks. */
interface Asked {
  headers: IncomingHttpHeaders;
  /** The caller's address; null where there is no wire. */
  address: string | null;
  requestId: string;
  /** Whether it is asked in a way that changes nothing: then it may be answered by a replica. */
  reads?: boolean;
}

/** Who asks, and what to warn of in the answer's headers. */
interface Authenticated {
  context: Context;
  headers: Record<string, string>;
}

type Authenticate = (asked: Asked) => Promise<Authenticated>;

/** Turns the credentials of a request into the context that procedures run in, or throws why not. */
export interface Authentication {
  /** By `X-API-Key` alone, for `/external`. */
  apiKey: Authenticate;
  /** By `X-API-Key`, or by the operator's token and the company it names, for `/trpc`. */
  any: Authenticate;
  /** Whether this process has met this raw key, and it was one. */
  hasMet: (rawKey: string) => boolean;
}

/** @param operatorToken the secret that `Authorization: Bearer` must carry for the operator. */
export function authentication(database: Database, operatorToken: string): Authentication {
  const expected = digest(operatorToken);

  const at = ({ reads = false }: Asked) => (reads ? database.reader : database);

  async function apiKey(asked: Asked): Promise<Authenticated> {
    const { headers, address, requestId } = asked;
    const rawKey = headers['x-api-key'];
    if (rawKey === undefined) throw REFUSED.missing;
    if (typeof rawKey !== 'string' || !isRawKey(rawKey)) throw REFUSED.unauthorized;
    const began = performance.now();
    const known = await database.keys.find(hashRawKey(rawKey));
    if (known === undefined) throw REFUSED.unauthorized;
    const { principal, state } = known;
    const refusal = keyRefusal(state, new Date());
    if (refusal !== null) throw REFUSED[refusal];
    database.usage.note(principal.company, principal.key);
    const session = new Session(database, principal, requestId, { runner: at(asked), within: leftSince(began) });
    return { context: { requestId, address, caller: 'apiKey', session }, headers: warningsOf(state) };
  }

  async function byToken(asked: Asked): Promise<Authenticated> {
    const { headers, address, requestId } = asked;
    const token = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
    if (token === undefined || !timingSafeEqual(digest(token), expected)) throw REFUSED.operator;
    const named = headers['x-company-id'];
    const operator = { requestId, address, caller: 'operator' as const };
    if (named === undefined) {
      const nobody = new Session(database, null, requestId, { within: TIMEOUTS.request });
      return { context: { ...operator, session: nobody }, headers: {} };
    }
    const id = /^[1-9]\d{0,9}$/.test(String(named)) ? Number(named) : 0;
    const began = performance.now();
    const asking = new Session(database, null, requestId, { within: TIMEOUTS.key });
    if (!isId(id) || (await asking.first(companyExists, { id })) === undefined) throw notFound('X-Company-Id');
    const session = new Session(database, operatorOf(id), requestId, { runner: at(asked), within: leftSince(began) });
    return { context: { ...operator, session }, headers: {} };
  }

  async function any(asked: Asked): Promise<Authenticated> {
    if (asked.headers['x-api-key'] !== undefined) return apiKey(asked);
    if (asked.headers.authorization === undefined) throw REFUSED.neither;
    return byToken(asked);
  }

  return { apiKey, any, hasMet: (rawKey) => database.keys.has(hashRawKey(rawKey)) };
}

/** Milliseconds that a request which began then may still spend at the database. */
const leftSince = (began: number) => TIMEOUTS.request - (performance.now() - began);

const digest = (secret: string) => hash('sha256', secret, 'buffer');
/** Milliseconds before its end from which a key's answers warn of it. */
const WARNED = 14 * 86_400_000;

function warningsOf({ expiresAt, supersededUntil }: KeyState): Record<string, string> {
  const headers: Record<string, string> = {};
  if (expiresAt !== null && expiresAt.getTime() - Date.now() <= WARNED) {
    headers['X-API-Key-Expires'] = expiresAt.toISOString();
  }
  if (supersededUntil !== null) {
    // The old secret ends with its overlap, or with the key where that is sooner.
    const ends = expiresAt !== null && expiresAt < supersededUntil ? expiresAt : supersededUntil;
    headers['X-API-Key-Rotated'] = ends.toISOString();
  }
  return headers;
}
