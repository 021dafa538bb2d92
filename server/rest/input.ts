import type { Context } from 'koa';
import { ApiError } from '../../entities/api-error.ts';
import { fieldName } from '../../procedures/core/errors.ts';
import type { FileUpload } from './body.ts';
import { readJsonFields } from './body.ts';
import { requireUtf8 } from './request-headers.ts';
import type { RequestHeaders } from './request-headers.ts';
import type { Route, PathInput } from './route.ts';

/** Input of a procedure before validation. */
export type RawInput = Record<string, unknown>;

const DECIMAL = /^(0|[1-9]\d*)$/;

/** Converts digits to a number, capped at the largest safe integer. Every valid id and bound is below the cap. */
const toNumber = (digits: string) => Math.min(Number(digits), Number.MAX_SAFE_INTEGER);

/** Returns the framework id in the path, or undefined if it is absent or not a decimal integer. */
export function frameworkFromPath({ framework }: PathInput): number | undefined {
  if (framework === undefined) return undefined;
  const text = decodePathSegment(framework);
  return DECIMAL.test(text) ? toNumber(text) : undefined;
}

/** Matches a space before a UTC offset: a query string decodes an unescaped `+` to a space. */
const UNESCAPED_PLUS = / (?=\d\d:\d\d$)/;

/** Merges path, query and body into one object for the strict input schema of the procedure. */
export async function readInput(
  route: Route,
  path: PathInput,
  ctx: Context,
  { error }: RequestHeaders,
  upload?: FileUpload,
): Promise<RawInput> {
  const { querystring } = ctx;
  upload?.checkHeaders();
  const body = route.body?.kind === 'json' ? await readJsonFields(ctx, route.body) : {};
  if (error !== undefined) throw error;
  const query = parseQuery(querystring, route);
  // A field has one place: a query parameter in the body is as unknown as a body field in the query.
  const misplaced = route.body ? route.queryFields.find((name) => Object.hasOwn(body, name)) : undefined;
  if (misplaced !== undefined)
    throw new ApiError('invalid_request', `${misplaced}: unknown field; send it in the query`);
  const input = { ...body, ...query };
  for (const name of route.pathParameters) {
    if (Object.hasOwn(input, name)) throw new ApiError('invalid_request', `${name}: unknown field; it is in the path`);
    input[name] = coerceValue(name, decodePathSegment(path[name] ?? ''), route);
  }
  // A file is received only if nothing else is wrong, because it may be large.
  if (upload !== undefined && (await route.isValidInput(input))) await upload.receive(input);
  return input;
}

function parseQuery(querystring: string, route: Route): RawInput {
  const pairs = queryPairs(querystring);
  const duplicate = pairs.find(([name], index) => pairs.findIndex(([first]) => first === name) < index)?.[0];
  if (duplicate !== undefined) throw new ApiError('invalid_request', `${fieldName(duplicate)}: expected only once`);
  const unknown = pairs.find(([name]) => !route.queryFields.includes(name))?.[0];
  if (unknown !== undefined) throw unknownParameter(unknown, route.queryFields);
  return Object.fromEntries(
    pairs.map(([name, text]) => [
      name,
      coerceValue(name, route.timestampFields.has(name) ? text.replace(UNESCAPED_PLUS, '+') : text, route),
    ]),
  );
}

function unknownParameter(name: string, known: readonly string[]): ApiError {
  const names = known.length === 0 ? 'none' : known.join(', ');
  return new ApiError('invalid_request', `${fieldName(name)}: unknown parameter; known: ${names}`);
}

function queryPairs(querystring: string): [string, string][] {
  if (querystring === '') return [];
  requireUtf8(querystring);
  return [...new URLSearchParams(querystring)];
}

function coerceValue(name: string, text: string, { numericFields, booleanFields }: Route): string | number | boolean {
  if (numericFields.has(name) && DECIMAL.test(text)) return toNumber(text);
  if (booleanFields.has(name) && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** Text that no id equals, and that every field for text rejects. */
const MALFORMED = '\ud800';

/** Decodes a path segment. A segment with a malformed escape becomes text that is not well-formed. */
function decodePathSegment(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return MALFORMED;
  }
}
