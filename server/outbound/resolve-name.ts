import { promises } from 'node:dns';
import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { callbackify } from 'node:util';

/** Resolves a name to all of its addresses, like `dns.lookup`. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Milliseconds until the second query to a name server, and the number of queries. Both end before an attempt does. */
const QUERIES = { timeout: 2000, tries: 2 };

interface ResolveOptions {
  /** Addresses of the DNS servers; by default those of the system. */
  servers?: readonly string[];
  hostsFile?: string;
}

/**
 * Creates a function that reads the hosts file and then queries the DNS servers of the system. `dns.lookup` occupies a thread
 * for each name until it ends, and a name without a response takes ten seconds: a few such names would delay all others.
 * https://nodejs.org/api/dns.html#implementation-considerations
 */
export function createResolve({ servers, hostsFile = '/etc/hosts' }: ResolveOptions = {}): Resolve {
  const resolver = new promises.Resolver(QUERIES);
  if (servers !== undefined) resolver.setServers(servers);
  const addressesOf = callbackify(async (hostname: string): Promise<LookupAddress[]> => {
    const local = findInHosts(await readFile(hostsFile, 'utf8').catch(() => ''), hostname);
    if (local.length > 0) return local;
    const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (addresses.length > 0) return addresses.map((address) => ({ address, family: isIP(address) }));
    throw Object.assign(new Error(`${hostname}: not found`), { code: 'ENOTFOUND' });
  });
  return (hostname, _, callback) => addressesOf(hostname, callback);
}

/** Addresses of a name in a hosts file. https://www.rfc-editor.org/rfc/rfc952 */
function findInHosts(text: string, hostname: string): LookupAddress[] {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return names.includes(name) && isIP(address) !== 0 ? [{ address, family: isIP(address) }] : [];
  });
}
