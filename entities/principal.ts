import { SCOPES } from './api-key/scope.ts';
import type { Scope } from './api-key/scope.ts';
import { OPERATOR } from './user.ts';
import type { Actor } from './user.ts';

/** On whose behalf rows are read and written: yielded by authentication, never by a request's path or body. */
export interface Principal {
  company: number;
  user: Actor;
  /** uniqueId of the API key used, or null. */
  key: string | null;
  scopes: readonly Scope[];
  /** Frameworks it is limited to; null for all of the company. */
  frameworks: readonly number[] | null;
  /** Ranges of addresses it is limited to; null for all. */
  cidrs: readonly string[] | null;
}

/** The operator's principal in a company: no key, and so nothing that limits it. */
export const operatorPrincipal = (company: number): Principal => ({
  company,
  user: OPERATOR,
  key: null,
  scopes: SCOPES,
  frameworks: null,
  cidrs: null,
});
