import { BlockList, isIPv4 } from 'node:net';
import type { Principal } from '../entities/principal.ts';
import { Refusal } from '../entities/refusal.ts';
import type { Scope } from '../entities/scope.ts';

/** What a procedure asks of a key: a scope, or only that the key works. */
export type Right = Scope | 'any key';

/**
 * Holds a key's rights against what is asked, before anything is looked up. Contract, section 5.
 * @param address of the caller; null where there is none, as in a test without a server
 * @throws Refusal 403 that names what is missing
 */
export function requireRight({ scopes, cidrs }: Principal, right: Right, address: string | null): void {
  if (cidrs !== null && (address === null || !contains(cidrs, address))) {
    throw new Refusal('forbidden', `address: ${address ?? 'unknown'} is not one that the key may be used from`);
  }
  if (right !== 'any key' && !scopes.includes(right)) throw new Refusal('forbidden', `scope: the key lacks ${right}`);
}

/** @throws Refusal 403 for a framework outside the key's list; also of a task found, which is why it stands alone. */
export function requireFramework({ frameworks }: Principal, framework: number): void {
  if (frameworks !== null && !frameworks.includes(framework)) {
    throw new Refusal('forbidden', `framework: the key may not touch framework ${framework}`);
  }
}

function contains(cidrs: readonly string[], address: string): boolean {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = '', bits] = cidr.split('/');
    list.addSubnet(network, Number(bits), isIPv4(network) ? 'ipv4' : 'ipv6');
  }
  // An IPv4 address that came over an IPv6 socket (::ffff:10.0.0.1) is that IPv4 address to the list, too.
  return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}
