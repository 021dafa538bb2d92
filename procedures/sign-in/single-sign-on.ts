import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { MAX_NAME_LENGTH } from '../../entities/company.ts';
import { newUniqueId } from '../../entities/ids.ts';
import type { Role } from '../../entities/people/role.ts';
import { memberPrincipal } from '../../entities/principal.ts';
import type { Principal } from '../../entities/principal.ts';
import {
  findMemberOfPerson,
  findPersonByEmail,
  insertPerson,
  joinCompany,
} from '../../entities/statements/people/member.ts';
import { lockPerson } from '../../entities/statements/people/sign-in.ts';
import {
  findPersonOfIdentity,
  findSso,
  findSsoByDomain,
  insertIdentity,
  insertSsoChallenge,
  useSsoChallenge,
} from '../../entities/statements/people/sso.ts';
import type { SsoRow } from '../../entities/statements/people/sso.ts';
import { clientSecretPlace } from '../core/encryption.ts';
import { requireEncryption } from '../core/services.ts';
import type { Services } from '../core/services.ts';
import { emailInput } from '../schemas/people.ts';
import { generateToken, hashToken } from './tokens.ts';
import { SignInError, listFailure } from './attempts.ts';
import type { SignedIn, SignInRequest } from './attempts.ts';
import { startWebSession } from './web-sessions.ts';

/** A session with or without a principal. */
type AnySession = Session<Principal | null>;

/** A company as a client of its OpenID provider. */
export interface ProviderClient {
  company: number;
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** Claims of an ID token that was verified. Their types are those that the provider chose. */
export interface VerifiedClaims {
  issuer: string;
  subject: string;
  email: unknown;
  emailVerified: unknown;
  name: unknown;
}

const domainOf = (email: string) => email.slice(email.lastIndexOf('@') + 1);

function toClient(row: SsoRow, services: Services): ProviderClient {
  const { company_id: company, issuer, client_id: clientId } = row;
  const clientSecret = requireEncryption(services).decrypt(row.client_secret, clientSecretPlace(company));
  return { company, issuer, clientId, clientSecret };
}

/**
 * Finds the provider for the domain of an email, and stores a challenge. The response does not depend on the person.
 * @returns the token for the cookie of the browser
 * @throws ApiError 422 if no company has this domain
 */
export async function beginSingleSignOn(
  session: AnySession,
  services: Services,
  email: string,
): Promise<{ client: ProviderClient; token: string }> {
  const row = await session.first(findSsoByDomain, { domain: domainOf(email) });
  if (row === undefined) throw new ApiError('unprocessable', 'email: this domain has no single sign-on');
  const client = toClient(row, services);
  const { token, tokenHash } = generateToken();
  await session.run(insertSsoChallenge, { hash: tokenHash, forCompany: client.company });
  return { client, token };
}

/**
 * Uses a challenge, which works once.
 * @returns undefined if it is unknown, used or expired, or if the company removed its single sign-on
 */
export async function useChallenge(
  session: AnySession,
  services: Services,
  token: string,
): Promise<ProviderClient | undefined> {
  const challenge = await session.first(useSsoChallenge, { hash: hashToken(token) });
  if (challenge === undefined) return undefined;
  const row = await session.asOperator(challenge.company_id).first(findSso, {});
  return row && toClient(row, services);
}

/**
 * Signs a person in for a company with the claims of its provider. The first sign-in creates the person and the member. The
 * session can act only for this company, because another company did not choose this provider.
 * @throws ApiError 403 if the claims name no verified email of the company, or the membership has ended; 429
 */
export function signInWithClaims(
  request: Pick<SignInRequest, 'session' | 'browser' | 'currentToken' | 'attempts'>,
  company: number,
  claims: VerifiedClaims,
): Promise<SignedIn> {
  const { session, browser, attempts } = request;
  const signIn = async (inside: AnySession) => {
    const settings = await inside.asOperator(company).first(findSso, {});
    const email = requireEmail(claims, settings?.confirmed_domains ?? []);
    const { person, name } = await ensurePerson(inside, company, claims, email);
    await inside.one(lockPerson, { person });
    await ensureMember(inside, company, { person, name, role: settings?.role ?? 'auditor' });
    await inside.run(insertIdentity, { issuer: claims.issuer, subject: claims.subject, person });
    const signedIn = { person, company, method: 'sso' as const, hasSecondFactor: false };
    return { ...signedIn, token: await startWebSession(inside, request, signedIn) };
  };
  const email = emailInput.safeParse(claims.email).data ?? null;
  return listFailure(request, { method: 'sso', email, onlyCompany: company }, () =>
    attempts.limit({ address: browser.address }, () => session.transaction(signIn)),
  );
}

const wrongClaims = (message: string) => new SignInError('wrong_claims', 'forbidden', message);

/** @throws SignInError 403 unless the claims have an email of a confirmed domain that the provider does not call unverified */
function requireEmail({ email, emailVerified }: VerifiedClaims, confirmedDomains: readonly string[]): string {
  const parsed = emailInput.safeParse(email);
  if (!parsed.success) throw wrongClaims('email: the identity provider sent no email address');
  // Some providers send booleans as text.
  if (emailVerified !== undefined && emailVerified !== true && emailVerified !== 'true')
    throw wrongClaims('email: the identity provider has not verified this email address');
  if (!confirmedDomains.includes(domainOf(parsed.data)))
    throw wrongClaims('email: its domain is not one of this company');
  return parsed.data;
}

/**
 * Finds the person of an account at the provider, or else of the email, or creates a person. An account decides only for a
 * person of this company, as the email of a person may change at the provider.
 */
async function ensurePerson(
  session: AnySession,
  company: number,
  { issuer, subject, name }: VerifiedClaims,
  email: string,
): Promise<{ person: string; name: string }> {
  const linked = await session.first(findPersonOfIdentity, { issuer, subject, forCompany: company });
  if (linked !== undefined) return { person: linked.person_id, name: linked.name };
  const newPerson = { uniqueId: newUniqueId(), email, name: toName(name, email), password: null };
  const created = await session.first(insertPerson, newPerson);
  if (created !== undefined) return { person: created.unique_id, name: newPerson.name };
  const existing = await session.one(findPersonByEmail, { email });
  return { person: existing.unique_id, name: existing.name };
}

/** Name of a person: the claim, or the part of the email before the `@`. */
function toName(claim: unknown, email: string): string {
  const text =
    typeof claim === 'string'
      ? claim
          .toWellFormed()
          .replaceAll(/\p{Cc}+/gu, ' ')
          .trim()
      : '';
  const name = text === '' ? email.slice(0, email.lastIndexOf('@')) : text;
  return name.slice(0, MAX_NAME_LENGTH).toWellFormed().trim();
}

/**
 * Makes a person a member of the company, unless the person is one.
 * @throws SignInError 403 if the membership has ended: only an invitation starts it again
 */
async function ensureMember(
  session: AnySession,
  company: number,
  { person, name, role }: { person: string; name: string; role: Role },
): Promise<void> {
  const member = await session.asOperator(company).first(findMemberOfPerson, { person });
  if (member !== undefined && member.ended_at !== null)
    throw new SignInError(
      'no_company',
      'forbidden',
      'Your membership of this company has ended. Ask an admin for an invitation.',
      person,
    );
  if (member !== undefined) return;
  const principal = memberPrincipal({ company, uniqueId: newUniqueId(), name, role, frameworks: null });
  await session.actingAs(principal).one(joinCompany, { person, name, role, frameworks: null });
}
