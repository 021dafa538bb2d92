import { z } from 'zod';
import type { SsoRow } from '../../entities/single-sign-on/sso.ts';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import { emailInput, withoutOverrides } from '../schemas/people.ts';
import { SignInError } from '../sign-in/attempts.ts';
import { isVisible } from '../../entities/fields/schemas.ts';

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
