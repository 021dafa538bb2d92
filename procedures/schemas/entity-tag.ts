import { z } from 'zod';
import { ApiError } from '../../entities/api-error.ts';
import { expected, forModels, textInput } from '../../entities/fields/schemas.ts';
import { entityTag } from '../../entities/statements/entity-tag.ts';
import type { IfMatch, Versioned } from '../../entities/statements/entity-tag.ts';

/** Maximum length of an entity tag without quotes. */
export const MAX_TAG_LENGTH = 40;

const EXPECTED_TAG = 'an etag, without quotes';

/** An entity tag in a response, without quotes. */
export const tagOutput = z.string().meta({
  maxLength: MAX_TAG_LENGTH,
  pattern: '^[0-9]+-[0-9a-f]+$',
  description: 'Entity tag, without quotes',
  examples: ['1-5f0c2a91'],
});

/** Condition of a change over tRPC. REST takes it as `If-Match`. */
export interface Conditional {
  ifMatch?: string | undefined;
}

const ifMatchInput = {
  ifMatch: textInput(EXPECTED_TAG, MAX_TAG_LENGTH)
    .regex(/^[^"]*$/, expected(EXPECTED_TAG))
    .meta({ description: 'The `etag` of the state to change; another state is 412', examples: ['1-5f0c2a91'] })
    .register(forModels, { description: 'The `etag` to change; else 412', pattern: undefined })
    .optional(),
};

/** The input of a change over tRPC: it may have a condition. @throws Error for a schema that is no object */
export function withIfMatch(input: z.ZodType): z.ZodType {
  if (!(input instanceof z.ZodObject)) throw new Error('ifMatch: expected an input that is an object');
  return input.safeExtend(ifMatchInput);
}

/** Entity tag of an object over tRPC. REST sends it as `ETag`. The object that is returned replaces the default. */
const etagOutput = {
  etag: z
    .string()
    .default('')
    .meta({ maxLength: MAX_TAG_LENGTH, description: 'Entity tag, for `ifMatch`', examples: ['1-5f0c2a91'] }),
};

const addEntityTag = <Item extends object>(item: Item): Item => ({ ...item, etag: responseEntityTag(item) });

const taggedSchemas = new WeakMap<z.ZodType, z.ZodType>();

/** Whether a schema is that of an object with a version, which has an entity tag. */
export const isVersionedSchema = (output: z.ZodType): output is z.ZodObject =>
  output instanceof z.ZodObject && ['version', 'createdBy', 'updatedBy'].every((field) => field in output.shape);

/** The output over tRPC: an object with a version also has its entity tag, alone and as the item of an upsert. */
export function withEntityTag(output: z.ZodType): z.ZodType {
  if (!isVersionedSchema(output)) {
    const item: unknown = output instanceof z.ZodObject ? output.shape['item'] : undefined;
    const hasItem = output instanceof z.ZodObject && item instanceof z.ZodObject;
    return hasItem ? output.extend({ item: withEntityTag(item) }) : output;
  }
  const known = taggedSchemas.get(output);
  if (known !== undefined) return known;
  const { id } = output.meta() ?? {};
  const extended = output.extend(etagOutput).overwrite(addEntityTag);
  const tagged = id === undefined ? extended : extended.meta({ id: `Tagged${id}` });
  taggedSchemas.set(output, tagged);
  return tagged;
}

const hasName = (actor: unknown): actor is { name: string } =>
  typeof actor === 'object' && actor !== null && 'name' in actor && typeof actor.name === 'string';

/** Checks only the fields that the entity tag needs, because the output schema has validated the rest. */
const isVersioned = (output: object): output is Versioned =>
  'version' in output &&
  typeof output.version === 'number' &&
  'createdBy' in output &&
  hasName(output.createdBy) &&
  'updatedBy' in output &&
  hasName(output.updatedBy);

/**
 * Entity tag of a response with a version, without quotes (RFC 9110, section 8.8.3).
 * @throws Error for any other response
 */
export function responseEntityTag(output: unknown): string {
  if (typeof output !== 'object' || output === null || !isVersioned(output))
    throw new Error('entity tag: the response has no version');
  return entityTag(output);
}

/** @throws ApiError 412 for an `If-Match` on a resource that has no entity tag */
export function requireNoIfMatch({ ifMatch }: { ifMatch?: IfMatch | undefined }, resource: string): void {
  if (ifMatch !== undefined && ifMatch !== null)
    throw new ApiError('precondition_failed', `If-Match: ${resource} has no entity tag`);
}
