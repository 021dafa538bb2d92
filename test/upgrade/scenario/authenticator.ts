import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { totpCode, totpStep } from '../../../procedures/sign-in/totp.ts';

/** Password of each person. */
export const PASSWORD = 'correct horse battery staple';

const BASE_32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Code of an authenticator app. @param secret base32 @param steps time steps from now */
export function codeOf(secret: string, steps = 0): string {
  const bits = Array.from(secret, (digit) => BASE_32.indexOf(digit).toString(2).padStart(5, '0')).join('');
  const bytes = bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [];
  return totpCode(Buffer.from(bytes), totpStep(Date.now()) + steps);
}

/** Flags of the authenticator data: user present, user verified, credential included. */
const FLAGS = 0b0100_0101;

/**
 * Creates a passkey as an authenticator without attestation does. https://www.w3.org/TR/webauthn-3/#sctn-attestation
 * @returns `toJSON()` of the credential
 */
export function createPasskey(challenge: string, origin: string) {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(16);
  // The COSE key and the attestation object in CBOR: https://www.rfc-editor.org/rfc/rfc9053#section-7.1.1
  const coseKey = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(id.length);
  const authenticatorData = Buffer.concat([
    createHash('sha256').update(new URL(origin).hostname).digest(),
    Buffer.from([FLAGS, 0, 0, 0, 0]),
    Buffer.alloc(16),
    length,
    id,
    coseKey,
  ]);
  const attestationObject = Buffer.concat([
    Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
    Buffer.from([authenticatorData.length]),
    authenticatorData,
  ]);
  const clientData = { type: 'webauthn.create', challenge, origin, crossOrigin: false };
  return {
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key' as const,
    response: {
      clientDataJSON: Buffer.from(JSON.stringify(clientData)).toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    },
  };
}
