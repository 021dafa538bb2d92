import { lookup as dnsLookup } from 'node:dns';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { isIP, BlockList } from 'node:net';
import type { LookupFunction } from 'node:net';
import { createResolve } from './resolve-name.ts';
import type { Resolve } from './resolve-name.ts';

/**
 * Servers that requests may reach. `public`: public addresses, over https. `loopback`: also this machine, over http too.
 * `any`: every address, over http or https.
 */
export type Reach = 'public' | 'loopback' | 'any';

export interface GuardedRequest {
  method: string;
  headers: Record<string, string>;
  body?: string | undefined;
  signal: AbortSignal;
}

/** The other server cannot be reached, or its address is not permitted. */
export class UnreachableError extends Error {}

/** The reach of the requests excludes a URL. */
export class ForbiddenUrlError extends UnreachableError {
  readonly expectation: 'https' | 'a public address';

  /** @param target part of the URL */
  constructor(target: string, expectation: 'https' | 'a public address') {
    super(`${target}: expected ${expectation}`);
    this.expectation = expectation;
  }
}

/** The other server sent something that is not a response to the request. */
export class InvalidResponseError extends Error {}

/** Maximum number of interim responses (100, 102, 103) to a request. Each one costs time, and HTTP does not limit them. */
const MAX_INTERIM_RESPONSES = 100;

/** Names of this machine, also if no server resolves them. https://www.rfc-editor.org/rfc/rfc6761#section-6.3 */
const LOCAL_NAME = /(?:^|\.)localhost\.*$/;

/**
 * Networks of IPv4 that are not public.
 * https://www.iana.org/assignments/iana-ipv4-special-registry/iana-ipv4-special-registry.xhtml
 */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** Networks of IPv6 with public addresses. Those that embed an IPv4 address begin otherwise, except 6to4 and Teredo. */
const GLOBAL_IPV6 = ['2000::/3'];

/** Exceptions within them: Teredo and other protocols, documentation, 6to4. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const specialIpv4 = toBlockList(SPECIAL_IPV4, 'ipv4');
const globalIpv6 = toBlockList(GLOBAL_IPV6, 'ipv6');
const specialIpv6 = toBlockList(SPECIAL_IPV6, 'ipv6');

/**
 * Returns true for an IP address of the public internet. The server sends requests to URLs that admins choose only there, so
 * that they cannot reach its private network (SSRF). Addresses that embed an IPv4 address are not public, nor are those with
 * a zone. https://cheatsheetseries.owasp.org/cheatsheets/Server_Side_Request_Forgery_Prevention_Cheat_Sheet.html
 */
export function isPublicAddress(ip: string): boolean {
  if (ip.includes('%')) return false;
  const family = isIP(ip);
  if (family === 4) return !specialIpv4.check(ip, 'ipv4');
  return family === 6 && globalIpv6.check(ip, 'ipv6') && !specialIpv6.check(ip, 'ipv6');
}

/** Returns true for an IP address of this machine. */
const isLoopbackAddress = (ip: string): boolean => /^127\.\d+\.\d+\.\d+$|^::1$/.test(ip);

function toBlockList(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/**
 * Sends requests to URLs that admins choose, without following redirects. It rejects URLs that are out of reach, so that
 * nobody reaches the private network of the server (SSRF). Node's `fetch` has no hook for this without the package undici.
 */
export class RequestGuard {
  readonly #reach: () => Reach;
  readonly #resolve: Resolve;

  /** @param resolve name resolution; by default DNS for public addresses, else that of the system, which has local names */
  constructor(reach: () => Reach, resolve?: Resolve) {
    const resolvePublic = createResolve();
    this.#reach = reach;
    this.#resolve = resolve ?? ((...lookup) => (reach() === 'public' ? resolvePublic : dnsLookup)(...lookup));
  }

  /**
   * Checks the scheme and the host of a URL. The addresses of a name are checked by `lookup`, which Node.js does not call
   * for a literal address.
   * @throws ForbiddenUrlError
   */
  check(url: URL): void {
    const reach = this.#reach();
    if (reach === 'any') return;
    const host = hostOf(url);
    const permitsHttp = reach === 'loopback' && (host === 'localhost' || isLoopbackAddress(host));
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && permitsHttp))
      throw new ForbiddenUrlError(url.origin, 'https');
    const isPermitted = isIP(host) === 0 ? reach === 'loopback' || !LOCAL_NAME.test(host) : this.#permits(host);
    if (!isPermitted) throw notPublic(host);
  }

  /**
   * Resolves a name for a connection, which uses exactly the addresses checked here. A second resolution could return others.
   * One address that is not permitted rejects the name.
   */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.#resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const isRejected = error === null && addresses.some(({ address }) => !this.#permits(address));
      if (error !== null || isRejected) callback(error ?? notPublic(hostname), '', 0);
      else if (options.all === true) callback(null, addresses);
      else callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
    });
  };

  /**
   * Sends a request, and returns the response when its headers have arrived. `signal` ends the request in each phase and
   * closes the connection, also after the headers: then the body ends with an error.
   * @throws ForbiddenUrlError, InvalidResponseError, the reason of `signal`, or an error of Node.js
   */
  async send(url: URL, { body, signal, ...options }: GuardedRequest): Promise<IncomingMessage> {
    this.check(url);
    // Imported here, because both load Node's HTTP client and fetch, which the start does not need.
    const { request } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'));
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    // A connection of its own: one from a pool may have been opened without this check.
    const sent = request(url, { ...options, lookup: this.lookup, agent: false });
    let current: ClientRequest | IncomingMessage = sent;
    let interimResponses = 0;
    // The option `signal` of Node.js would end a body without a length as if it were complete.
    const cancel = () => {
      current.destroy();
      reject(signal.reason);
    };
    signal.addEventListener('abort', cancel);
    sent.on('response', (response) => {
      current = response;
      if (isFinal(response)) resolve(response);
      else response.destroy(new InvalidResponseError());
    });
    sent.on('information', () => {
      interimResponses += 1;
      if (interimResponses > MAX_INTERIM_RESPONSES) sent.destroy(new InvalidResponseError());
    });
    sent.on('error', reject);
    // Nothing else precedes it after 101 Switching Protocols: Node.js then closes the connection.
    sent.on('close', () => {
      signal.removeEventListener('abort', cancel);
      reject(new InvalidResponseError());
    });
    sent.end(body);
    return promise;
  }

  #permits(ip: string): boolean {
    const reach = this.#reach();
    return reach === 'any' || isPublicAddress(ip) || (reach === 'loopback' && isLoopbackAddress(ip));
  }
}

/** Host name or address, without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** Returns true for a status that ends a request. https://www.rfc-editor.org/rfc/rfc9110#section-15 */
const isFinal = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 200 && statusCode <= 599;

const notPublic = (host: string) => new ForbiddenUrlError(host, 'a public address');
