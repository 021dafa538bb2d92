import { describe, expect, test } from 'vitest';
import { keyError } from '../../entities/api-key/api-key.ts';
import { DEFAULT_SCOPES } from '../../entities/api-key/scope.ts';
import type { Scope } from '../../entities/api-key/scope.ts';
import { ROLES, ROLE_SCOPES, withImpliedScopes } from '../../entities/member/role.ts';
import type { MemberScope, Role } from '../../entities/member/role.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import type { Principal } from '../../entities/principal.ts';
import { requireFramework, requireScopes } from '../../procedures/core/permissions.ts';

// Permission rules without a database. permissions.test.ts and api-key-lifecycle.test.ts test the service.

/** Returns the message of the forbidden error, or undefined if there is none. */
function forbiddenMessage(work: () => void): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ code: 'forbidden' });
    return error instanceof Error ? error.message : error;
  }
}

const principalWith = (permissions: Partial<Principal>): Principal => ({ ...operatorPrincipal(1), ...permissions });

describe('an address range', () => {
  const from = (address: string | null, ...cidrs: string[]) =>
    forbiddenMessage(() => requireScopes(principalWith({ cidrs }), [], address));

  test.for<[string, string[]]>([
    ['10.1.2.3', ['10.0.0.0/8']],
    ['10.1.2.3', ['192.168.0.0/16', '10.1.2.3/32']],
    ['::ffff:10.1.2.3', ['10.0.0.0/8']],
    ['::FFFF:10.1.2.3', ['10.0.0.0/8']],
    ['2001:db8::7', ['10.0.0.0/8', '2001:db8::/32']],
  ])('contains %s in %o', ([address, cidrs]) => expect(from(address, ...cidrs)).toBeUndefined());

  test.for<[string, string[]]>([
    ['11.1.2.3', ['10.0.0.0/8']],
    ['10.1.2.4', ['10.1.2.3/32']],
    ['::ffff:11.1.2.3', ['10.0.0.0/8']],
    ['2001:db9::7', ['2001:db8::/32']],
    ['2001:db8::7', ['10.0.0.0/8']],
    ['10.1.2.3', []],
  ])('does not contain %s in %o', ([address, cidrs]) =>
    expect(from(address, ...cidrs)).toBe(`address: ${address} is outside the address ranges of the key`),
  );

  test('does not contain an unknown address', () => {
    expect(from(null, '0.0.0.0/0', '::/0')).toBe('address: unknown is outside the address ranges of the key');
  });

  test('is checked only if the API key has one', () => {
    expect(forbiddenMessage(() => requireScopes(principalWith({ cidrs: null }), [], null))).toBeUndefined();
  });
});

describe('a scope', () => {
  test('is required, and other scopes do not replace it', () => {
    const check = (scopes: Principal['scopes']) =>
      forbiddenMessage(() => requireScopes(principalWith({ scopes }), ['task:read'], '10.0.0.1'));
    expect(check(['vendor:read', 'task:read'])).toBeUndefined();
    expect(check(['task:write', 'vendor:read'])).toBe('scope: the key lacks task:read');
    expect(check([])).toBe('scope: the key lacks task:read');
  });

  test('is required beside each other scope of a procedure, and the error names the first that is missing', () => {
    const check = (scopes: Principal['scopes']) =>
      forbiddenMessage(() => requireScopes(principalWith({ scopes }), ['task:write', 'audit:read'], null));
    expect(check(['audit:read', 'task:write'])).toBeUndefined();
    expect(check(['task:write'])).toBe('scope: the key lacks audit:read');
    expect(check(['audit:read'])).toBe('scope: the key lacks task:write');
    expect(check([])).toBe('scope: the key lacks task:write');
  });

  test('webhook:read is implied by webhook:manage in a key, and errors name the scope that a key can have', () => {
    const check = (scopes: readonly Scope[]) =>
      forbiddenMessage(() =>
        requireScopes(principalWith({ scopes: withImpliedScopes(scopes) }), ['webhook:read', 'audit:read'], null),
      );
    expect(check(['webhook:manage', 'audit:read'])).toBeUndefined();
    expect(check(['webhook:manage'])).toBe('scope: the key lacks audit:read');
    expect(check(DEFAULT_SCOPES)).toBe('scope: the key lacks webhook:manage');
  });

  test('of webhooks belongs to admins, and to auditors for reading', () => {
    const check = (role: Role, scope: MemberScope) =>
      forbiddenMessage(() => requireScopes(principalWith({ role, scopes: ROLE_SCOPES[role] }), [scope], null));
    expect(ROLES.map((role) => [role, check(role, 'webhook:read'), check(role, 'webhook:manage')])).toEqual([
      ['admin', undefined, undefined],
      ['editor', 'role: your role, editor, cannot read webhooks', 'role: your role, editor, cannot manage webhooks'],
      ['auditor', undefined, 'role: your role, auditor, cannot manage webhooks'],
    ]);
  });

  test('is not required by a procedure for any API key', () => {
    expect(forbiddenMessage(() => requireScopes(principalWith({ scopes: [] }), [], null))).toBeUndefined();
  });
});

test('a framework must be in the list of the API key, if it has a list', () => {
  expect(forbiddenMessage(() => requireFramework(principalWith({ frameworks: null }), 7))).toBeUndefined();
  expect(forbiddenMessage(() => requireFramework(principalWith({ frameworks: [5, 7] }), 7))).toBeUndefined();
  expect(forbiddenMessage(() => requireFramework(principalWith({ frameworks: [5] }), 7))).toBe(
    'framework: the key may not access framework 7',
  );
});

test('an API key is valid before its expiry, and its previous secret before the end of the overlap', () => {
  const now = new Date('2026-06-30T12:00:00.000Z');
  const [before, after] = [new Date(now.getTime() - 1), new Date(now.getTime() + 1)];
  const key = { enabled: true, expiresAt: null, revokedAt: null, previousHashExpiresAt: null };
  expect(keyError(key, now)).toBeNull();
  expect([before, now, after].map((expiresAt) => keyError({ ...key, expiresAt }, now))).toEqual([
    'key_expired',
    'key_expired',
    null,
  ]);
  expect([before, now, after].map((previousHashExpiresAt) => keyError({ ...key, previousHashExpiresAt }, now))).toEqual(
    ['unauthorized', 'unauthorized', null],
  );
  expect(keyError({ ...key, enabled: false, expiresAt: before, revokedAt: before }, now)).toBe('unauthorized');
  expect(keyError({ ...key, enabled: false, expiresAt: before }, now)).toBe('key_disabled');
});
