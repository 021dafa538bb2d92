import type { OpenApiMeta } from 'trpc-to-openapi';
import type { ZodType } from 'zod';
import type { Session } from '../../database/session.ts';
import type { ImportKind } from '../../entities/import/import.ts';
import type { MemberScope } from '../../entities/member/role.ts';
import type { CsvFile } from '../import/export.ts';
import type { StreamedPages } from '../schemas/pagination.ts';
import type { Caller } from './context.ts';
import type { Services } from './services.ts';

/** Dates as `YYYY-MM-DD`, which begin at midnight UTC. See docs/versioning.md. */
export interface Deprecation {
  since: string;
  /** First date on which the operation may be removed. */
  sunset?: string;
}

/** A procedure as a tool of MCP. */
export interface ToolMeta {
  /** Reason why the procedure is not a tool. `docs/mcp.md` lists it too. */
  exclude?: string;
  /** Text for a model, if the description of the REST operation repeats the schema or has options that only HTTP has. */
  description?: string;
  /** Scopes that the procedure checks itself. A key with one of them sees the tool. */
  listedScopes?: readonly MemberScope[];
  /** Set if the procedure creates no resource, and neither deletes nor overwrites one. */
  isAdditive?: true;
  /** Set if the procedure may create, depending on its input. */
  mayCreate?: true;
  /** Set if the procedure concerns servers outside of this one. */
  isOpenWorld?: true;
}

/** Metadata of a procedure for REST, MCP and the command line. */
export interface Meta extends OpenApiMeta {
  mcp?: ToolMeta;
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
