import type { Context } from 'koa';
import type { z } from 'zod';
import type { Meta } from '../../../procedures/core/meta.ts';
import { MAX_BODY_BYTES, readJsonBody } from '../../http/body/json-body.ts';
import type { JsonBodyRoute } from '../route.ts';

/** @param fields input fields in the body */
export const compileJsonBody = (method: string, { body }: Meta, fields: readonly z.core.$ZodType[]): JsonBodyRoute => ({
  kind: 'json',
  isOptional: method === 'POST' && fields.every((field) => field._zod.optin !== undefined),
  maxBytes: body?.maxJsonBytes ?? MAX_BODY_BYTES,
});

/** Reads the input fields in the body. @throws ApiError 415, 413 or 400 */
export const readJsonFields = async (
  ctx: Context,
  { isOptional, maxBytes }: JsonBodyRoute,
): Promise<Record<string, unknown>> => (isOptional && isBodyEmpty(ctx) ? {} : readJsonBody(ctx, maxBytes));

/** Returns true for a request without a body. https://www.rfc-editor.org/rfc/rfc9112#section-6.3 */
const isBodyEmpty = ({ req: { headers } }: Context) =>
  headers['transfer-encoding'] === undefined && [undefined, '0'].includes(headers['content-length']);
