import { createHash, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { SigningKeys } from '../../../procedures/core/signing.ts';
import { toPem } from './chain.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const { crv, kty, x } = createPublicKey(privateKey).export({ format: 'jwk' });

/** A signing key of this process. */
export const testSigning: SigningKeys = {
  current: {
    keyId: createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url'),
    publicKeyPem: toPem(privateKey),
    sign: (bytes) => sign(null, bytes, privateKey),
  },
};
