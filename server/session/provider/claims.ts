import type { IDToken, UserInfoResponse } from 'openid-client';
import { MAX_SUBJECT_LENGTH } from '../../../entities/single-sign-on/sso.ts';
import type { VerifiedClaims } from '../../../procedures/single-sign-on/account.ts';

/** Seconds by which the clock of a provider may be ahead. */
const MAX_CLOCK_LEAD_SECONDS = 300;

/**
 * 1 to 255 characters without NUL, which PostgreSQL does not store.
 * https://openid.net/specs/openid-connect-core-1_0.html#IDToken
 */
const SUBJECT_PATTERN = new RegExp(`^[^\\0]{1,${MAX_SUBJECT_LENGTH}}$`, 'su');

/** Checks claims of an ID token that the library does not check. @throws Error if one is invalid */
export function checkIdToken({ sub, aud, azp, iat }: IDToken, clientId: string): void {
  // The database would store each lone surrogate as U+FFFD, so that two accounts would be one.
  if (!SUBJECT_PATTERN.test(sub) || !sub.isWellFormed())
    throw new Error(`sub: expected 1 to ${MAX_SUBJECT_LENGTH} characters`);
  const hasOneAudience = !Array.isArray(aud) || aud.length === 1;
  if (hasOneAudience && azp !== undefined && azp !== clientId) throw new Error('azp: expected this client');
  if (iat > Date.now() / 1000 + MAX_CLOCK_LEAD_SECONDS) throw new Error('iat: expected a time in the past');
}

/** Returns true if userinfo is needed: the email of an ID token, or its verification, is missing. */
export const needsUserInfo = (idToken: IDToken): boolean =>
  isMissing(idToken['email']) || isMissing(idToken['email_verified']);

/** Combines the claims of an ID token with those of userinfo. A verification holds only for the email beside it. */
export function toVerifiedClaims(idToken: IDToken, userInfo: UserInfoResponse | undefined): VerifiedClaims {
  const { iss: issuer, sub: subject } = idToken;
  const hasEmail = !isMissing(idToken['email']);
  const email = hasEmail ? idToken['email'] : userInfo?.email;
  const own = hasEmail ? idToken['email_verified'] : undefined;
  const emailVerified = isMissing(own) && isSameEmail(email, userInfo?.email) ? userInfo?.email_verified : own;
  return { issuer, subject, email, emailVerified, name: idToken['name'] ?? userInfo?.name };
}

const isMissing = (claim: unknown): boolean => claim === undefined || claim === null;

const isSameEmail = (first: unknown, second: unknown): boolean =>
  typeof first === 'string' && typeof second === 'string' && first.toLowerCase() === second.toLowerCase();
