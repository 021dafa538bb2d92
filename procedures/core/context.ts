import type { OpenApiMeta } from 'trpc-to-openapi';
import type { ZodType } from 'zod';
import type { Session } from '../../database/session.ts';
import type { ApiError } from '../../entities/api-error.ts';
import type { Principal } from '../../entities/principal.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import type { MemberScope } from '../../entities/member/role.ts';
import type { ImportKind } from '../../entities/import/import.ts';
import type { CsvFile } from '../import/export.ts';
import type { Upload } from '../import/upload.ts';
import type { SignInAttempts } from '../sign-in/attempts.ts';
import type { StreamedPages } from '../schemas/pagination.ts';
import type { Services } from './services.ts';

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

/** Context of one request, created by authentication. */
export interface Context {
  requestId: string;
  caller: Caller;
  /** Has no principal if the operator did not select a company. */
  session: Session<Principal | null>;
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
  /** IP address of the client; null without a connection. */
  address: string | null;
  /** Framework in the REST path, known before the body is read. */
  framework?: number | undefined;
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
  /**
   * Error that a mutation throws instead of running its resolver, after the authorization, the input schema and all
   * middlewares. REST sets it to run them before it replays an idempotent response (docs/decisions, 0027).
   */
  abortBeforeResolver?: ApiError | undefined;
}

/** Dates as `YYYY-MM-DD`, which begin at midnight UTC. See docs/versioning.md. */
export interface Deprecation {
  since: string;
  /** First date on which the operation may be removed. */
  sunset?: string;
}

/** Metadata of a procedure for REST and the command line. */
export interface Meta extends OpenApiMeta {
  /** Path for `Location`, with `{field}` replaced from the response. The success status becomes 201. */
  location?: `/${string}`;
  /** Callers that the procedure admits. */
  callers?: readonly Caller[];
  /** Scopes that the procedure requires, all of them; empty for any scope. Undefined for procedures without a company. */
  scopes?: readonly MemberScope[];
  /** Enables a REST response with all of these pages as NDJSON, selected by `Accept`. */
  ndjson?: StreamedPages;
  /** Set if the procedure throws `cursor_lost`. */
  cursorMayBeLost?: boolean;
  /**
   * Procedure that REST calls instead of one that returns a bare array. It takes the same input and returns
   * `{items, nextCursor, total}`. REST sends the items as the body, and the rest as `Link` and `X-Total-Count`.
   * Both procedures must have the same scopes and middlewares.
   */
  pagedVariant?: string;
  /**
   * Returns a whole list as JSON text built by PostgreSQL; undefined if it has more than `maxItems` items.
   * REST calls it first, because it avoids parsing rows and serializing them again.
   */
  listJson?: (session: Session, maxItems: number) => Promise<{ json: string; total: number } | undefined>;
  /** Set if the response is a task or a vendor. REST then sends its entity tag as `ETag`. */
  hasEntityTag?: boolean;
  /**
   * Procedure that REST calls instead of one that returns nothing. It takes the same input and returns the object for
   * `ETag` and `Prefer: return=representation`. Both procedures must have the same scopes and middlewares.
   */
  returningVariant?: string;
  /** Input fields that REST reads from the query, although the request has a body. */
  queryFields?: readonly string[];
  /**
   * Set if the output is `{upsert, item}`. REST sends the item, `X-Upsert`, and 201 with `Location` if it was created.
   * `location` and `hasEntityTag` then refer to the item.
   */
  isUpsert?: boolean;
  /** Success status if it is neither 200, 201 nor 204. `Location` is sent too if `location` is set. */
  successStatus?: 202;
  /** Maximum size of a request body in bytes, if it differs from the common limit. */
  maxBodyBytes?: number;
  /** Procedure that returns the list page by page with whole items, for exports, and the CSV file of its items. */
  export?: { procedure: string; csv: (hasSource: boolean) => CsvFile };
  /** Resources in the file that REST takes as the body. The procedure finds the file in `upload` of the context. */
  fileUpload?: ImportKind;
  /** Response field that REST also sends as `X-Total-Count`. */
  totalCountField?: string;
  /** Schemas of REST and of batches, if tRPC has further fields. */
  rest?: { input?: ZodType; output?: ZodType };
  /**
   * Response field with a secret, which is shown once. REST does not record it for an `Idempotency-Key`, so a replay has no
   * such field.
   */
  secretField?: string;
  /**
   * Check of the input that waits for something other than the database. REST runs it before the transaction of a request with
   * an `Idempotency-Key`, which would hold a connection meanwhile. The procedure runs the same check.
   */
  beforeTransaction?: (services: Services, input: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Description of the command for `--help`. */
  description?: string;
  /** Deprecation and removal dates of the operation. */
  deprecated?: Deprecation;
  /** Response field that decides the exit code: the command fails unless it is true. */
  exitCodeField?: string;
}
