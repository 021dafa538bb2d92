import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { newUniqueId } from '../../../entities/ids.ts';
import { sql } from '../database/database.ts';
import type { Browser } from '../http/browser.ts';

/**
 * Registers a passkey of an authenticator in software.
 * @returns a function that begins a sign-in, and makes its body
 */
export async function registerPasskey(url: string, person: string, browser: Browser) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(16).toString('base64url');
  // A COSE key in CBOR: https://www.rfc-editor.org/rfc/rfc9053#section-7.1.1
  const [prefix, ySize] = [Buffer.from('a5010203262001215820', 'hex'), Buffer.from('225820', 'hex')];
  const coseKey = Buffer.concat([prefix, Buffer.from(x, 'base64url'), ySize, Buffer.from(y, 'base64url')]);
  await sql(
    'insert into passkey (unique_id, person_id, credential_id, public_key, counter, transports) values ($1, $2, $3, $4, 0, $5)',
    newUniqueId(),
    person,
    id,
    coseKey,
    ['internal'],
  );
  const { hostname, origin } = new URL(url);
  /** @param isWrong true for a wrong signature */
  return async (isWrong = false) => {
    const begun = await browser.send('POST', '/session/passkey/begin', {});
    const { challenge } = begun.body as { challenge: string };
    const clientData = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin, crossOrigin: false }));
    // Flags: user present and verified. The counter is 0.
    const authenticatorData = Buffer.concat([sha256(Buffer.from(hostname)), Buffer.from([0b101, 0, 0, 0, 0])]);
    const signed = Buffer.concat([authenticatorData, sha256(clientData)]);
    const signature = sign('sha256', isWrong ? clientData : signed, privateKey);
    const response = {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: signature.toString('base64url'),
    };
    return { response: { id, rawId: id, type: 'public-key', response } };
  };
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
