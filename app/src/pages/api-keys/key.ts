import type { Inputs, Outputs } from '../../api/client.ts';
import { valuesOf } from '../../api/values.ts';

export type ApiKey = Outputs['management']['apiKey']['list'][number];
export type Scope = NonNullable<Inputs['management']['apiKey']['create']['scopes']>[number];

/** Every scope of the API. */
export const SCOPES = valuesOf<Scope>({
  'task:read': true,
  'task:write': true,
  'task:delete': true,
  'vendor:read': true,
  'vendor:write': true,
  'vendor:delete': true,
  'audit:read': true,
  'webhook:manage': true,
  'member:read': true,
  'evidence:read': true,
  'evidence:write': true,
  'evidence:delete': true,
});

export const toScopes = (texts: readonly string[]): Scope[] =>
  texts.flatMap((text) => SCOPES.find((scope) => scope === text) ?? []);

/** Scopes that an admin selects only for a key that needs them. */
const SCOPES_ON_REQUEST: ReadonlySet<Scope> = new Set([
  'webhook:manage',
  'member:read',
  'evidence:read',
  'evidence:write',
  'evidence:delete',
]);

/** Scopes of a new key. */
export const DEFAULT_SCOPES = SCOPES.filter((scope) => !SCOPES_ON_REQUEST.has(scope));

type KeyState = 'enabled' | 'disabled' | 'expired' | 'revoked' | 'leaked';

/** State of a key, the most serious first. */
export function keyState({ revokedAt, leakedAt, enabled, expiresAt }: ApiKey): KeyState {
  if (revokedAt !== null) return 'revoked';
  if (leakedAt !== null) return 'leaked';
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) return 'expired';
  return enabled ? 'enabled' : 'disabled';
}

/** The scopes of a key, or the few that it lacks. */
export function scopesText({ scopes }: ApiKey): string {
  const missing = SCOPES.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return 'All';
  const hasDefault = DEFAULT_SCOPES.every((scope) => scopes.includes(scope));
  return hasDefault || missing.length === 1 ? `All except ${missing.join(', ')}` : scopes.join(', ');
}

/** Command that sends the first request with a key. */
export const curlCommand = (key: string): string =>
  `curl -H 'X-API-Key: ${key}' ${window.location.origin}/external/api-key/whoami`;
