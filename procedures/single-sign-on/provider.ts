import { z } from 'zod';
import { ApiError, misdirected } from '../../entities/api-error.ts';
import { insertSsoChallenge, useSsoChallenge } from '../../entities/single-sign-on/challenge.ts';
import { findSso, findSsoByDomain, findSsoByIssuer } from '../../entities/single-sign-on/sso.ts';
import type { SsoRow } from '../../entities/single-sign-on/sso.ts';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import { isVisible } from '../../entities/fields/schemas.ts';
import type { AnySession } from '../core/context.ts';
import { clientSecretPlace } from '../core/encryption.ts';
import { requireEncryption } from '../core/services.ts';
import type { Services } from '../core/services.ts';
import { generateToken, hashToken } from '../sign-in/tokens.ts';
import { emailInput, withoutOverrides } from '../schemas/people.ts';
import { SignInError } from '../sign-in/attempts.ts';

/** A company as a client of its OpenID provider. */
export interface ProviderClient {
  company: number;
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** Provider of a sign-in that has begun. */
const BegunSignIn = z.object({ issuer: z.string(), clientId: z.string() });

function toClient({ company, issuer, clientId, clientSecret: encrypted }: SsoRow, services: Services): ProviderClient {
  const clientSecret = requireEncryption(services).decrypt(encrypted, clientSecretPlace(company));
  return { company, issuer, clientId, clientSecret };
}

/** Returns true if the settings still name this provider and this client. */
export const isProvider = (
  settings: Pick<SsoRow, 'issuer' | 'clientId'> | undefined,
  { issuer, clientId }: Pick<ProviderClient, 'issuer' | 'clientId'>,
): boolean => settings?.issuer === issuer && settings.clientId === clientId;

/** What the start of a sign-in specifies: the email of the person, or the issuer of the provider, perhaps with a hint of who signs in. */
export type SignInStart = { email: string } | { issuer: string; hint: string | undefined };

/** Claims of an ID token that was verified. Their types are those that the provider chose. */
export interface VerifiedClaims {
  issuer: string;
  /** 1 to 255 well-formed characters. */
  subject: string;
  email: unknown;
  emailVerified: unknown;
  name: unknown;
}

/** An account at the provider of a company, with a verified email of the company. */
export const ProviderAccount = z.object({
  issuer: z.string(),
  subject: z.string(),
  email: z.string(),
  emailVerified: z.literal(true),
  name: z.string(),
});
export type ProviderAccount = z.output<typeof ProviderAccount>;

/** The domain of an email. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

/**
 * Checks the claims against the settings of the company.
 * @throws SignInError 403 unless the claims have a verified email of a confirmed domain
 */
export function toAccount(
  { issuer, subject, email, emailVerified, name }: VerifiedClaims,
  { confirmedDomains, trustEmail }: Pick<SsoRow, 'confirmedDomains' | 'trustEmail'>,
): ProviderAccount {
  const parsed = emailInput.safeParse(email);
  if (!parsed.success) throw wrongClaims('email: the identity provider sent no email address');
  // Some providers send booleans as text, and some never send this claim.
  const isVerified = emailVerified === true || emailVerified === 'true' || (trustEmail && emailVerified === undefined);
  if (!isVerified) throw wrongClaims('email: the identity provider has not verified this email address');
  if (!confirmedDomains.includes(domainOf(parsed.data)))
    throw wrongClaims('email: its domain is not one of this company');
  return { issuer, subject, email: parsed.data, emailVerified: true, name: toName(name, parsed.data) };
}

const wrongClaims = (message: string) => new SignInError('wrong_claims', 'forbidden', message);

/** Name of a person: the claim, or the part of the email before the `@`. */
function toName(claim: unknown, email: string): string {
  const text =
    typeof claim === 'string' ? withoutOverrides(claim.toWellFormed()).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ') : '';
  const name = text.trim().slice(0, MAX_NAME_LENGTH).toWellFormed().trim();
  return isVisible(name) ? name : email.slice(0, email.lastIndexOf('@')).slice(0, MAX_NAME_LENGTH);
}

/** A company that is found for the start of a sign-in, and the cell to which it was moved. */
type FoundSso = SsoRow & { movedTo: string | null };

/** @throws ApiError 422 if no company has the domain */
async function findByDomain(session: AnySession, email: string): Promise<FoundSso> {
  const row = await session.first(findSsoByDomain, { domain: domainOf(email) });
  if (row === undefined) throw new ApiError('unprocessable', 'email: this domain has no single sign-on');
  return row;
}

/**
 * Finds the company of an issuer. Companies that share one, for example that of a public provider, are told apart by the domain of the hint.
 * @throws ApiError 422 if no company, or no single one, is found
 */
async function findByIssuer(session: AnySession, issuer: string, hint: string | undefined): Promise<FoundSso> {
  const rows = await session.run(findSsoByIssuer, { issuer });
  const [first] = rows;
  if (first === undefined) throw new ApiError('unprocessable', 'iss: no company signs in at this identity provider');
  if (rows.length === 1) return first;
  const domain = hint === undefined ? undefined : domainOf(hint).toLowerCase();
  const row = rows.find(({ confirmedDomains }) => domain !== undefined && confirmedDomains.includes(domain));
  if (row === undefined)
    throw new ApiError(
      'unprocessable',
      'login_hint: expected an email address of one of the companies that sign in at this identity provider',
    );
  return row;
}

/**
 * Finds the provider of a sign-in, and stores a challenge. The response does not depend on the person.
 * @returns the token for the cookie of the browser
 * @throws ApiError 422 if there is no such company, 421 if the company was moved away
 */
export async function beginSingleSignOn(
  session: AnySession,
  services: Services,
  start: SignInStart,
): Promise<{ client: ProviderClient; token: string }> {
  const row = await ('email' in start
    ? findByDomain(session, start.email)
    : findByIssuer(session, start.issuer, start.hint));
  if (row.movedTo !== null) throw misdirected(row.movedTo);
  const client = toClient(row, services);
  const { token, tokenHash } = generateToken();
  const { company, issuer, clientId } = client;
  const details = JSON.stringify({ issuer, clientId } satisfies z.input<typeof BegunSignIn>);
  await session.run(insertSsoChallenge, { hash: tokenHash, forCompany: company, details });
  return { client, token };
}

/**
 * Uses a challenge, which works once.
 * @returns undefined if it is unknown, used or expired, or if the company has another provider now
 * @throws ApiError 421 if the company was moved away
 */
export async function useChallenge(
  session: AnySession,
  services: Services,
  token: string,
): Promise<ProviderClient | undefined> {
  const challenge = await session.first(useSsoChallenge, { hash: hashToken(token) });
  if (challenge === undefined) return undefined;
  if (challenge.movedTo !== null) throw misdirected(challenge.movedTo);
  const row = await session.asOperator(challenge.company_id).first(findSso, {});
  return row !== undefined && isProvider(row, BegunSignIn.parse(challenge.details))
    ? toClient(row, services)
    : undefined;
}
