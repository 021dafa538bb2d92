import { z } from 'zod';
import { entityTag } from '../../entities/statements/entity-tag.ts';
import type { Versioned } from '../../entities/statements/entity-tag.ts';
import { expected, textInput } from './fields.ts';

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
export const ifMatchInput = {
  ifMatch: textInput(EXPECTED_TAG, MAX_TAG_LENGTH)
    .regex(/^[^"]*$/, expected(EXPECTED_TAG))
    .meta({ description: 'The `etag` of the state to change; another state is 412', examples: ['1-5f0c2a91'] })
    .optional(),
};

/** Entity tag of an output over tRPC. REST sends it as `ETag`. `addEntityTag` replaces the default. */
export const etagOutput = {
  etag: z
    .string()
    .default('')
    .meta({ maxLength: MAX_TAG_LENGTH, description: 'Entity tag, for `ifMatch`', examples: ['1-5f0c2a91'] }),
};

export const addEntityTag = <Item extends Versioned & { etag: string }>(item: Item): Item => ({
  ...item,
  etag: entityTag(item),
});
