/** Host names of this machine, as `URL` writes them. */
const LOOPBACK_HOSTS = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Returns true for a URL of this machine. A server with such a public origin is for development. */
export const isLoopbackUrl = (url: string): boolean => LOOPBACK_HOSTS.test(URL.parse(url)?.hostname ?? '');

/**
 * Returns true for the issuer identifier of an OpenID provider: an https URL without a query or a fragment. In development
 * it may use http on this machine. https://openid.net/specs/openid-connect-discovery-1_0.html#IssuerDiscovery
 * @param appUrl public origin of the server
 */
export function isIssuer(text: string, appUrl: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackUrl(text) && isLoopbackUrl(appUrl));
}
