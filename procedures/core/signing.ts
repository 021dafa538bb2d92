import { createPrivateKey, createPublicKey, hash, sign, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** A key that signs with Ed25519. Contract, section 20. */
export interface Signing {
  /** Thumbprint of the public key (RFC 7638): its `kid`. */
  keyId: string;
  /** The public key in base64url: `x` of its JWK (RFC 8037). */
  publicKey: string;
  /** The public key as SPKI in PEM. */
  publicKeyPem: string;
  /** @returns the 64 bytes of the signature */
  sign: (bytes: Uint8Array) => Buffer;
}

/** The signing key of this process. Code that signs several times takes `current` once, because a rotation replaces it. */
export interface SigningKeys {
  readonly current: Signing;
  /**
   * Makes a new key, which signs from then on. Undefined if SIGNING_KEY has the key.
   * @param record records the public key before the key is used
   */
  rotate?: ((record: (key: Signing) => Promise<unknown>) => Promise<Signing>) | undefined;
}

/** A time-stamp authority. https://www.rfc-editor.org/rfc/rfc3161 */
export interface TimestampAuthority {
  /**
   * Requests a time stamp of this digest, and verifies it.
   * @returns the response in DER
   * @throws Error whose message a person may read
   */
  request: (sha256: Buffer) => Promise<Buffer>;
}

/** The JWK of a public key. https://www.rfc-editor.org/rfc/rfc8037#section-2 */
const jwkOf = (publicKey: string) => ({ crv: 'Ed25519', kty: 'OKP', x: publicKey });

/** Thumbprint of a public key. https://www.rfc-editor.org/rfc/rfc7638 */
const thumbprint = (publicKey: string): string => hash('sha256', JSON.stringify(jwkOf(publicKey)), 'base64url');

/** The JWK of a recorded key in the set that the installation publishes. */
export const toPublishedJwk = ({ keyId, publicKey }: Pick<Signing, 'keyId' | 'publicKey'>) => ({
  ...jwkOf(publicKey),
  kid: keyId,
  use: 'sig',
  alg: 'EdDSA',
});

/** Makes a signer of a private key of Ed25519. */
export function createSigning(privateKey: KeyObject): Signing {
  const key = createPublicKey(privateKey);
  const { x: publicKey } = key.export({ format: 'jwk' });
  if (publicKey === undefined) throw new Error('signing key: expected Ed25519');
  return {
    keyId: thumbprint(publicKey),
    publicKey,
    publicKeyPem: key.export({ type: 'spki', format: 'pem' }),
    sign: (bytes) => sign(null, bytes, privateKey),
  };
}

/** True if one of these public keys made the signature. */
export const isSignedByAny = (
  bytes: Uint8Array,
  signature: Buffer,
  publicKeys: readonly Pick<Signing, 'publicKey'>[],
): boolean =>
  publicKeys.some(({ publicKey }) =>
    verify(null, bytes, createPublicKey({ key: jwkOf(publicKey), format: 'jwk' }), signature),
  );

const isPem = (text: string) => text.trimStart().startsWith('-----BEGIN PRIVATE KEY-----');

/**
 * Parses a private key of Ed25519: PKCS#8 as PEM, or in base64 the PEM or the DER.
 * @returns undefined for any other text
 */
export function parseSigningKey(text: string): KeyObject | undefined {
  const decoded = Buffer.from(text, 'base64');
  const pem = [text, decoded.toString()].find(isPem);
  try {
    const key = createPrivateKey(pem ?? { key: decoded, format: 'der', type: 'pkcs8' });
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}
