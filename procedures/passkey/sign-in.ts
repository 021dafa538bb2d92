import type { WebAuthnCredential } from '@simplewebauthn/server';
import { findCompanies } from '../member/companies.ts';
import type { findCompaniesOfPerson } from '../../entities/member/companies.ts';
import { findPasskey, usePasskey } from '../../entities/person/passkey.ts';
import { lockPerson } from '../../entities/sign-in/statements.ts';
import type { AnySession } from '../core/context.ts';
import type { Services } from '../core/services.ts';
import { SignInError, listFailure, movedAway } from '../sign-in/attempts.ts';
import type { SignedIn, SignInRequest } from '../sign-in/attempts.ts';
import { startWebSession } from '../sign-in/web-sessions.ts';
import type { AuthenticationResponse } from './schemas.ts';
import { createChallenge, loadLibrary, relyingParty, takeChallenge, verifyResponse } from './verification.ts';

/** Options of `navigator.credentials.get`. They name no passkey, so the browser offers those that it has. */
export async function beginPasskeySignIn(session: AnySession, services: Services) {
  const { rpID } = relyingParty(services);
  const challenge = await createChallenge(session, null);
  const { generateAuthenticationOptions } = await loadLibrary();
  return generateAuthenticationOptions({ rpID, challenge, userVerification: 'required' });
}

/**
 * Signs in with a passkey. It counts as a second factor too, because the authenticator verified its user.
 * @throws ApiError 401, also for a person who was deleted in the meantime, 421 as for a password, 429
 */
export function signInWithPasskey(
  request: SignInRequest,
  services: Services,
  response: AuthenticationResponse,
): Promise<SignedIn> {
  const { session, attempts, browser } = request;
  const attempt = async () => {
    const { person, isAccepted, company } = await verifyPasskey(session, services, response);
    if (person === undefined || !isAccepted) throw notAccepted('wrong_passkey', person);
    if (company === undefined) throw notAccepted('no_company', person);
    const signIn = { person, company: company.id, method: 'passkey' as const, hasSecondFactor: true };
    return session.transaction(async (inside) => {
      await inside.run(lockPerson, { person });
      // A reset of the password, which waited or has just ended, removes it.
      if ((await inside.first(findPasskey, { credentialId: response.id })) === undefined)
        throw notAccepted('wrong_passkey', person);
      return startWebSession(inside, request, signIn);
    });
  };
  return listFailure(request, { method: 'passkey' }, () => attempts.limit({ address: browser.address }, attempt));
}

interface Verification {
  person: string | undefined;
  isAccepted: boolean;
  company?: NonNullable<typeof findCompaniesOfPerson.row> | undefined;
}

const notAccepted = (problem: 'wrong_passkey' | 'no_company', person?: string) =>
  new SignInError(
    problem,
    'unauthorized',
    'This passkey is not accepted, the sign-in took too long, or your company requires single sign-on.',
    person,
  );

/**
 * @returns the person of a registered passkey, the company to act for, and if the response is accepted: it must sign a new challenge
 * @throws SignInError 421
 */
async function verifyPasskey(
  session: AnySession,
  services: Services,
  response: AuthenticationResponse,
): Promise<Verification> {
  const row = await session.first(findPasskey, { credentialId: response.id });
  if (row === undefined) return { person: undefined, isAccepted: false };
  const rejected = { person: row.person_id, isAccepted: false };
  const { userHandle = null, ...assertion } = response.response;
  if (userHandle !== null && Buffer.from(userHandle, 'base64url').toString() !== row.person_id) return rejected;
  const credential: WebAuthnCredential = {
    id: response.id,
    publicKey: Buffer.from(row.public_key, 'hex'),
    counter: Number(row.counter),
  };
  const verified = await verifyResponse(services, async (expected) => {
    const { verifyAuthenticationResponse } = await loadLibrary();
    const { verified: isVerified, authenticationInfo } = await verifyAuthenticationResponse({
      ...expected,
      response: { ...response, response: assertion, clientExtensionResults: {} },
      credential,
    });
    return isVerified ? authenticationInfo.newCounter : undefined;
  });
  if (verified === undefined) return rejected;
  const { person_id: person } = row;
  const [company] = await findCompanies(session, { person, singleSignOnCompany: null });
  if (typeof company?.movedTo === 'string') throw movedAway(company.movedTo, person);
  if (!(await takeChallenge(session, verified, null))) return rejected;
  const used = await session.first(usePasskey, { uniqueId: row.unique_id, counter: verified.result });
  return { person, isAccepted: used !== undefined, company };
}
