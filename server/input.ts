import type { Context } from 'koa';
import { Refusal } from '../entities/refusal.ts';
import { readJsonBody } from './json-body.ts';
import { refuseUndecodable } from './query.ts';
import type { Route } from './routes.ts';
import type { Wishes } from './wishes.ts';

/** Parameters of a path, as they stand in it. */
export type PathInput = Readonly<Record<string, string>>;

/** What a procedure takes, before it is validated. */
export type RawInput = Record<string, unknown>;

const DECIMAL = /^(0|[1-9]\d*)$/;

/** Digits beyond what a number can tell apart are no id, whichever they are. */
const numberOf = (digits: string) => Math.min(Number(digits), Number.MAX_SAFE_INTEGER);

/** The framework that a path names, as far as it can be one. */
export function frameworkOf({ framework }: PathInput): number | undefined {
  if (framework === undefined) return undefined;
  const text = decode(framework);
  return DECIMAL.test(text) ? numberOf(text) : undefined;
}

/** The offset of a timestamp whose `+` was not percent-encoded: in a query string that is a space. */
const OFFSET = / (?=\d\d:\d\d$)/;

/** Path, query and body in one object, as the procedure's strict schema takes them. */
export async function inputOf(route: Route, path: PathInput, ctx: Context, { malformed }: Wishes): Promise<RawInput> {
  const { querystring } = ctx;
  const body = route.takesBody ? await readJsonBody(ctx) : undefined;
  if (malformed !== undefined) throw malformed;
  const given = body === undefined ? queryOf(querystring, route) : withoutQuery(body, querystring);
  for (const name of route.pathParameters) {
    if (Object.hasOwn(given, name)) throw new Refusal('invalid_request', `${name}: unknown field`);
    given[name] = valueOf(name, decode(path[name] ?? ''), route);
  }
  return given;
}

function withoutQuery(body: RawInput, querystring: string): RawInput {
  const [stray] = pairsOf(querystring);
  if (stray !== undefined) throw unknownParameter(stray[0], []);
  return body;
}

function queryOf(querystring: string, route: Route): RawInput {
  const pairs = pairsOf(querystring);
  const repeated = pairs.find(([name], index) => pairs.findIndex(([first]) => first === name) < index)?.[0];
  if (repeated !== undefined) throw new Refusal('invalid_request', `${repeated.slice(0, 100)}: given more than once`);
  const known = [...route.fields.keys()].filter((name) => !route.pathParameters.includes(name));
  const unknown = pairs.find(([name]) => !known.includes(name))?.[0];
  if (unknown !== undefined) throw unknownParameter(unknown, known);
  return Object.fromEntries(
    pairs.map(([name, text]) => [
      name,
      valueOf(name, route.moments.has(name) ? text.replace(OFFSET, '+') : text, route),
    ]),
  );
}

function unknownParameter(name: string, known: readonly string[]): Refusal {
  const names = known.length === 0 ? 'none' : known.join(', ');
  return new Refusal('invalid_request', `${name.slice(0, 100)}: unknown parameter; known: ${names}`);
}

function pairsOf(querystring: string): [string, string][] {
  if (querystring === '') return [];
  refuseUndecodable(querystring);
  return [...new URLSearchParams(querystring)];
}

const valueOf = (name: string, text: string, { numbers }: Route) =>
  numbers.has(name) && DECIMAL.test(text) ? numberOf(text) : text;

/** A malformed escape cannot be part of any id, and so stays as it is: what it names is not found. */
function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
