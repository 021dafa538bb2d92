import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { keyError } from '../../entities/api-key/api-key.ts';
import { memberPrincipal } from '../../entities/principal.ts';
import type { Principal } from '../../entities/principal.ts';
import { findApiKeyById, toCachedKey } from '../../entities/api-key/statements.ts';
import { findMemberAccess } from '../../entities/member/statements.ts';
import type { MemberScope } from '../../entities/member/role.ts';
import { isOver } from '../schemas/time-zone.ts';
import { requireFramework, requireScopes } from '../core/permissions.ts';

/** The key or the member that started work, which runs later. */
export interface Starter {
  /** uniqueId of the API key; null for a member. */
  apiKey: string | null;
  /** uniqueId of the user. A member has the same id. */
  createdBy: string;
  /** Framework of the work; null for none. */
  framework: number | null;
  /** IP address of the client that started the work. */
  address: string | null;
}

/** Scopes that the work needs, and words for the errors. */
interface Work {
  scopes: readonly MemberScope[];
  /** Words for the start: `started the import`. */
  started: string;
  /** Words for the use of the scopes: `create or change vendors`. */
  action: string;
}

/**
 * Finds the principal of the key or the member that started work, with its current permissions.
 * @throws ApiError `forbidden` if it may no longer do the work
 */
export async function findCurrentPrincipal(session: Session, starter: Starter, work: Work): Promise<Principal> {
  const { apiKey, framework, address } = starter;
  if (apiKey === null) return findMemberPrincipal(session, starter, work);
  const principal = await findKeyPrincipal(session, apiKey, work);
  requireScopes(principal, work.scopes, address);
  if (framework !== null) requireFramework(principal, framework);
  return principal;
}

async function findKeyPrincipal(session: Session, uniqueId: string, { started }: Work): Promise<Principal> {
  const { principal, state } = toCachedKey(await session.one(findApiKeyById, { uniqueId }));
  const error = keyError(state, new Date());
  if (error === null) return principal;
  const reason = error === 'key_disabled' ? 'disabled' : error === 'key_expired' ? 'expired' : 'revoked';
  throw new ApiError('forbidden', `key: the key that ${started} is ${reason}`);
}

/** Other members may read the error, so it does not address the member. */
async function findMemberPrincipal(
  session: Session,
  { createdBy: uniqueId, framework }: Starter,
  { scopes, started, action }: Work,
): Promise<Principal> {
  const memberError = (text: string) => new ApiError('forbidden', `member: the member who ${started} ${text}`);
  const {
    ended_at: endedAt,
    ends_at: endsAt,
    time_zone: timeZone,
    ...access
  } = await session.one(findMemberAccess, { uniqueId });
  if (endedAt !== null || isOver(endsAt, timeZone)) throw memberError('has ended');
  const principal = memberPrincipal({ company: session.principal.company, uniqueId, ...access });
  if (!scopes.every((scope) => principal.scopes.includes(scope))) throw memberError(`may no longer ${action}`);
  if (framework !== null && principal.frameworks?.includes(framework) === false)
    throw memberError(`may no longer access framework ${framework}`);
  return principal;
}
