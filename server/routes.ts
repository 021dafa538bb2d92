import {
  acceptsRequestBody,
  forEachOpenApiProcedure,
  getInputOutputParsers,
  getPathParameters,
  instanceofZodTypeKind,
  instanceofZodTypeObject,
  unwrapZodType,
} from 'trpc-to-openapi';
import type { AppRouter } from '../procedures/index.ts';
import type { Meta } from '../procedures/trpc.ts';

/** One operation of the REST face, made from a procedure's `meta.openapi`. */
export interface Route {
  method: string;
  /** The path with its `{parameters}`, as the document shows it. */
  template: string;
  pattern: RegExp;
  /** Name of the procedure: `vendor.get`. */
  procedure: string;
  type: 'query' | 'mutation';
  pathParameters: string[];
  /** Inputs from the path or the query whose text stands for a number. */
  numbers: Set<string>;
  takesBody: boolean;
  /** Whether success has nothing to say: 204. */
  isSilent: boolean;
  location: string | undefined;
  totalCount: string | undefined;
  /** Whether all its pages are also given as lines. */
  everyPage: boolean;
  /** Whether a key may lack the right to it: 403. */
  needsRight: boolean;
}

/** Every REST operation of the router. */
export function routesOf(router: AppRouter): Route[] {
  const routes: Route[] = [];
  forEachOpenApiProcedure<Meta>(router._def.procedures, ({ path: procedure, type, procedure: called, meta }) => {
    if (type === 'subscription') throw new Error(`${procedure}: REST has no subscriptions`);
    const { method, path: template } = meta.openapi;
    const { inputParser, outputParser } = getInputOutputParsers(called);
    const input = unwrapZodType(inputParser, true);
    const shape = instanceofZodTypeObject(input) ? Object.entries(input.shape) : [];
    routes.push({
      method,
      template,
      pattern: new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/?$`),
      procedure,
      type,
      pathParameters: getPathParameters(template),
      numbers: new Set(
        shape.filter(([, field]) => instanceofZodTypeKind(unwrapZodType(field, true), 'number')).map(([name]) => name),
      ),
      takesBody: acceptsRequestBody(method),
      isSilent: outputParser !== undefined && instanceofZodTypeKind(outputParser, 'void'),
      location: meta.location,
      totalCount: meta.totalCount,
      everyPage: meta.everyPage === true,
      needsRight: meta.right !== undefined,
    });
  });
  return routes;
}
