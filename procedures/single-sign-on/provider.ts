import { z } from 'zod';
import { ApiError, misdirected } from '../../entities/api-error.ts';
import { insertSsoChallenge, useSsoChallenge } from '../../entities/single-sign-on/challenge.ts';
import { findSso, findSsoByDomain } from '../../entities/single-sign-on/settings.ts';
import type { SsoRow } from '../../entities/single-sign-on/settings.ts';
import type { AnySession } from '../core/context.ts';
import { clientSecretPlace } from '../core/encryption.ts';
import { requireEncryption } from '../core/services.ts';
import type { Services } from '../core/services.ts';
import { generateToken, hashToken } from '../sign-in/tokens.ts';
import { domainOf } from './account.ts';

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

/**
 * Finds the provider for the domain of an email, and stores a challenge. The response does not depend on the person.
 * @returns the token for the cookie of the browser
 * @throws ApiError 422 if no company has this domain, 421 if the company was moved away
 */
export async function beginSingleSignOn(
  session: AnySession,
  services: Services,
  email: string,
): Promise<{ client: ProviderClient; token: string }> {
  const row = await session.first(findSsoByDomain, { domain: domainOf(email) });
  if (row === undefined) throw new ApiError('unprocessable', 'email: this domain has no single sign-on');
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
