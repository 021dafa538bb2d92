import type { OpenApiMeta } from 'trpc-to-openapi';
import type { ZodType } from 'zod';
import type { Session } from '../../../database/session.ts';
import type { MemberScope } from '../../../entities/member/role.ts';
import type { Caller, Upload } from '../context.ts';
import type { Services } from '../services.ts';

/** Dates as `YYYY-MM-DD`, which begin at midnight UTC. See docs/versioning.md. */
export interface Deprecation {
  since: string;
  /** First date on which the operation may be removed. */
  sunset?: string;
}

/** One of several REST operations of a procedure. */
export interface Operation {
  openapi: NonNullable<OpenApiMeta['openapi']>;
  /** Schema of its input, in place of that of the procedure. */
  input: ZodType;
  /** Scopes that it needs beside those of the procedure. */
  scopes: readonly MemberScope[];
}

/** A procedure as a tool of MCP. */
interface ToolMeta {
  /** Reason why the procedure is not a tool. `docs/mcp.md` lists it too. */
  exclude?: string;
  /** Title, if the procedure has several REST operations. */
  title?: string;
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

/** A JSON object with the input fields. */
interface JsonBody {
  kind: 'json';
  /** Input fields that REST reads from the query, although the request has a body. */
  queryFields?: readonly string[];
  /** Maximum size of a JSON body in bytes, if it differs from the common limit. Over tRPC each body is JSON. */
  maxJsonBytes?: number;
}

/** A file before it is stored. */
interface ReceivedFile {
  /** Name of the format; empty if the operation takes any media type. */
  format: string;
  /** Media type as sent, with its parameters. */
  mediaType: string;
  /** Charset in lower case; of a format without one UTF-8. */
  charset: string;
  /** Valid input of the procedure, from the path and the query. */
  input: Readonly<Record<string, unknown>>;
  /** Client address; null without a connection. */
  address: string | null;
}

/** A format that an operation takes. */
export interface FileFormat {
  name: string;
  example: string;
  /** Maximum size in bytes, if it is smaller than that of the operation. */
  maxBytes?: number;
}

/** A file. The procedure finds it in `upload` of the context. */
export interface FileBody extends Omit<JsonBody, 'kind'> {
  kind: 'file';
  /** Formats by media type; `any` for every media type. */
  formats: Readonly<Record<string, FileFormat>> | 'any';
  /** Charsets of the formats beside UTF-8. */
  charsets?: readonly string[];
  /** Maximum size of the file in bytes. Without services it is the default, for the OpenAPI document. */
  maxBytes: (services?: Pick<Services, 'storage'>) => number;
  /** Stores the content as it arrives. If it throws, it keeps nothing. */
  store: (
    session: Session,
    file: ReceivedFile,
    content: AsyncIterable<Uint8Array>,
    services: Services | undefined,
  ) => Promise<Upload>;
  /** Deletes a stored file unless it is in use. It runs at the end of each request that stored a file. */
  discard: (session: Session, upload: Upload, services: Services | undefined) => Promise<void>;
}

/** Pages that REST streams as one response. */
export interface StreamedPages {
  /** Number of items that it fetches at a time. */
  pageSize: number;
  /** Input fields that a request for all items may not have. */
  forbiddenFields: readonly string[];
  /** Exceptions: fields that it may have all the same, because a sample is one page with `limit`. */
  allowedFields?: (fields: Readonly<Record<string, unknown>>) => readonly string[];
  /** Reads a page. The next one starts at `nextCursor`; after the last page, where it is null, the stream ends with `trailer`. */
  parsePage: (page: unknown) => { items: unknown[]; nextCursor: string | null; trailer?: object };
}

/** CSV file of a list. */
export interface CsvFile {
  /** Procedure that returns the file page by page. */
  procedure: string;
  name: string;
  pageSize: number;
  /** True if the first page has the number of rows, for `X-Total-Count`. */
  hasTotal?: boolean;
  /** The file of an item of the list, for the OpenAPI document. */
  example: (item: unknown) => string;
}

/** Streams that REST also sends, selected by `Accept`. */
interface Streams {
  /** All of these pages as NDJSON. */
  ndjson?: StreamedPages;
  /** Procedure that returns the list page by page with whole items, for exports, and the CSV file of the list. */
  export?: { procedure: string; csv: CsvFile };
  /** The list as CSV, beside `ndjson`. */
  csv?: CsvFile;
}

/** One JSON value, or nothing. */
export interface JsonResponse extends Streams {
  kind: 'json';
  /**
   * Procedure that REST calls instead of one that returns nothing. It takes the same input and returns the object for
   * `ETag` and `Prefer: return=representation`. Both procedures must have the same scopes.
   */
  variant?: string;
  /** Path for `Location`, with `{field}` replaced from the value. The success status becomes 201. */
  location?: `/${string}`;
  /** Success status if it is neither 200, 201 nor 204. `Location` is sent too if `location` is set. */
  status?: 202;
  /** Field that REST also sends as `X-Total-Count`. */
  totalCountField?: string;
  /** Field with a secret, which is shown once. REST does not record it for an `Idempotency-Key`, so a replay has no such field. */
  secretField?: string;
}

/** A bare array: whole, or one page if the client sends `limit`. */
export interface ListResponse extends Streams {
  kind: 'list';
  /**
   * Procedure that REST calls instead. It takes the same input and returns `{items, nextCursor, total}`. REST sends the items
   * as the body, and the rest as `Link` and `X-Total-Count`. Both procedures must have the same scopes.
   */
  variant: string;
  /**
   * Returns a whole list as JSON text built by PostgreSQL; undefined if it has more than `maxItems` items.
   * REST calls it first, because it avoids parsing rows and serializing them again.
   */
  listJson?: (session: Session, maxItems: number) => Promise<{ json: string; total: number } | undefined>;
}

/**
 * The item of the output `{upsert, item}`, which has a version. REST sends `X-Upsert`, `ETag`, and 201 with `Location` if the
 * item was created.
 */
export interface UpsertResponse {
  kind: 'upsert';
  variant?: never;
  /** Path for `Location`, with `{field}` replaced from the item. */
  location: `/${string}`;
}

/** The bytes of a file, as an attachment. The output is `FileContent` (`procedures/schemas/file-content.ts`). */
export interface BytesResponse {
  kind: 'bytes';
  variant?: never;
}

/** Metadata of a procedure for REST, MCP and the command line. */
export interface Meta extends OpenApiMeta {
  mcp?: ToolMeta;
  /** Callers that the procedure admits. */
  callers?: readonly Caller[];
  /** Scopes that the procedure requires, all of them; empty for any scope. Undefined for procedures without a company. */
  scopes?: readonly MemberScope[];
  /** Body that REST takes; by default JSON if the input has fields outside of the path. */
  body?: JsonBody | FileBody;
  /** True if the REST operations also exist below `/session`, for the browsers of members: those that move files (contract, section 19). */
  session?: true;
  /** Response of REST; by default JSON with status 200, or 204 without an output. */
  response?: JsonResponse | ListResponse | UpsertResponse | BytesResponse;
  /** REST operations in place of `openapi`, if the procedure has several. */
  operations?: readonly Operation[];
  /** Set on a POST that changes one resource, so that `If-Match` applies. */
  targetsItem?: true;
  /**
   * Check of the input that waits for something other than the database. REST runs it before the transaction of a request with
   * an `Idempotency-Key`, which would hold a connection meanwhile. The procedure runs the same check.
   */
  beforeTransaction?: (services: Services, input: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Description of the command for `--help`. */
  description?: string;
  /** Set if a command calls the procedure as one of its steps. It has no command of its own. */
  isStep?: true;
  /** Set on a mutation that a frozen company does not reject: it writes no rows of the company, or belongs to its move. */
  worksWhileFrozen?: true;
  /**
   * Dates of the deprecation and the removal, such as `{ since: '2026-03-01', sunset: '2027-01-01' }`. The headers and the OpenAPI
   * flag follow from them. The service does not start if they are less than 180 days apart.
   */
  deprecated?: Deprecation;
  /** Response field that decides the exit code: the command fails unless it is true. */
  exitCodeField?: string;
}
