import { SCOPES } from './api-key/scope.ts';
import type { Scope } from './api-key/scope.ts';
import { OPERATOR } from './user.ts';
import type { Actor } from './user.ts';

/** The authenticated caller. Authentication determines it, never the path or body of a request. */
export interface Principal {
  company: number;
  user: Actor;
  /** uniqueId of the API key used, or null. */
  key: string | null;
  scopes: readonly Scope[];
  /** Frameworks that the key is limited to; null for all of the company. */
  frameworks: readonly number[] | null;
  /** Address ranges that the key is limited to; null for all. */
  cidrs: readonly string[] | null;
}

/** The operator's principal in a company. It has no key and no limits. */
export const operatorPrincipal = (company: number): Principal => ({
  company,
  user: OPERATOR,
  key: null,
  scopes: SCOPES,
  frameworks: null,
  cidrs: null,
});
