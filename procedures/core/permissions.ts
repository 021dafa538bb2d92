import { BlockList, isIPv4 } from 'node:net';
import type { Principal } from '../../entities/principal.ts';
import { ApiError } from '../../entities/api-error.ts';
import type { Scope } from '../../entities/api-key/scope.ts';

/** What a procedure asks of a key: a scope, or only that the key works. */
export type Permission = Scope | 'any key';

/**
 * Holds a key's rights against what is asked, before anything is looked up. Contract, section 5.
 * @param address of the caller; null where there is none, as in a test without a server
 * @throws Refusal 403 that names what is missing
 */
export function requirePermission({ scopes, cidrs }: Principal, permission: Permission, address: string | null): void {
  if (cidrs !== null && (address === null || !cidrsInclude(cidrs, address))) {
    throw new ApiError('forbidden', `address: ${address ?? 'unknown'} is not one that the key may be used from`);
  }
  if (permission !== 'any key' && !scopes.includes(permission))
    throw new ApiError('forbidden', `scope: the key lacks ${permission}`);
}

/** @throws Refusal 403 for a framework outside the key's list; also of a task found, which is why it stands alone. */
export function requireFramework({ frameworks }: Principal, framework: number): void {
  if (frameworks !== null && !frameworks.includes(framework)) {
    throw new ApiError('forbidden', `framework: the key may not touch framework ${framework}`);
  }
}

function cidrsInclude(cidrs: readonly string[], address: string): boolean {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = '', bits] = cidr.split('/');
    list.addSubnet(network, Number(bits), isIPv4(network) ? 'ipv4' : 'ipv6');
  }
  // An IPv4 address that came over an IPv6 socket (::ffff:10.0.0.1) is that IPv4 address to the list, too.
  return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}
