import type { AnyTRPCRouter } from '@trpc/server';
import { z } from 'zod';
import { definitionOf } from '../../../procedures/core/declaration/compile.ts';
import { isVersionedSchema, responseEntityTag } from '../../../procedures/schemas/entity-tag.ts';
import type { JsonResponse } from '../../../procedures/core/declaration/meta.ts';
import type { Exchange } from '../exchange.ts';
import { isCurrentState } from '../request-headers.ts';
import type { JsonRoute } from '../route.ts';
import { getField, setJson, setLocation } from './target.ts';
import type { ResponseTarget } from './target.ts';

/** @throws Error if the procedure has no such response */
export function compileJson(router: AnyTRPCRouter, procedure: string, response: JsonResponse): JsonRoute {
  const { output } = definitionOf(router, procedure);
  const { secretField, variant, location, status } = response;
  if (secretField !== undefined && !(output instanceof z.ZodObject && Object.hasOwn(output.shape, secretField)))
    throw new Error(`${procedure}: secretField must be a field of the response`);
  const noContent = output instanceof z.ZodVoid;
  return {
    ...response,
    hasEntityTag: isVersionedSchema(variant === undefined ? output : definitionOf(router, variant).output),
    noContent,
    successStatus: status ?? (noContent ? 204 : location === undefined ? 200 : 201),
    representation: variant === undefined ? undefined : outputSchemaName(router, variant),
  };
}

/** Returns the name of the output schema of a procedure in the OpenAPI document. */
function outputSchemaName(router: AnyTRPCRouter, procedure: string): string | undefined {
  const { output } = definitionOf(router, procedure);
  return output && z.globalRegistry.get(output)?.id;
}

/** Writes the output of a procedure as the request headers demand. */
export function writeJson(
  target: ResponseTarget,
  { ctx, requestHeaders: { prefer, matchesIfNoneMatch }, isDryRun }: Exchange,
  { hasEntityTag, noContent, successStatus, location, totalCountField }: JsonRoute,
  output: unknown,
): void {
  // A past state gets no entity tag, so that no client sends it in `If-Match` for the current state.
  if (hasEntityTag && isCurrentState(ctx.querystring)) {
    const entityTag = responseEntityTag(output);
    target.set('ETag', `"${entityTag}"`);
    if (matchesIfNoneMatch(entityTag)) {
      target.status = 304;
      return;
    }
  }
  if (isDryRun) target.set('X-Dry-Run', 'true');
  if (prefer !== undefined) target.set('Preference-Applied', `return=${prefer}`);
  if (noContent && prefer !== 'representation') {
    target.body = null; // before the status, which Koa would set to 204
    target.status = successStatus;
    return;
  }
  target.status = noContent ? 200 : successStatus;
  if (location !== undefined && !isDryRun) setLocation(target, location, output);
  if (totalCountField !== undefined) target.set('X-Total-Count', String(getField(output, totalCountField)));
  setJson(target, output);
}
