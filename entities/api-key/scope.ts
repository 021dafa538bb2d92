/** Permissions of an API key. Contract, section 5. */
export const SCOPES = [
  'task:read',
  'task:write',
  'task:delete',
  'vendor:read',
  'vendor:write',
  'vendor:delete',
  'audit:read',
  'webhook:manage',
  'member:read',
  'evidence:read',
  'evidence:write',
  'evidence:delete',
  'requirement:write',
  'requirement:delete',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Scopes that a key gets only on request. Contract, sections 14, 18 and 27. */
const SCOPES_ON_REQUEST: ReadonlySet<Scope> = new Set([
  'webhook:manage',
  'member:read',
  'evidence:read',
  'evidence:write',
  'evidence:delete',
  'requirement:write',
  'requirement:delete',
]);

/** Scopes of a key that is created without any. */
export const DEFAULT_SCOPES = SCOPES.filter((scope) => !SCOPES_ON_REQUEST.has(scope));
