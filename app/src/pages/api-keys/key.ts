import type { Inputs, Outputs } from '../../api/client.ts';
import { valuesOf } from '../../api/values.ts';

export type ApiKey = Outputs['management']['apiKey']['list'][number];
export type Scope = NonNullable<Inputs['management']['apiKey']['create']['scopes']>[number];

/** What each scope of the API allows. */
export const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  'task:read': 'Read tasks',
  'task:write': 'Create and change tasks',
  'task:delete': 'Delete tasks',
  'vendor:read': 'Read vendors',
  'vendor:write': 'Create and change vendors',
  'vendor:delete': 'Delete vendors',
  'audit:read': 'Read the audit log',
  'webhook:manage': 'Manage webhooks',
  'member:read': 'Read members',
  'evidence:read': 'Read evidence',
  'evidence:write': 'Attach and change evidence',
  'evidence:delete': 'Delete evidence',
  'requirement:write': 'Create, change and assess requirements',
  'requirement:delete': 'Delete requirements',
};

/** Every scope of the API. */
export const SCOPES = valuesOf(SCOPE_TEXTS);

export const toScopes = (texts: readonly string[]): Scope[] =>
  texts.flatMap((text) => SCOPES.find((scope) => scope === text) ?? []);

/** Scopes that an admin selects only for a key that needs them. */
const SCOPES_ON_REQUEST: ReadonlySet<Scope> = new Set([
  'webhook:manage',
  'member:read',
  'evidence:read',
  'evidence:write',
  'evidence:delete',
  'requirement:write',
  'requirement:delete',
]);

/** Scopes that the API gives by default. */
const DEFAULT_SCOPES = SCOPES.filter((scope) => !SCOPES_ON_REQUEST.has(scope));

/** Scopes that the form of a new key offers: those that change nothing. */
export const READ_SCOPES = DEFAULT_SCOPES.filter((scope) => scope.endsWith(':read'));

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
