import { ROLE_SCOPES } from './member/role.ts';
import type { MemberScope, Role } from './member/role.ts';
import { OPERATOR } from './company/user.ts';
import type { Actor } from './company/user.ts';

/** The authenticated caller. Authentication determines it, never the path or body of a request. */
export interface Principal {
  company: number;
  user: Actor;
  /** uniqueId of the API key; null for a member and for the operator. */
  key: string | null;
  /** Role of a member; null for an API key and for the operator. */
  role: Role | null;
  scopes: readonly MemberScope[];
  /** Frameworks that the principal is limited to; null for all of the company. */
  frameworks: readonly number[] | null;
  /** Address ranges that the key is limited to; null for all. */
  cidrs: readonly string[] | null;
  /** True if the company was frozen when the caller was authenticated. Undefined in jobs: triggers reject their writes. */
  isFrozen?: boolean;
}

/** True for an admin of the company and for the operator. */
export const isAdmin = ({ key, role }: Pick<Principal, 'key' | 'role'>) =>
  role === 'admin' || (role === null && key === null);

/** The principal of an active member. */
export const memberPrincipal = ({
  company,
  uniqueId,
  name,
  role,
  frameworks,
  isFrozen = false,
}: Pick<Principal, 'company' | 'frameworks' | 'isFrozen'> &
  Pick<Actor, 'uniqueId' | 'name'> & { role: Role }): Principal => ({
  company,
  user: { uniqueId, name, kind: 'human' },
  key: null,
  role,
  scopes: ROLE_SCOPES[role],
  frameworks,
  cidrs: null,
  isFrozen,
});

/** The operator's principal in a company. It has no key and no limits. */
export const operatorPrincipal = (company: number, isFrozen = false): Principal => ({
  company,
  user: OPERATOR,
  key: null,
  role: null,
  scopes: ROLE_SCOPES.admin,
  frameworks: null,
  cidrs: null,
  isFrozen,
});
