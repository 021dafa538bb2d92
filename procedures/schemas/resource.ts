import type { z } from 'zod';

/** Schemas of a field in requests and in responses. Neither has a default: defaults belong to create schemas alone. */
interface FieldSchemas {
  input: z.ZodType;
  output: z.ZodType;
}
export type Fields = Readonly<Record<string, FieldSchemas>>;

export type CreateShape<F extends Fields, Defaults> = {
  [Name in keyof F]: Name extends keyof Defaults ? z.ZodDefault<F[Name]['input']> : F[Name]['input'];
};
export type ChangesShape<F extends Fields> = { [Name in keyof F]: z.ZodOptional<F[Name]['input']> };
type OutputShape<F extends Fields> = { [Name in keyof F]: F[Name]['output'] };

/** Fields of a create, with the defaults of the entity. */
export const createShape = <F extends Fields, Defaults extends object>(fields: F, defaults: Defaults) =>
  mapFields<CreateShape<F, Defaults>>(fields, ({ input }, name) =>
    name in defaults ? input.default(Reflect.get(defaults, name)) : input,
  );

/** Fields of an update: all are optional. */
export const changesShape = <F extends Fields>(fields: F) =>
  mapFields<ChangesShape<F>>(fields, ({ input }) => input.optional());

/** Fields of a response. */
export const outputShape = <F extends Fields>(fields: F) => mapFields<OutputShape<F>>(fields, ({ output }) => output);

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type
const mapFields = <Shape>(fields: Fields, map: (schemas: FieldSchemas, name: string) => z.ZodType): Shape =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a field keeps its name
  Object.fromEntries(Object.entries(fields).map(([name, schemas]) => [name, map(schemas, name)])) as Shape;
