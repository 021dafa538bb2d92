import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { keyError } from '../../entities/api-key/api-key.ts';
import { memberPrincipal } from '../../entities/principal.ts';
import type { Principal } from '../../entities/principal.ts';
import { findApiKeyById, toCachedKey } from '../../entities/api-key/statements.ts';
import { findMemberAccess } from '../../entities/member/statements.ts';
import type { RunnableImport } from '../../entities/import/progress.ts';
import type { ImportKind } from '../../entities/import/import.ts';
import { requireFramework, requireScopes } from './permissions.ts';

/** Permission to import resources of a kind, and to cancel such imports. */
export const writePermission = (kind: ImportKind) => `${kind}:write` as const;

/**
 * Finds the principal of the key or the member that started an import, with its current permissions.
 * @throws ApiError `forbidden` if it may no longer import
 */
export async function findPrincipal(session: Session, item: RunnableImport): Promise<Principal> {
  const { apiKey, kind, framework, address } = item;
  if (apiKey === null) return findMemberPrincipal(session, item);
  const principal = await findKeyPrincipal(session, apiKey);
  requireScopes(principal, [writePermission(kind)], address);
  if (framework !== null) requireFramework(principal, framework);
  return principal;
}

async function findKeyPrincipal(session: Session, uniqueId: string): Promise<Principal> {
  const { principal, state } = toCachedKey(await session.one(findApiKeyById, { uniqueId }));
  const error = keyError(state, new Date());
  if (error === null) return principal;
  const reason = error === 'key_disabled' ? 'disabled' : error === 'key_expired' ? 'expired' : 'revoked';
  throw new ApiError('forbidden', `key: the key that started the import is ${reason}`);
}

const memberError = (text: string) => new ApiError('forbidden', `member: the member who started the import ${text}`);

/** Other members read the reason of a failed import, so it does not address the member. */
async function findMemberPrincipal(session: Session, item: RunnableImport): Promise<Principal> {
  const { createdBy: uniqueId, kind, framework } = item;
  const { ended_at: endedAt, ...access } = await session.one(findMemberAccess, { uniqueId });
  if (endedAt !== null) throw memberError('has ended');
  const principal = memberPrincipal({ company: session.principal.company, uniqueId, ...access });
  if (!principal.scopes.includes(writePermission(kind))) throw memberError(`may no longer create or change ${kind}s`);
  if (framework !== null && principal.frameworks?.includes(framework) === false)
    throw memberError(`may no longer access framework ${framework}`);
  return principal;
}
