import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { TIMEOUTS_MS } from '../../database/timeouts.ts';
import { ApiError, misdirected, notFound } from '../../entities/api-error.ts';
import { keyError } from '../../entities/api-key/api-key.ts';
import type { ApiKeyState } from '../../entities/api-key/api-key.ts';
import { hashRawKey, isRawKey } from '../../entities/api-key/raw-key.ts';
import { isId } from '../../entities/ids.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { companyExists } from '../../entities/company/statements.ts';
import { isBeingErased } from '../../procedures/management/closing.ts';
import { bearerToken, hasTwoKeys, presentedKey, remainingMs } from './credentials.ts';
import type { Authenticate, AuthenticationResult, Credentials, PresentedKey } from './credentials.ts';
import type { SessionAuthentication } from './web-session.ts';

// Shared instances: capturing a stack for each rejected request would be expensive.
const keyErrors = (header: PresentedKey['header']) => ({
  unauthorized: new ApiError('unauthorized', `${header}: not a valid key`),
  key_disabled: new ApiError('key_disabled', `${header}: the key is disabled`),
  key_expired: new ApiError('key_expired', `${header}: the key has expired`),
});
const KEY_ERRORS = { 'X-API-Key': keyErrors('X-API-Key'), Authorization: keyErrors('Authorization') };
const AUTHENTICATION_ERRORS = {
  missingKey: new ApiError('unauthorized', 'X-API-Key: required, or the key as Authorization: Bearer'),
  twoKeys: new ApiError('unauthorized', 'Authorization: expected the key of X-API-Key, or only one of the headers'),
  invalidToken: new ApiError('unauthorized', 'Authorization: not the operator token'),
  missingCredentials: new ApiError('unauthorized', 'X-API-Key or Authorization: required'),
};

/** Authenticates requests. Each method returns the context of the procedures, or throws an ApiError. */
export interface Authentication {
  /** Accepts an API key as `X-API-Key` or as a bearer token, for `/external` and `/mcp`. */
  apiKey: Authenticate;
  /** Accepts `X-API-Key`, or the operator token with an optional `X-Company-Id`, or the session cookie, for `/trpc`. */
  anyCredential: Authenticate;
  /** Returns true if the session cookie decides: no other credential is there. */
  usesCookie: (headers: IncomingHttpHeaders) => boolean;
  /** Returns true if this process has authenticated this raw key before. */
  hasSeen: (rawKey: string) => boolean;
}

/**
 * @param operatorToken secret that the operator sends as `Authorization: Bearer`
 * @param sessions accepts session cookies; undefined rejects them
 */
export function createAuthentication(
  database: Database,
  operatorToken: string,
  sessions?: SessionAuthentication,
): Authentication {
  const expectedDigest = sha256(operatorToken);

  const runnerFor = ({ readOnly = false }: Credentials) => (readOnly ? database.readRunner : database);

  async function apiKey(credentials: Credentials): Promise<AuthenticationResult> {
    const { headers, address, requestId } = credentials;
    const presented = presentedKey(headers);
    if (presented === undefined) throw AUTHENTICATION_ERRORS.missingKey;
    if (hasTwoKeys(headers)) throw AUTHENTICATION_ERRORS.twoKeys;
    const { header, rawKey } = presented;
    if (!isRawKey(rawKey)) throw KEY_ERRORS[header].unauthorized;
    const startedAt = performance.now();
    const cachedKey = await database.apiKeyCache.find(hashRawKey(rawKey));
    if (cachedKey === undefined) throw KEY_ERRORS[header].unauthorized;
    const { principal, state, movedTo } = cachedKey;
    if (movedTo === null) credentials.onKey?.(principal);
    const errorCode = keyError(state, new Date());
    if (errorCode !== null) throw KEY_ERRORS[header][errorCode];
    if (movedTo !== null) throw misdirected(movedTo);
    database.apiKeyLastUsed.record(principal.company, principal.key);
    const session = new Session(database, principal, requestId, {
      runner: runnerFor(credentials),
      timeoutMs: remainingMs(startedAt),
    });
    return { context: { requestId, address, caller: 'apiKey', session }, headers: warningHeaders(state) };
  }

  async function operatorByToken(credentials: Credentials): Promise<AuthenticationResult> {
    const { headers, address, requestId } = credentials;
    const token = bearerToken(headers);
    if (token === undefined || !timingSafeEqual(sha256(token), expectedDigest))
      throw AUTHENTICATION_ERRORS.invalidToken;
    const companyHeader = headers['x-company-id'];
    const operator = { requestId, address, caller: 'operator' as const };
    if (companyHeader === undefined) {
      const operatorSession = new Session(database, null, requestId, { timeoutMs: TIMEOUTS_MS.request });
      return { context: { ...operator, session: operatorSession }, headers: {} };
    }
    const id = /^[1-9]\d{0,9}$/.test(String(companyHeader)) ? Number(companyHeader) : 0;
    const startedAt = performance.now();
    const lookupSession = new Session(database, null, requestId, { timeoutMs: database.lookupTimeoutMs });
    const company = isId(id) ? await lookupSession.first(companyExists, { id }) : undefined;
    if (company === undefined) throw notFound('X-Company-Id');
    if (company.isErasing === true) throw isBeingErased(id);
    const session = new Session(database, operatorPrincipal(id, company.isFrozen), requestId, {
      runner: runnerFor(credentials),
      timeoutMs: remainingMs(startedAt),
    });
    return { context: { ...operator, session, movedTo: company.movedTo ?? undefined }, headers: {} };
  }

  const usesCookie = (headers: IncomingHttpHeaders) =>
    headers['x-api-key'] === undefined && headers.authorization === undefined && sessions?.hasCookie(headers) === true;

  async function anyCredential(credentials: Credentials): Promise<AuthenticationResult> {
    const { headers } = credentials;
    if (headers['x-api-key'] !== undefined) return apiKey(credentials);
    if (headers.authorization !== undefined) return operatorByToken(credentials);
    if (sessions?.hasCookie(headers) === true) return sessions.authenticate(credentials);
    throw AUTHENTICATION_ERRORS.missingCredentials;
  }

  const hasSeen = (rawKey: string) => database.apiKeyCache.hasSeen(hashRawKey(rawKey));
  return { apiKey, anyCredential, usesCookie, hasSeen };
}

/** Guesses the company of a request without a query: that of its key, if this process has authenticated it before. */
export const knownCompany =
  ({ apiKeyCache }: Pick<Database, 'apiKeyCache'>) =>
  (headers: IncomingHttpHeaders): number | undefined => {
    const { rawKey } = presentedKey(headers) ?? {};
    return rawKey === undefined ? undefined : apiKeyCache.companyOf(hashRawKey(rawKey));
  };

const sha256 = (secret: string) => hash('sha256', secret, 'buffer');

/** Responses carry a warning header from this time before the API key expires. */
const EXPIRY_WARNING_MS = 14 * 86_400_000;

function warningHeaders({ expiresAt, previousHashExpiresAt }: ApiKeyState): Record<string, string> {
  const headers: Record<string, string> = {};
  if (expiresAt !== null && expiresAt.getTime() - Date.now() <= EXPIRY_WARNING_MS) {
    headers['X-API-Key-Expires'] = expiresAt.toISOString();
  }
  if (previousHashExpiresAt !== null) {
    // The previous secret expires with its overlap or with the API key, whichever is earlier.
    const expiry = expiresAt !== null && expiresAt < previousHashExpiresAt ? expiresAt : previousHashExpiresAt;
    headers['X-API-Key-Rotated'] = expiry.toISOString();
  }
  return headers;
}
