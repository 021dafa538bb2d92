import { deletePasskeyChallenge, insertPasskeyChallenge } from '../../entities/person/passkey.ts';
import type { AnySession } from '../core/context.ts';
import type { Services } from '../core/services.ts';
import { generateToken, hashToken } from '../sign-in/tokens.ts';

/** Imports the library at the first use: it would delay the start of the service. */
export const loadLibrary = () => import('@simplewebauthn/server');

/** EdDSA, ES256 and RS256, which all authenticators support. https://www.iana.org/assignments/cose */
export const ALGORITHMS = [-8, -7, -257];

/** The server as WebAuthn identifies it. Passkeys work only for the host name of APP_URL. */
export function relyingParty({ appUrl }: Pick<Services, 'appUrl'>) {
  const { hostname, origin } = new URL(appUrl());
  return { rpID: hostname, origin };
}

/** Stores a new challenge. @param person who registers a passkey; null for a sign-in */
export async function createChallenge(session: AnySession, person: string | null): Promise<Buffer<ArrayBuffer>> {
  const { token, tokenHash } = generateToken();
  await session.run(insertPasskeyChallenge, { hash: tokenHash, person });
  return Buffer.from(token, 'base64url');
}

interface Expected {
  expectedChallenge: (challenge: string) => boolean;
  expectedOrigin: string;
  expectedRPID: string;
  requireUserVerification: true;
}

interface Verified<Result> {
  result: Result;
  challengeHash: Buffer;
}

/**
 * Verifies a response except for its challenge, which the caller then takes from the database.
 * @returns undefined for an invalid response: the library throws errors without types
 */
export async function verifyResponse<Result>(
  services: Services,
  verify: (expected: Expected) => Promise<Result | undefined>,
): Promise<Verified<Result> | undefined> {
  const { rpID, origin } = relyingParty(services);
  let challengeHash: Buffer | undefined;
  const expectedChallenge = (challenge: string) => {
    challengeHash = hashToken(challenge);
    return true;
  };
  const expected = { expectedOrigin: origin, expectedRPID: rpID, requireUserVerification: true } as const;
  const result = await verify({ ...expected, expectedChallenge }).catch(() => undefined);
  return result === undefined || challengeHash === undefined ? undefined : { result, challengeHash };
}

/** Uses a challenge up. @returns false if it is unknown, used or expired, or was made for another purpose */
export const takeChallenge = async (
  session: AnySession,
  { challengeHash }: Verified<unknown>,
  person: string | null,
): Promise<boolean> => (await session.first(deletePasskeyChallenge, { hash: challengeHash, person })) !== undefined;
