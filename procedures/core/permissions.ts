import { BlockList, isIPv4 } from 'node:net';
import { ApiError } from '../../entities/api-error.ts';
import { scopeOfKeys } from '../../entities/member/role.ts';
import type { MemberScope } from '../../entities/member/role.ts';
import { NO_FRAMEWORK } from '../../entities/ids.ts';
import { isAdmin } from '../../entities/principal.ts';
import type { Principal } from '../../entities/principal.ts';
import type { Operation, ResourceAccess } from '../../entities/schema/access.ts';
import type { CountedChild } from '../../entities/schema/children.ts';
import type { ChangeMetadata } from '../../entities/statements/change-metadata.ts';

/** Permission that a procedure requires: any scope, or one or more scopes. The principal needs them all. */
export type Permission = readonly [MemberScope, ...MemberScope[]] | readonly ['any scope'];

/** The scopes that a permission names. */
export const scopesOf = (permission: Permission): readonly MemberScope[] =>
  permission[0] === 'any scope' ? [] : permission;

const ACTIONS: Readonly<Record<string, string>> = {
  read: 'read',
  write: 'create or change',
  delete: 'delete',
  comment: 'comment on',
  check: 'check',
};
/** Names of resources that are not the plural of their scope. */
const RESOURCES: Readonly<Record<string, string>> = {
  audit: 'the audit log',
  evidence: 'evidence',
  'reference-data': 'frameworks, departments and gaps',
  management: 'the settings of the company',
};

/** Describes what a scope allows: `create or change vendors`. */
function describeScope(scope: MemberScope): string {
  const [resource = '', action = ''] = scope.split(':');
  return `${ACTIONS[action] ?? action} ${RESOURCES[resource] ?? `${resource}s`}`;
}

/** Appends the scopes that a key needs to the description of an operation. */
export function withRequiredScopes(description: string, scopes: readonly MemberScope[]): string {
  if (scopes.length === 0) return description;
  const names = scopes.map((scope) => `\`${scopeOfKeys(scope)}\``).join(' and ');
  return `${description} Needs the ${scopes.length === 1 ? 'scope' : 'scopes'} ${names}.`;
}

/**
 * Checks the address and the scopes of a principal before any query runs. See docs/contract.md, sections 5 and 16.
 * @param required scopes that the principal needs, all of them
 * @param address IP address of the client; null without a connection, for example in a direct caller
 * @throws ApiError `forbidden`, which names the first missing scope
 */
export function requireScopes(principal: Principal, required: readonly MemberScope[], address: string | null): void {
  const { scopes, cidrs } = principal;
  if (cidrs !== null && (address === null || !cidrsInclude(cidrs, address))) {
    throw new ApiError('forbidden', `address: ${address ?? 'unknown'} is outside the address ranges of the key`);
  }
  for (const scope of required) if (!scopes.includes(scope)) throw missingScope(principal, scope);
}

/** The error for a principal that lacks a scope. It names a scope that a key can be given. */
export const missingScope = ({ role }: Principal, scope: MemberScope): ApiError =>
  new ApiError(
    'forbidden',
    role === null
      ? `scope: the key lacks ${scopeOfKeys(scope)}`
      : `role: your role, ${role}, cannot ${describeScope(scope)}`,
  );

/**
 * Checks that a principal may access a framework. Procedures also call it with the framework of a loaded task.
 * @throws ApiError `forbidden`
 */
export function requireFramework({ frameworks, role }: Principal, framework: number): void {
  if (frameworks !== null && !frameworks.includes(framework)) {
    const subject = role === null ? 'the key' : 'you';
    throw new ApiError('forbidden', `framework: ${subject} may not access framework ${framework}`);
  }
}

/**
 * Checks that a principal may read, change or delete an item, beyond the scopes that its procedure requires. Statements that
 * write have the same conditions (`writeConditions`).
 * @throws ApiError `forbidden`
 */
export function requireAccess(
  { type, access: { framework, parents, byAuthor } }: { type: string; access: ResourceAccess },
  principal: Principal,
  item: Pick<ChangeMetadata, 'createdBy'>,
  operation: Operation,
): void {
  if (framework !== 'none') {
    const id: unknown = Reflect.get(item, 'framework');
    if (typeof id !== 'number') throw new Error(`${type}: expected its framework`);
    if (id !== NO_FRAMEWORK) requireFramework(principal, id);
  }
  requireParentScopes({ parents }, principal, item, operation);
  const isAuthor = item.createdBy.uniqueId === principal.user.uniqueId;
  if (!byAuthor || operation === 'read' || isAuthor || (operation === 'delete' && isAdmin(principal))) return;
  const others = operation === 'delete' ? ', an admin or the operator' : '';
  throw new ApiError(
    'forbidden',
    `${type}: only its author${others} may ${operation === 'write' ? 'change' : 'delete'} it`,
  );
}

/**
 * Checks that a principal may delete the children of an item with it. The statement that deletes has the same condition
 * (`childConditions`).
 * @throws ApiError `forbidden`
 */
export function requireChildScopes(
  { children }: { children: readonly CountedChild[] },
  principal: Principal,
  item: object,
): void {
  for (const { field, deleteScopes } of children) {
    if (Reflect.get(item, field) === 0) continue;
    for (const scope of deleteScopes) if (!principal.scopes.includes(scope)) throw missingScope(principal, scope);
  }
}

/**
 * Checks the scopes that depend on which of several parents an item has.
 * @param item with the ids of its parents, or the input for a new one
 * @throws ApiError `forbidden`
 */
export function requireParentScopes(
  { parents }: Pick<ResourceAccess, 'parents'>,
  principal: Principal,
  item: object,
  operation: Operation,
): void {
  for (const parent of parents) {
    const id: unknown = Reflect.get(item, parent.field);
    if (id === null || id === undefined) continue;
    for (const scope of parent.scopes[operation])
      if (!principal.scopes.includes(scope)) throw missingScope(principal, scope);
  }
}

function cidrsInclude(cidrs: readonly string[], address: string): boolean {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = '', bits] = cidr.split('/');
    list.addSubnet(network, Number(bits), isIPv4(network) ? 'ipv4' : 'ipv6');
  }
  // BlockList matches IPv4-mapped IPv6 addresses (::ffff:10.0.0.1) against IPv4 subnets.
  return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}
