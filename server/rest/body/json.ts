import type { Context } from 'koa';
import type { z } from 'zod';
import type { Meta } from '../../../procedures/core/declaration/meta.ts';
import { MAX_BODY_BYTES, readJsonBody } from '../../http/body/json-body.ts';
import type { JsonBodyRoute } from '../route.ts';

/** Methods with a request body. */
const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * @param fields input fields in the body
 * @param isObject false if the input has more than these fields
 * @returns undefined if the operation takes no body
 */
export function compileJsonBody(
  method: string,
  { body }: Meta,
  fields: readonly z.core.$ZodType[],
  isObject: boolean,
): JsonBodyRoute | undefined {
  if (!METHODS_WITH_BODY.has(method) || (fields.length === 0 && isObject)) return undefined;
  const isOptional = method === 'POST' && fields.every((field) => field._zod.optin !== undefined);
  return { kind: 'json', isOptional, maxBytes: body?.maxJsonBytes ?? MAX_BODY_BYTES };
}

/** Reads the input fields in the body. @throws ApiError 415, 413 or 400 */
export const readJsonFields = async (
  ctx: Context,
  { isOptional, maxBytes }: JsonBodyRoute,
): Promise<Record<string, unknown>> => (isOptional && isBodyEmpty(ctx) ? {} : readJsonBody(ctx, maxBytes));

/** Returns true for a request without a body. https://www.rfc-editor.org/rfc/rfc9112#section-6.3 */
const isBodyEmpty = ({ req: { headers } }: Context) =>
  headers['transfer-encoding'] === undefined && [undefined, '0'].includes(headers['content-length']);
