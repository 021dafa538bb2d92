/** Permissions of an API key. Contract, section 5. */
export const SCOPES = [
  'task:read',
  'task:write',
  'task:delete',
  'vendor:read',
  'vendor:write',
  'vendor:delete',
  'audit:read',
] as const;
export type Scope = (typeof SCOPES)[number];
