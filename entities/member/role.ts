import { SCOPES } from '../api-key/scope.ts';
import type { Scope } from '../api-key/scope.ts';

/** Permissions of members and the operator. No API key can be given them. Contract, section 16. */
const MANAGEMENT_SCOPES = [
  'reference-data:read',
  'management:read',
  'management:write',
  'webhook:read',
  'task:comment',
  'vendor:comment',
  'requirement:comment',
  'evidence:check',
] as const;
/** Permission of a member: a scope of API keys, or a management scope. */
export type MemberScope = Scope | (typeof MANAGEMENT_SCOPES)[number];

/** Every permission of members. */
export const MEMBER_SCOPES: readonly MemberScope[] = [...SCOPES, ...MANAGEMENT_SCOPES];

const isComment = (scope: MemberScope) => scope.endsWith(':comment');

export const ROLES = ['admin', 'editor', 'auditor'] as const;
export type Role = (typeof ROLES)[number];

/** Scopes of each role. */
export const ROLE_SCOPES: Readonly<Record<Role, readonly MemberScope[]>> = {
  admin: MEMBER_SCOPES,
  editor: [
    ...SCOPES.filter((scope) => scope !== 'webhook:manage' && scope !== 'requirement:delete'),
    'reference-data:read',
    ...MEMBER_SCOPES.filter(isComment),
  ],
  auditor: MEMBER_SCOPES.filter((scope) => scope.endsWith(':read') || isComment(scope) || scope === 'evidence:check'),
};

/** Management scopes that API keys have too, each with the scope of the key that implies it. Contract, sections 14 and 28. */
const IMPLIED_BY: Readonly<Partial<Record<MemberScope, Scope>>> = {
  'webhook:read': 'webhook:manage',
  'task:comment': 'task:write',
  'vendor:comment': 'vendor:write',
  'requirement:comment': 'requirement:write',
};

/** The scope that a key must be given for a scope of its principal. */
export const scopeOfKeys = (scope: MemberScope): MemberScope => IMPLIED_BY[scope] ?? scope;

/** The scopes of a key, and those that they imply. */
export const withImpliedScopes = (scopes: readonly Scope[]): readonly MemberScope[] => [
  ...scopes,
  ...MANAGEMENT_SCOPES.filter((scope) => scopes.some((given) => given === IMPLIED_BY[scope])),
];

/** Maximum length of an email address, in characters. https://www.rfc-editor.org/errata/eid1690 */
export const MAX_EMAIL_LENGTH = 254;
