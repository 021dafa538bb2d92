import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { keyRefusal } from '../entities/api-key.ts';
import type { Database } from '../entities/database/database.ts';
import { Session, operatorOf } from '../entities/database/session.ts';
import { isId } from '../entities/ids.ts';
import { hashRawKey, isRawKey } from '../entities/raw-key.ts';
import { Refusal, notFound } from '../entities/refusal.ts';
import type { KeyRow } from '../entities/statements/api-key.ts';
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
}

/** @param operatorToken the secret that `Authorization: Bearer` must carry for the operator. */
export function authentication(database: Database, operatorToken: string): Authentication {
  const expected = digest(operatorToken);

  async function apiKey({ headers, address, requestId }: Asked): Promise<Authenticated> {
    const rawKey = headers['x-api-key'];
    if (rawKey === undefined) throw REFUSED.missing;
    if (typeof rawKey !== 'string' || !isRawKey(rawKey)) throw REFUSED.unauthorized;
    const row = await database.keys.find(hashRawKey(rawKey));
    if (row === undefined) throw REFUSED.unauthorized;
    const key = stateOf(row);
    const refusal = keyRefusal(key, new Date());
    if (refusal !== null) throw REFUSED[refusal];
    database.usage.note(row.company_id, row.unique_id);
    const { company_id: company, unique_id, scopes, frameworks, cidrs } = row;
    const user = { uniqueId: row.user_id, name: row.user_name, kind: 'integration' as const };
    const principal = { company, user, key: unique_id, scopes, frameworks, cidrs };
    const session = new Session(database, principal, requestId);
    return { context: { requestId, address, caller: 'apiKey', session }, headers: warningsOf(key) };
  }

  async function byToken({ headers, address, requestId }: Asked): Promise<Authenticated> {
    const token = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
    if (token === undefined || !timingSafeEqual(digest(token), expected)) throw REFUSED.operator;
    const nobody = new Session(database, null, requestId);
    const named = headers['x-company-id'];
    const operator = { requestId, address, caller: 'operator' as const };
    if (named === undefined) return { context: { ...operator, session: nobody }, headers: {} };
    const id = /^[1-9]\d{0,9}$/.test(String(named)) ? Number(named) : 0;
    if (!isId(id) || (await nobody.first(companyExists, { id })) === undefined) throw notFound('X-Company-Id');
    const session = new Session(database, operatorOf(id), requestId);
    return { context: { ...operator, session }, headers: {} };
  }

  async function any(asked: Asked): Promise<Authenticated> {
    if (asked.headers['x-api-key'] !== undefined) return apiKey(asked);
    if (asked.headers.authorization === undefined) throw REFUSED.neither;
    return byToken(asked);
  }

  return { apiKey, any };
}

const digest = (secret: string) => createHash('sha256').update(secret).digest();
const dateOf = (timestamptz: string | null) => (timestamptz === null ? null : new Date(timestamptz));

const stateOf = ({ enabled, expires_at, revoked_at, superseded_until }: KeyRow) => ({
  enabled,
  expiresAt: dateOf(expires_at),
  revokedAt: dateOf(revoked_at),
  supersededUntil: dateOf(superseded_until),
});

/** Milliseconds before its end from which a key's answers warn of it. */
const WARNED = 14 * 86_400_000;

function warningsOf({ expiresAt, supersededUntil }: ReturnType<typeof stateOf>): Record<string, string> {
  const ends = expiresAt !== null && expiresAt.getTime() - Date.now() <= WARNED;
  // The old secret ends with its overlap, or with the key where that is sooner.
  const rotated =
    supersededUntil !== null && expiresAt !== null && expiresAt < supersededUntil ? expiresAt : supersededUntil;
  return {
    ...(ends && { 'X-API-Key-Expires': expiresAt.toISOString() }),
    ...(rotated !== null && { 'X-API-Key-Rotated': rotated.toISOString() }),
  };
}
