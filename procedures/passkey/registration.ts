import { ApiError } from '../../entities/api-error.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { MAX_PASSKEYS, insertPasskey, listPasskeys } from '../../entities/person/passkey.ts';
import type { PersonRow } from '../../entities/member/statements.ts';
import type { AnySession } from '../core/context.ts';
import type { Services } from '../core/services.ts';
import type { RegistrationResponse } from './schemas.ts';
import {
  ALGORITHMS,
  createChallenge,
  loadLibrary,
  relyingParty,
  takeChallenge,
  verifyResponse,
} from './verification.ts';

/** Options of `navigator.credentials.create`. The passkey can be discovered, and verifies its user. */
export async function beginPasskeyRegistration(
  session: AnySession,
  services: Services,
  { unique_id: person, email, name }: PersonRow,
) {
  const { rpID } = relyingParty(services);
  const passkeys = await session.run(listPasskeys, { person });
  if (passkeys.length >= MAX_PASSKEYS) throw TOO_MANY_PASSKEYS;
  const challenge = await createChallenge(session, person);
  const { generateRegistrationOptions } = await loadLibrary();
  return generateRegistrationOptions({
    rpName: rpID,
    rpID,
    userID: Buffer.from(person),
    userName: email,
    userDisplayName: name,
    challenge,
    excludeCredentials: passkeys.map(({ credential_id: id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/**
 * Registers the passkey that a browser created.
 * @returns its uniqueId and creation time
 * @throws ApiError 409, 422
 */
export async function registerPasskey(
  session: AnySession,
  services: Services,
  person: string,
  response: RegistrationResponse,
): Promise<{ unique_id: string; created_at: string }> {
  const verified = await verifyResponse(services, async (expected) => {
    const { verifyRegistrationResponse } = await loadLibrary();
    const { registrationInfo } = await verifyRegistrationResponse({
      ...expected,
      response: { ...response, clientExtensionResults: {} },
      supportedAlgorithmIDs: ALGORITHMS,
    });
    return registrationInfo?.credential;
  });
  if (verified === undefined || !(await takeChallenge(session, verified, person)))
    throw new ApiError('unprocessable', 'response: expected a new passkey for this account; begin again');
  const { id, publicKey, counter } = verified.result;
  const inserted = await session.first(insertPasskey, {
    uniqueId: newUniqueId(),
    person,
    credentialId: id,
    publicKey: Buffer.from(publicKey),
    counter,
    transports: response.response.transports,
  });
  if (inserted !== undefined) return inserted;
  const isFull = (await session.run(listPasskeys, { person })).length >= MAX_PASSKEYS;
  throw isFull ? TOO_MANY_PASSKEYS : new ApiError('conflict', 'response: this passkey is registered already');
}

const TOO_MANY_PASSKEYS = new ApiError('conflict', `passkeys: expected at most ${MAX_PASSKEYS}; remove one`);
