import { ApiError, movedMessage } from '../../entities/api-error.ts';
import type { ErrorReason } from '../../entities/api-error.ts';
import type { SignInMethod } from '../../entities/sign-in/sign-in.ts';
import { MAX_ADDRESS_LENGTH, MAX_USER_AGENT_LENGTH } from '../../entities/sign-in/web-session.ts';
import { findNewCell } from '../../entities/member/companies.ts';
import type { PersonRow } from '../../entities/member/statements.ts';
import { addFailedSignIn } from '../../entities/sign-in/sign-in-log.ts';
import type { EntryBrowser } from '../../entities/sign-in/sign-in-log.ts';
import type { AnySession, SignInAttempts } from '../core/context.ts';
import type { Services } from '../core/services.ts';
import { verifySecondFactor } from './second-factor.ts';

/** Browser of a request, shown in the lists of sessions and sign-ins. */
export type Browser = EntryBrowser;

/** The browser as sessions and entries store it. */
export const toStoredBrowser = ({ userAgent, address }: Browser): Browser => ({
  userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH),
  address: address?.slice(0, MAX_ADDRESS_LENGTH) ?? null,
});

/** Dependencies of a sign-in, and the browser that sends it. */
export interface SignInRequest {
  /** Has no principal. */
  session: AnySession;
  requestId: string;
  services: Pick<Services, 'appUrl' | 'encryption' | 'hasMail'>;
  attempts: SignInAttempts;
  browser: Browser;
  /** Token of the session that the browser has until now; undefined without one. */
  currentToken: string | undefined;
}

/** Result of a sign-in that starts a session. */
export interface SignedIn {
  token: string;
  /** uniqueId of the person. */
  person: string;
  company: number;
  hasSecondFactor: boolean;
}

/** Cause of an error, for the log. */
type SignInProblem =
  | 'unknown_email'
  | 'unknown_token'
  | 'wrong_password'
  | 'wrong_code'
  | 'missing_code'
  | 'wrong_passkey'
  | 'no_password'
  | 'wrong_claims'
  | 'other_account'
  | 'unproven_account'
  | 'missing_password'
  | 'no_company'
  | 'moved_company';

/** Error of a sign-in. Only the log distinguishes its problem. */
export class SignInError extends ApiError {
  readonly problem: SignInProblem;
  /** uniqueId of the person, if known. */
  readonly person: string | undefined;

  constructor(problem: SignInProblem, reason: ErrorReason, message: string, person?: string) {
    super(reason, message);
    this.problem = problem;
    this.person = person;
  }

  /**
   * False if the person only has to send the code of the second factor, or the password for a link, too, or has to sign in to
   * another cell.
   */
  get isFailure(): boolean {
    return !['missing_code', 'missing_password', 'moved_company'].includes(this.problem);
  }
}

/**
 * The error for people of a company that was moved away. Throw it before a code or a challenge is used: browsers repeat a request
 * once that got 421. https://fetch.spec.whatwg.org/#http-network-or-cache-fetch
 * @param url of the cell that has the company
 */
export const movedAway = (url: string, person?: string) =>
  new SignInError('moved_company', 'misdirected', movedMessage(url), person);

/** The error for a link to a new password or address that does not work. */
export const unknownLink = () =>
  new SignInError('unknown_token', 'not_found', 'token: not found; the link was used or replaced, or has expired');

/** Rejects a request of a person whose companies were all moved away. @throws SignInError 421 */
export async function requirePersonHere(session: AnySession, person: string): Promise<void> {
  const cell = await session.first(findNewCell, { person });
  if (typeof cell?.movedTo === 'string') throw movedAway(cell.movedTo, person);
}

/** An attempt to sign in, for its entry in the list. */
interface Attempt {
  method: SignInMethod;
  email?: string | null;
  /** The only company that the method can sign in to. */
  onlyCompany?: number;
}

/**
 * Runs an attempt to sign in, and adds its failure to the list of each company of the person. An attempt above the limits adds
 * nothing, which bounds the lists. Neither does an unknown token of a link, which does not count as an attempt to sign in.
 */
export async function listFailure<T>(
  { session, browser }: Pick<SignInRequest, 'session' | 'browser'>,
  { method, email = null, onlyCompany }: Attempt,
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof SignInError && error.isFailure && error.problem !== 'unknown_token')
      await session.run(addFailedSignIn, {
        ...toStoredBrowser(browser),
        method,
        email,
        person: error.person ?? null,
        onlyCompany: onlyCompany ?? null,
      });
    throw error;
  }
}

/**
 * Requires the second factor of a person, if it is set up. Call it only after the right password.
 * @returns true if the code was verified, false if the person has no second factor
 * @throws SignInError `second_factor_required`
 */
export async function requireSecondFactor(
  { session, services }: Pick<SignInRequest, 'session' | 'services'>,
  person: PersonRow,
  code: string | undefined,
): Promise<boolean> {
  if (person.totp_confirmed_at === null) return false;
  if (code === undefined) throw secondFactorError('missing_code', 'code: required', person);
  if (await verifySecondFactor(session, services.encryption, person, code)) return true;
  throw secondFactorError('wrong_code', 'code: wrong, or used before', person);
}

const secondFactorError = (problem: SignInProblem, message: string, { unique_id: person }: PersonRow) =>
  new SignInError(problem, 'second_factor_required', message, person);
