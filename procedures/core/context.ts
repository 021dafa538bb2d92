import type { Session } from '../../database/session.ts';
import type { ApiError } from '../../entities/api-error.ts';
import type { Principal } from '../../entities/principal.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import type { Services } from './services.ts';
import type { SpooledFile } from './storage.ts';

/** A session with or without a principal. */
export type AnySession = Session<Principal | null>;

/** Type of a credential. API keys and members belong to one company; the operator manages every company. */
export type Caller = 'apiKey' | 'member' | 'operator';

/** Browser session of a member. */
export interface WebSession {
  uniqueId: string;
  /** uniqueId of the person. */
  person: string;
  /** True after single sign-on: the session acts only for the company of the identity provider. */
  singleSignOn: boolean;
}

/** Account and address that an attempt to sign in counts for. */
export interface AttemptSubject {
  /** Null without a network connection. */
  address?: string | null;
  /** In lower case. It may belong to no person. */
  email?: string;
}

/** Limits of failed sign-ins. Contract, section 16. */
export interface SignInAttempts {
  /**
   * Runs an attempt to sign in. It is counted before it starts, so that concurrent attempts cannot exceed the limits, and
   * stays counted if it throws a `SignInError` that is a failure.
   * @throws ApiError 429 above a limit, without running the attempt
   */
  limit<T>(subject: AttemptSubject, attempt: () => Promise<T>): Promise<T>;
}

/** A file that is stored but not used yet. */
export interface Upload {
  uniqueId: string;
  bytes: number;
  /** SHA-256 of the content, in hexadecimal digits. */
  sha256: string;
  /** Media type as sent, if the operation takes any. */
  mediaType?: string;
  /** File on the disk of this process, if it is kept there until the resolver runs. */
  spooled?: SpooledFile;
}

/** Context of one request, created by authentication. */
export interface Context {
  requestId: string;
  caller: Caller;
  /** Has no principal if the operator did not select a company. */
  session: AnySession;
  /** Browser session of a member; undefined for other callers. */
  webSession?: WebSession | undefined;
  /** Services beside the database. Undefined for direct callers without people. */
  services?: Services | undefined;
  /** Limits of failed sign-ins, for procedures that verify a password or a code. Undefined for direct callers. */
  attempts?: SignInAttempts | undefined;
  /**
   * Sends the browser a new token for its session. Undefined for direct callers.
   * @throws ApiError if the response has begun
   */
  setSessionToken?: ((token: string) => void) | undefined;
  /** URL of the cell to which the company of an operator's request was moved; undefined for a company that is here. */
  movedTo?: string | undefined;
  /** IP address of the client; null without a connection. */
  address: string | null;
  /** Framework in the REST path, known before the body is read. */
  framework?: number | undefined;
  /** True if the request writes nothing. REST knows it before the body is read; undefined if `dryRun` of the input decides. */
  isDryRun?: boolean | undefined;
  /**
   * Maximum number of items that an unpaged list returns in one call; undefined for all items. REST sets it to stream the
   * list in batches. Only the first batch counts the total.
   */
  batchSize?: number | undefined;
  /** Entity tags from `If-Match`: the resource must have one of them. Undefined or null matches any resource. */
  ifMatch?: IfMatch | undefined;
  /** True for any `If-Match` on PUT, also `*`: the resource must exist. */
  mustExist?: boolean | undefined;
  /** True for `If-None-Match: *` on PUT: the resource must not exist. */
  createOnly?: boolean | undefined;
  /**
   * Counts further requests against the rate limit of the key, for calls that do the work of several.
   * Undefined without a rate limit.
   * @throws ApiError `rate_limited`
   */
  consumeRequests?: ((requests: number) => Promise<void>) | undefined;
  /**
   * Runs work that only waits. Meanwhile the request occupies no slot of the load shedder. Undefined for direct callers.
   * @returns the session of the key, authenticated again, with a new deadline
   * @throws ApiError if the key is no longer valid
   */
  suspend?: ((work: (disconnected: AbortSignal) => Promise<void>) => Promise<Session>) | undefined;
  /** File in the body of the request. REST stores it before the resolver runs. */
  upload?: { file: Upload | undefined } | undefined;
  /** Runs a call of a batch when it is its turn. Undefined for other calls, and for those that a resolver makes. */
  runCall?: (<T>(call: () => Promise<T>) => Promise<T>) | undefined;
  /**
   * Error that a mutation throws instead of running its resolver, after the authorization, the input schema and all
   * middlewares. REST sets it to run them before it replays an idempotent response (decision 0027).
   */
  abortBeforeResolver?: ApiError | undefined;
}
