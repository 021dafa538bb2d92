import { queryOptions } from '@tanstack/react-query';
import { responseError } from '../api/errors.ts';

const PATH = '/.well-known/signing-keys.json';
const STALE_MS = 60_000;

/** The public keys of this installation, old ones too. */
interface SigningKeys {
  /** The response, a JWK set. https://www.rfc-editor.org/rfc/rfc7517#section-5 */
  text: string;
  /** Thumbprints of the keys (RFC 7638). */
  fingerprints: readonly string[];
}

async function fetchSigningKeys(): Promise<SigningKeys> {
  const response = await fetch(PATH);
  const text = await response.text();
  if (!response.ok) throw responseError(text, response);
  const { keys }: { keys: { kid: string }[] } = JSON.parse(text);
  return { text, fingerprints: keys.map(({ kid }) => kid) };
}

export const signingKeysQuery = queryOptions({
  queryKey: ['signing-keys'],
  queryFn: fetchSigningKeys,
  staleTime: STALE_MS,
});
