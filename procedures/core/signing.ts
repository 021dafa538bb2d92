/** A key that signs with Ed25519. Contract, section 20. */
export interface Signing {
  /** Thumbprint of the public key (RFC 7638): its `kid`. */
  keyId: string;
  /** The public key as SPKI in PEM. */
  publicKeyPem: string;
  /** @returns the 64 bytes of the signature */
  sign: (bytes: Uint8Array) => Buffer;
}

/** The signing key of this process. What signs several times takes `current` once, as a rotation replaces it. */
export interface SigningKeys {
  readonly current: Signing;
  /** Makes a new key, which signs from then on. Undefined if SIGNING_KEY has the key. */
  rotate?: (() => Promise<Signing>) | undefined;
}

/** A time-stamp authority. https://www.rfc-editor.org/rfc/rfc3161 */
export interface TimestampAuthority {
  /**
   * Requests a time stamp of this digest, and verifies it.
   * @returns the response in DER
   * @throws Error whose message a person may read
   */
  stamp: (sha256: Buffer) => Promise<Buffer>;
}
