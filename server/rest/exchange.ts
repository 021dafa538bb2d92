import type { ParameterizedContext } from 'koa';
import type { Context } from '../../procedures/core/context.ts';
import type { Services } from '../../procedures/core/services.ts';
import type { AuthenticationResult } from '../auth/credentials.ts';
import type { RateLimits } from '../auth/rate-limit.ts';
import { requestControl } from '../auth/request-control.ts';
import type { RequestState } from '../http/request-state.ts';
import { FileUpload } from './body/file.ts';
import { frameworkFromPath, readInput } from './input.ts';
import type { RawInput } from './input.ts';
import type { PathInput } from './match-route.ts';
import { parseRequestHeaders } from './request-headers.ts';
import type { Route } from './route.ts';

/** Services of the handler. */
export interface ExchangeServices {
  limits?: RateLimits | undefined;
  services?: Services | undefined;
}

export type Exchange = ReturnType<typeof createExchange>;

/** Creates one request for a procedure. Each kind of response calls the procedure as often as it needs. */
export function createExchange(
  ctx: ParameterizedContext<RequestState>,
  { route, path }: { route: Route; path: PathInput },
  context: Context,
  authenticateAgain: () => Promise<AuthenticationResult>,
  { limits, services }: ExchangeServices,
) {
  const requestHeaders = parseRequestHeaders(route, ctx.req, ctx.querystring);
  const { ifMatch, mustExist, createOnly } = requestHeaders;
  const framework = frameworkFromPath(path);
  const control = requestControl(ctx, context, authenticateAgain, limits);
  const isDryRun = isDryRunRequest(route, ctx);
  const upload = FileUpload.of(ctx, route, context, control);
  let input: Promise<RawInput> | undefined;
  /** Reads the input once. The procedure calls it after the authorization, so no body is read before it. */
  const getInput = () => (input ??= readInput(route, path, ctx, requestHeaders, upload));
  const callProcedure = (callContext = context, getRawInput = getInput, batchSize?: number): Promise<unknown> =>
    route.call(
      { ...callContext, ...control, services, framework, ifMatch, mustExist, createOnly, batchSize, upload },
      getRawInput,
    );
  /** Every page authenticates the key again, so revoking the key ends the stream. */
  const pageFetcher =
    (limit: number, batchSize?: number) =>
    async (cursor: string): Promise<unknown> =>
      callProcedure(
        (await authenticateAgain()).context,
        async () => ({ ...(await getInput()), limit, cursor }),
        batchSize,
      );
  return {
    ctx,
    route,
    context,
    services,
    framework,
    requestHeaders,
    isDryRun,
    upload,
    getInput,
    callProcedure,
    pageFetcher,
  };
}

/**
 * True if the request writes nothing, and so is not recorded under an `Idempotency-Key`. A dry run of a file is recorded,
 * because the file is stored. The input schema rejects other values.
 */
const isDryRunRequest = ({ body, queryFields }: Route, { querystring }: { querystring: string }) =>
  body?.kind !== 'file' &&
  querystring !== '' &&
  queryFields.includes('dryRun') &&
  new URLSearchParams(querystring).get('dryRun') === 'true';
