import { z } from 'zod';
import { EXTERNAL_ID_LIMITS } from '../../entities/external-id/external-id.ts';
import { booleanInput, enumInput, expected, forModels, searchText, textOutput } from '../../entities/fields/schemas.ts';

const { perObject, maxLength, maxSourceLength } = EXTERNAL_ID_LIMITS;

/** Name of another system. */
export const SOURCE = /^[a-z0-9_-]{1,50}$/;

/** The external id in a path or a body. It is compared byte for byte, so it is neither trimmed nor normalized. */
export const externalIdInput = {
  source: z
    .string(expected('text'))
    .regex(SOURCE, `expected 1 to ${maxSourceLength} of the characters a-z, 0-9, _ and -`)
    .meta({
      description: 'The other system, for example the name of a tool',
      maxLength: maxSourceLength,
      examples: ['servicenow'],
    })
    .register(forModels, { description: 'The other system' }),
  externalId: searchText(maxLength)
    .meta({
      description: 'Id of the object in the other system. Percent-encode it in a path, also `/` as `%2F`.',
      examples: ['VEN-0042'],
    })
    .register(forModels, { description: undefined }),
};

/** An external id of an object of a known type. */
export const ExternalReferenceInput = z.object(externalIdInput);

const flag = (description: string) => booleanInput.meta({ description });

/** Input field of a change that can be tried. */
export const dryRunInput = {
  dryRun: flag('`true` makes all checks and writes nothing')
    .default(false)
    .meta({ examples: [false] })
    .register(forModels, { description: '`true` only checks' }),
};

const UPSERT_MODES = ['replace', 'merge'] as const;
export const upsertMode = enumInput(UPSERT_MODES);

/** Options of a PUT, which REST reads from the query. */
export const upsertOptions = {
  mode: upsertMode
    .default('merge')
    .meta({
      description: '`merge` keeps fields that are not sent, `replace` sets most of them to their default',
      examples: ['merge'],
    })
    .register(forModels, { description: '`replace` resets omitted fields' }),
  create: flag('`false` responds 404 if the object does not exist')
    .default(true)
    .meta({ examples: [true] })
    .register(forModels, { description: '`false`: 404 if it does not exist' }),
  recreate: flag('`true` creates a new object in place of a deleted one')
    .default(false)
    .meta({ examples: [false] })
    .register(forModels, { description: '`true`: also in place of a deleted one' }),
  ...dryRunInput,
};

/** Error for these fields in a request that does not take them. */
export const BY_EXTERNAL_ID = {
  externalIds: 'PUT …/by/{source}/{externalId} creates or changes an object by one, POST …/link adds one',
};
const STATUS_ELSEWHERE = 'PUT …/by/{source}/{externalId} or PATCH …/edit sets it';
/** Error for these fields in a creation. @param initial status of a new object */
export const elsewhereThanInPost = (initial: string) => ({
  ...BY_EXTERNAL_ID,
  status: `${initial}; ${STATUS_ELSEWHERE}`,
});

/** Names of the options of a PUT. */
export const UPSERT_QUERY_FIELDS = Object.keys(upsertOptions);

const ExternalIdOutput = z
  .object({
    source: textOutput(maxSourceLength, 'servicenow', 'The other system').meta({ pattern: SOURCE.source }),
    externalId: textOutput(maxLength, 'VEN-0042', 'Id of the object in the other system'),
  })
  .meta({ id: 'ExternalId', description: 'Id of the object in another system' });

/** External ids of an object, in the order in which they were added. */
export const externalIdsOutput = z
  .array(ExternalIdOutput)
  .meta({ maxItems: perObject, description: 'Ids in other systems, in the order in which they were added' });

const UPSERT_RESULTS = ['created', 'updated', 'unchanged'] as const;

/** Result of a PUT. */
export const upsertOutput = <Item extends z.ZodType>(item: Item) => z.object({ upsert: z.enum(UPSERT_RESULTS), item });
