import type { AnyTRPCRouter } from '@trpc/server';
import type { Context as KoaContext, Middleware } from 'koa';
import type { Context } from '../../procedures/core/context.ts';
import type { Services } from '../../procedures/core/services.ts';
import { appRouter } from '../../procedures/index.ts';
import { LIST_BATCH_SIZE, LIST_PAGES, iteratePages, forbidFields } from '../../procedures/schemas/pagination.ts';
import type { Authentication } from '../auth/authenticate.ts';
import type { RateLimits } from '../auth/rate-limit.ts';
import { requestControl } from '../auth/request-control.ts';
import { isSafeMethod } from '../http/error-handler.ts';
import type { RequestState } from '../http/request-state.ts';
import { respondIdempotently } from './idempotent-call.ts';
import { frameworkFromPath, readInput } from './input.ts';
import type { RawInput } from './input.ts';
import { exportRequest } from './export.ts';
import { FileUpload } from './file-upload.ts';
import { parseRequestHeaders } from './request-headers.ts';
import { getField, writeResponse, writeJsonList } from './response.ts';
import { literalsFirst, matchRoute } from './match-route.ts';
import { compileRoutes } from './routes.ts';
import type { Route } from './routes.ts';
import { JSON_ARRAY, NDJSON, streamItems, acceptsNdjson } from './stream.ts';

/** Pages of a list that is sent as a file. */
const EXPORT_PAGES = { ...LIST_PAGES, pageSize: LIST_BATCH_SIZE };

interface RestOptions {
  limits?: RateLimits | undefined;
  services?: Services | undefined;
  router?: AnyTRPCRouter;
}

/**
 * Serves the procedures that have `meta.openapi` over REST. It replaces the Koa adapter of trpc-to-openapi, because the
 * contract forbids that adapter's type coercions and error bodies (docs/decisions, 0002). The contract, section 2, defines
 * the order of the checks.
 */
export function restHandler(
  authenticate: Authentication['apiKey'],
  { limits, services, router = appRouter }: RestOptions = {},
): Middleware<RequestState> {
  const routes = literalsFirst(compileRoutes(router));
  return async (ctx) => {
    const { requestId } = ctx.state;
    const credentials = { headers: ctx.req.headers, address: ctx.ip, requestId, readOnly: isSafeMethod(ctx.method) };
    const { context, headers: warnings } = await authenticate(credentials);
    ctx.state.principal = context.session.principal;
    ctx.set(warnings);
    const rateLimitError = await limits?.consume(ctx.res, context);
    const { route: listRoute, path } = matchRoute(routes, ctx);
    const exported = exportRequest(listRoute, ctx);
    const route = exported?.route ?? listRoute;
    ctx.state.route = route.template;
    if (route.deprecationHeaders !== undefined) ctx.set(route.deprecationHeaders);
    if (rateLimitError !== undefined) throw rateLimitError;
    const requestHeaders = parseRequestHeaders(route, ctx.req, ctx.querystring);
    const { ifMatch, mustExist, createOnly } = requestHeaders;
    const framework = frameworkFromPath(path);
    const control = requestControl(ctx, context, () => authenticate(credentials), limits);
    const isDryRun = isDryRunRequest(route, ctx);
    const upload = FileUpload.of(ctx, route, context, control);
    const call = (callContext: Context, getRawInput: () => Promise<RawInput>, batchSize?: number) =>
      route.call(
        { ...callContext, ...control, services, framework, ifMatch, mustExist, createOnly, batchSize, upload },
        getRawInput,
      );
    let input: Promise<RawInput> | undefined;
    // The procedure calls this after the authorization, so no body is read before it.
    const getInput = () => (input ??= readInput(route, path, ctx, requestHeaders, upload));
    // Every page authenticates the key again, so revoking the key ends the stream.
    const pageFetcher =
      (limit: number, batchSize?: number) =>
      async (cursor: string): Promise<unknown> =>
        call(
          (await authenticate(credentials)).context,
          async () => ({ ...(await getInput()), limit, cursor }),
          batchSize,
        );

    const pages = exported === undefined ? route.ndjson : EXPORT_PAGES;
    if (pages !== undefined && (exported !== undefined || acceptsNdjson(ctx))) {
      const { format } = exported ?? { format: NDJSON };
      const first = await call(context, async () => {
        const fields = await getInput();
        forbidFields(fields, pages.forbiddenFields, format.contentType.replace(/;.*/, ''));
        return { ...fields, limit: pages.pageSize };
      });
      if (exported !== undefined) ctx.set('X-Total-Count', String(getField(first, 'total')));
      await streamItems(ctx, format, iteratePages(pages, first, pageFetcher(pages.pageSize)));
    } else if (route.bareArray && !new URLSearchParams(ctx.querystring).has('limit')) {
      const listJson = ctx.querystring === '' ? await route.listJson?.(context, LIST_BATCH_SIZE) : undefined;
      if (listJson !== undefined) {
        writeJsonList(ctx, listJson);
        return;
      }
      // A longer or filtered list is streamed in batches.
      const first = await call(context, getInput, LIST_BATCH_SIZE);
      ctx.set('X-Total-Count', String(getField(first, 'total')));
      const fetchPage = pageFetcher(LIST_BATCH_SIZE, LIST_BATCH_SIZE);
      await streamItems(ctx, JSON_ARRAY, iteratePages(LIST_PAGES, first, fetchPage));
    } else {
      try {
        if (requestHeaders.idempotencyKey === undefined || isDryRun)
          writeResponse(ctx, ctx, route, await call(context, getInput), requestHeaders, isDryRun);
        else
          await respondIdempotently(ctx, route, framework, requestHeaders, {
            context: { ...context, services },
            getInput,
            call,
            upload,
          });
      } finally {
        await upload?.discard();
      }
    }
  };
}

/**
 * True if the request writes nothing, and so is not recorded under an `Idempotency-Key`. A dry run of an import is recorded,
 * because it creates an import. The input schema rejects other values.
 */
const isDryRunRequest = ({ fileUpload, queryFields }: Route, { querystring }: KoaContext) =>
  fileUpload === undefined &&
  querystring !== '' &&
  queryFields.includes('dryRun') &&
  new URLSearchParams(querystring).get('dryRun') === 'true';
