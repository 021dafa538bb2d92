import type { TRPCMutationProcedure, TRPCQueryProcedure } from '@trpc/server';
import { z } from 'zod';
import type { Column } from '../../entities/fields/kind.ts';
import { changeMetadataOutput, uniqueIdInput, uniqueIdOutput } from '../../entities/fields/schemas.ts';
import type { ApiError } from '../../entities/api-error.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { resourceTypeOf } from '../../entities/audit/fields.ts';
import type { Resource } from '../../entities/schema/resource-definition.ts';
import { resourceStatements } from '../../entities/statements/resource.ts';
import { EventPage, historyQuery, readHistory } from '../audit/events.ts';
import type { ClientTypes, Tagged } from '../core/declaration/builder.ts';
import { createResource, listChildren, resourceActions } from '../core/resource.ts';
import { changeProcedure, companyProcedure, resourceProcedure } from '../core/trpc.ts';
import { nounOf, operationTexts } from '../document/resource-texts.ts';
import { pageOutput, pagination } from '../schemas/pagination.ts';
import type { PageRequest } from '../schemas/pagination.ts';
import { changesShape, createShape } from '../schemas/resource.ts';
import type { ChangesShape, CreateShape, Fields } from '../schemas/resource.ts';
import { unknownFields } from '../schemas/unknown-fields.ts';
import { parentOf } from './parent.ts';

/** Facts about its parent that an object shows. */
interface Belonging {
  resource: { type: 'task' | 'vendor' | 'requirement'; uniqueId: string };
}

/** A resource that belongs to one task or to one vendor, as `defineResource` returns it. */
interface ChildResource extends Resource<object, object, Belonging> {
  createdSchemas: Readonly<Record<string, Column>>;
  schemas: Fields;
  defaults: object;
  shownSchemas: Readonly<Record<string, z.ZodType>>;
  filters: Readonly<Record<string, z.ZodType>>;
  validate(fields: object): ApiError | undefined;
  changeParameters(changes: object): object;
  applyChanges(before: object, changes: object): object;
}

/** Words about a resource in the documents. */
interface Words {
  /** One of them, in lower case. */
  noun: string;
  plural: string;
  description: string;
  /** Group of the operations. */
  tag: string;
  /** A uniqueId. */
  example: string;
}

type ShapeInput<Shape extends z.ZodRawShape> = z.input<z.ZodObject<Shape>>;
type Id<R extends ChildResource> = Readonly<Record<R['type'], string>>;
type Parent<R extends ChildResource> = Readonly<Record<keyof R['createdSchemas'] & string, string>>;
type Filters<R extends ChildResource> = { readonly [Name in keyof R['filters']]?: string | undefined };
type Item<R extends ChildResource> = { uniqueId: string } & Belonging &
  z.output<z.ZodObject<R['shownSchemas'] & typeof changeMetadataOutput>>;
interface Condition {
  ifMatch?: string | undefined;
}

type Query<Input, Output> = TRPCQueryProcedure<ClientTypes<Input, Output>>;
type Mutation<Input, Output> = TRPCMutationProcedure<ClientTypes<Input, Output>>;

/** Types of the procedures for clients. It is a type, because an interface is not a record of procedures. */
type ChildProcedures<R extends ChildResource> = {
  list: Query<Parent<R> & Filters<R> & PageRequest, { items: Item<R>[]; nextCursor: string | null }>;
  create: Mutation<Parent<R> & ShapeInput<CreateShape<R['schemas'], R['defaults']>>, Tagged<Item<R>>>;
  get: Query<Id<R>, Tagged<Item<R>>>;
  update: Mutation<Id<R> & ShapeInput<ChangesShape<R['schemas']>> & Condition, Tagged<Item<R>>>;
  delete: Mutation<Id<R> & Condition, void>;
  history: Query<Id<R> & ShapeInput<typeof historyQuery>, z.output<typeof EventPage>>;
};

/** Splits an input into the id in a field, and the rest. */
function split(field: string, input: object) {
  const { [field]: value, ...rest }: Readonly<Record<string, unknown>> = { ...input };
  return [String(value), rest] as const;
}

/** The fields of a list. */
const withPages = (shape: z.ZodRawShape) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has the fields of pages
  z.strictObject({ ...shape, ...pagination }) as z.ZodType<PageRequest>;

/**
 * The procedures of a resource that belongs to one task or to one vendor, over REST, tRPC and MCP: list, create, get, update, delete and
 * history. One that differs is written beside them under its name.
 * docs/adding-a-resource.md builds a resource with them.
 */
export function childProcedures<R extends ChildResource>(
  resource: R,
  { noun, plural, description, tag, example }: Words,
): ChildProcedures<R> {
  const { type, schemas } = resource;
  const parent = parentOf(resource);
  const statements = resourceStatements<object, object, Belonging>(resource);
  const actions = resourceActions(statements);
  const name = nounOf(type);
  const text = operationTexts(tag);
  const path = <End extends string>(end: End) => `/external/${type}/${end}` as const;
  const parentPath = <End extends string>(end: End) => `${parent.path}/${type}/${end}` as const;

  const id = z.strictObject({ [type]: uniqueIdInput(`The ${noun}’s uniqueId`, example) });
  const output = z
    .object({ uniqueId: uniqueIdOutput, resource: parent.output, ...resource.shownSchemas, ...changeMetadataOutput })
    .meta({ id: name, description });
  const known = unknownFields(() => ({ shown: output.shape }));
  const filters = Object.entries<z.ZodType>(resource.filters).map(([field, schema]) => [field, schema.optional()]);

  const procedures = {
    list: resourceProcedure(resource, 'read')
      .meta({
        openapi: {
          method: 'GET',
          path: parentPath('list'),
          ...text(`list${nounOf(plural.replaceAll(' ', ''))}`, `List the ${plural} of a ${parent.noun}`),
        },
      })
      .input(withPages({ ...parent.shape, ...Object.fromEntries(filters) }))
      .output(pageOutput(output))
      .query(({ ctx: { session }, input: { limit, cursor, ...others } }) => {
        const [parentId, given] = split(parent.field, others);
        const readParent = () => parent.read(session, parentId);
        return listChildren(session, statements, [parent.field, parentId], { limit, cursor }, readParent, given);
      }),

    create: resourceProcedure(resource, 'write')
      .meta({
        openapi: {
          method: 'POST',
          path: parentPath('new'),
          ...text(`create${name}`, `Add a ${noun} to a ${parent.noun}`),
          errorResponses: [404, 422],
        },
        response: { kind: 'json', location: path('{uniqueId}/item') },
      })
      .input(z.strictObject({ ...parent.shape, ...createShape(schemas, resource.defaults) }, known))
      .output(output)
      .mutation(async ({ ctx: { session }, input }) => {
        const readParent = () => parent.read(session, split(parent.field, input)[0]);
        const invalid = resource.validate(input);
        if (invalid === undefined)
          return createResource(session, statements, { ...input, uniqueId: newUniqueId() }, readParent);
        await readParent();
        throw invalid;
      }),

    get: resourceProcedure(resource, 'read')
      .meta({ openapi: { method: 'GET', path: path(`{${type}}/item`), ...text(`get${name}`, `Read a ${noun}`) } })
      .input(id)
      .output(output)
      .query(({ ctx, input }) => actions.read(ctx.session, split(type, input)[0])),

    update: changeProcedure(resource, 'write')
      .meta({
        openapi: {
          method: 'PATCH',
          path: path(`{${type}}/edit`),
          ...text(`update${name}`, `Change some fields of a ${noun}`, 'Omitted fields keep their value.'),
          errorResponses: [422],
        },
      })
      .input(z.strictObject({ ...id.shape, ...changesShape(schemas) }, known))
      .output(output)
      .mutation(async ({ ctx: { session, ifMatch }, input }) => {
        const [uniqueId, changes] = split(type, input);
        const invalid = resource.validate(changes);
        if (invalid !== undefined) {
          await actions.read(session, uniqueId);
          throw invalid;
        }
        const parameters = { ...resource.changeParameters(changes), uniqueId, ifMatch };
        return actions.update(session, parameters, changes, (before, given) => resource.applyChanges(before, given));
      }),

    delete: changeProcedure(resource, 'delete')
      .meta({
        openapi: {
          method: 'DELETE',
          path: path(`{${type}}/delete`),
          ...text(`delete${name}`, `Delete a ${noun}`, 'The history remains available.'),
        },
      })
      .input(id)
      .output(z.void())
      .mutation(({ ctx: { session, ifMatch }, input }) => actions.remove(session, split(type, input)[0], ifMatch)),

    history: companyProcedure('audit:read')
      .meta({
        openapi: {
          method: 'GET',
          path: path(`{${type}}/history`),
          ...text(`get${name}History`, `Read the history of a ${noun}, newest first`),
        },
      })
      .input(withPages({ ...id.shape, ...historyQuery }))
      .output(EventPage)
      .query(({ ctx, input }) => {
        const [uniqueId, request] = split(type, input);
        return readHistory(ctx.session, resourceTypeOf(type), uniqueId, request);
      }),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schemas are those of the resource
  return procedures as unknown as ChildProcedures<R>;
}
