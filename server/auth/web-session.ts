import type { IncomingHttpHeaders } from 'node:http';
import type { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { TIMEOUTS_MS } from '../../database/timeouts.ts';
import { ApiError } from '../../entities/api-error.ts';
import { memberPrincipal } from '../../entities/principal.ts';
import { findWebSession, touchWebSession } from '../../entities/sign-in/web-session-statements.ts';
import { isOver } from '../../procedures/schemas/time-zone.ts';
import { hashToken } from '../../procedures/sign-in/tokens.ts';
import { remainingMs } from './credentials.ts';
import type { Authenticate } from './credentials.ts';
import type { PageOrigins } from './same-origin.ts';
import type { SessionCookie } from './cookies.ts';

const NO_SESSION = new ApiError('unauthorized', 'You are not signed in, or the session has ended.');

/** Authenticates members by the session cookie. Contract, section 16. */
export interface SessionAuthentication {
  authenticate: Authenticate;
  hasCookie: (headers: IncomingHttpHeaders) => boolean;
}

export function createSessionAuthentication(
  database: Database,
  cookie: SessionCookie,
  origins: PageOrigins,
): SessionAuthentication {
  return {
    hasCookie: (headers) => cookie.read(headers) !== undefined,

    async authenticate({ headers, address, requestId, requestOrigin = () => '', readOnly = false }) {
      const token = cookie.read(headers);
      if (token === undefined) throw NO_SESSION;
      origins.requireSameOrigin({ headers, requestOrigin: requestOrigin(), isSafe: readOnly });
      if (!SESSION_TOKEN_PATTERN.test(token)) throw NO_SESSION;
      const startedAt = performance.now();
      // On the primary, so that a sign-out and a change of the role hold at once. A person waits instead of reading an error.
      const lookup = new Session(database, null, requestId, { timeoutMs: TIMEOUTS_MS.request });
      const row = await lookup.first(findWebSession, { tokenHash: hashToken(token) });
      if (row === undefined || isOver(row.ends_at, row.time_zone)) throw NO_SESSION;
      if (row.is_stale) await lookup.run(touchWebSession, { uniqueId: row.session });
      const session = new Session(database, memberPrincipal(row), requestId, {
        runner: readOnly ? database.readRunner : database,
        timeoutMs: remainingMs(startedAt),
      });
      const webSession = { uniqueId: row.session, person: row.person_id, singleSignOn: row.single_sign_on };
      return { context: { requestId, address, caller: 'member', session, webSession }, headers: {} };
    },
  };
}

/**
 * Accepts only a session. As at `/trpc`, another credential decides if there is one: it is not a session.
 * @throws ApiError 401
 */
export const onlySession =
  ({ authenticate }: Pick<SessionAuthentication, 'authenticate'>): Authenticate =>
  async (credentials) => {
    const { headers } = credentials;
    if (headers['x-api-key'] !== undefined || headers.authorization !== undefined)
      throw new ApiError('unauthorized', 'This path takes only the session of a browser.');
    return authenticate(credentials);
  };

/** 32 bytes in base64url. */
const SESSION_TOKEN_PATTERN = /^[\w-]{43}$/;
