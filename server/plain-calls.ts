import { TRPCError, getTRPCErrorShape } from '@trpc/server';
import { getHTTPStatusCode } from '@trpc/server/http';
import type { ParameterizedContext } from 'koa';
import type { Refusal } from '../entities/refusal.ts';
import { ERRORS, refusalOf } from '../procedures/errors.ts';
import { appRouter } from '../procedures/index.ts';
import { PART } from '../procedures/page.ts';
import { runnablesOf } from '../procedures/run.ts';
import type { Runnable } from '../procedures/run.ts';
import type { Context } from '../procedures/trpc.ts';
import { headersOf } from './refuse.ts';
import type { State } from './refuse.ts';

interface Call {
  procedure: Runnable;
  input: unknown;
}

/** Calls that need nothing of tRPC's adapter: known procedures, by their verb, with inputs in JSON. */
interface PlainCalls {
  calls: Call[];
  isBatch: boolean;
}

const METHOD = { query: 'GET', mutation: 'POST' } as const;

/** What the adapter alone understands; a client that names none of it is answered the same on either way. */
const OF_THE_ADAPTER = ['trpc-accept', 'x-trpc-source-stream'];

const procedures = runnablesOf(appRouter);

/**
 * The calls of a request, where they are plain: then they are run without the Fetch API's objects that tRPC's adapter makes
 * for each of them, which cost more than all else (docs/performance.md). test/plain-calls.test.ts holds the two equal.
 * @returns undefined for whatever the adapter has to look at
 */
export function plainCallsOf(ctx: ParameterizedContext<State>, body: unknown, most: number): PlainCalls | undefined {
  const query = new URLSearchParams(ctx.querystring);
  if (OF_THE_ADAPTER.some((name) => name in ctx.req.headers) || ctx.get('Accept').includes('jsonl')) return undefined;
  const isBatch = query.get('batch') === '1';
  const path = ctx.path.slice('/trpc/'.length);
  const names = isBatch ? path.split(',') : [path];
  if (names.length > most || query.has('connectionParams')) return undefined;
  const given = ctx.method !== 'POST' ? jsonOf(query.get('input')) : body === undefined ? undefined : { value: body };
  if (given === undefined || (isBatch && (typeof given.value !== 'object' || given.value === null))) return undefined;
  const calls = names.flatMap((name, index): Call[] => {
    const procedure = procedures.get(name);
    if (procedure === undefined || METHOD[procedure.type] !== ctx.method) return [];
    const { value } = given;
    return [{ procedure, input: isBatch && typeof value === 'object' && value ? Reflect.get(value, index) : value }];
  });
  return calls.length === names.length ? { calls, isBatch } : undefined;
}

/** A value that is wrapped, as it may itself be undefined; undefined for what is no JSON. */
function jsonOf(text: string | null): { value: unknown } | undefined {
  if (text === null) return { value: undefined };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Answers plain calls, each on its own, in the form of tRPC. */
export async function answerPlainCalls(
  ctx: ParameterizedContext<State>,
  { calls, isBatch }: PlainCalls,
  context: Context,
  report: (refusal: Refusal) => void,
): Promise<void> {
  const answers = await Promise.all(
    calls.map(async ({ procedure: { path, type, run, written }, input }) => {
      try {
        const list = input === undefined ? await written?.(context, PART) : undefined;
        if (list !== undefined) return { result: { data: new Written(list.json) } };
        return { result: { data: await run(context, async () => input) } };
      } catch (thrown) {
        const refusal = refusalOf(thrown);
        report(refusal);
        ctx.set(headersOf(refusal));
        return errorOf(refusal, { type, path, input, ctx: context });
      }
    }),
  );
  setHead(ctx, getHTTPStatusCode(answers));
  const texts = answers.map(textOf);
  ctx.body = isBatch ? `[${texts.join(',')}]` : texts[0];
}

/** Responds with one error to a whole batch that is too large, as tRPC's adapter does; its own error names no limit. */
export function answerError(
  ctx: ParameterizedContext<State>,
  refusal: Refusal,
  report: (refusal: Refusal) => void,
): void {
  report(refusal);
  ctx.set(headersOf(refusal));
  const answer = errorOf(refusal, { type: 'unknown', path: undefined, input: undefined, ctx: undefined });
  setHead(ctx, getHTTPStatusCode(answer));
  ctx.body = JSON.stringify(answer);
}

interface FailedCall {
  type: 'query' | 'mutation' | 'unknown';
  path: string | undefined;
  input: unknown;
  ctx: Context | undefined;
}

function errorOf(refusal: Refusal, call: FailedCall) {
  const error = new TRPCError({ code: ERRORS[refusal.code].trpc, message: refusal.message, cause: refusal });
  return { error: getTRPCErrorShape({ config: appRouter._def._config, error, ...call }) };
}

function setHead(ctx: ParameterizedContext<State>, status: number): void {
  ctx.status = status;
  ctx.vary('trpc-accept, accept');
  ctx.set('Content-Type', 'application/json');
}

/** What a procedure gave, in JSON that PostgreSQL wrote. */
class Written {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

const textOf = (answer: { result?: { data?: unknown }; error?: unknown }): string =>
  answer.result?.data instanceof Written ? `{"result":{"data":${answer.result.data.json}}}` : JSON.stringify(answer);
