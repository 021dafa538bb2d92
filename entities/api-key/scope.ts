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
] as const;
export type Scope = (typeof SCOPES)[number];

/** Scopes of a key that is created without any. A key gets `webhook:manage` only on request. Contract, section 14. */
export const DEFAULT_SCOPES = SCOPES.filter((scope) => scope !== 'webhook:manage');
