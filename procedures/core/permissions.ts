import { BlockList, isIPv4 } from 'node:net';
import type { Principal } from '../../entities/principal.ts';
import { ApiError } from '../../entities/api-error.ts';
import type { Scope } from '../../entities/api-key/scope.ts';

/** Permission that a procedure requires: a scope, or any valid key. */
export type Permission = Scope | 'any key';

/**
 * Checks the address and the scopes of a key before any query runs. See docs/contract.md, section 5.
 * @param address IP address of the client; null without a connection, for example in a direct caller
 * @throws ApiError `forbidden`, which names the missing permission
 */
export function requirePermission({ scopes, cidrs }: Principal, permission: Permission, address: string | null): void {
  if (cidrs !== null && (address === null || !cidrsInclude(cidrs, address))) {
    throw new ApiError('forbidden', `address: ${address ?? 'unknown'} is outside the address ranges of the key`);
  }
  if (permission !== 'any key' && !scopes.includes(permission))
    throw new ApiError('forbidden', `scope: the key lacks ${permission}`);
}

/**
 * Checks that a key may access a framework. Procedures also call it with the framework of a loaded task.
 * @throws ApiError `forbidden`
 */
export function requireFramework({ frameworks }: Principal, framework: number): void {
  if (frameworks !== null && !frameworks.includes(framework)) {
    throw new ApiError('forbidden', `framework: the key may not access framework ${framework}`);
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
