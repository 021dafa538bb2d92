import { z } from 'zod';
import { appRouter, serviceRouter } from '../../../../procedures/index.ts';
import { definitionOf } from '../../../../procedures/core/declaration/compile.ts';
import type { Meta } from '../../../../procedures/core/declaration/meta.ts';
import { compileRoutes } from '../../../../server/rest/routes.ts';
import type { HttpRequest } from './http-client.ts';
import { withoutReferences } from '../generators/json-schema.ts';
import type { Schema } from '../generators/json-schema.ts';

/** A tRPC procedure with the schema of its input. */
export interface Procedure {
  name: string;
  type: 'query' | 'mutation';
  callers: Meta['callers'];
  /** Fields of the input. */
  fields: Record<string, Schema>;
  required: readonly string[];
  /** True if a call needs no input. */
  isOptional: boolean;
}

const inputSchema = (input: z.ZodType | undefined): Schema => {
  if (input === undefined) return {};
  const object = input instanceof z.ZodOptional ? input.unwrap() : input;
  const schema = z.toJSONSchema(object as z.ZodType, { io: 'input', unrepresentable: 'any' });
  return withoutReferences(schema, schema) as Schema;
};

/** All procedures of tRPC. */
export const PROCEDURES: Procedure[] = Object.keys(appRouter._def.procedures).map((name) => {
  const {
    type,
    meta: { callers },
    inputs: [input],
  } = definitionOf(appRouter, name);
  const { properties = {}, required = [] } = inputSchema(input);
  const isOptional = input === undefined || input.safeParse(undefined).success;
  return { name, type, callers, fields: properties, required, isOptional };
});

const routes = compileRoutes(serviceRouter);

/** Returns the procedure of an operation in the OpenAPI document; undefined for one that tRPC does not have, such as an upload. */
export function procedureForRoute({ method, template }: { method: string; template: string }): Procedure | undefined {
  const route = routes.find((candidate) => candidate.method === method && candidate.template === template);
  if (route === undefined) throw new Error(`${method} ${template}: no such route`);
  return PROCEDURES.find(({ name }) => name === route.procedure);
}

/** @throws Error if no procedure has this name */
export function findProcedure(name: string): Procedure {
  const procedure = PROCEDURES.find((candidate) => candidate.name === name);
  if (procedure === undefined) throw new Error(`${name}: no such procedure`);
  return procedure;
}

/** Builds a tRPC request from an input in JSON. */
export const trpcCall = ({ name, type }: Pick<Procedure, 'name' | 'type'>, json: string): HttpRequest =>
  type === 'query'
    ? { method: 'GET', path: `/trpc/${name}?input=${encodeURIComponent(json)}` }
    : { method: 'POST', path: `/trpc/${name}`, body: json };
