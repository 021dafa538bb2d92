import { actionsOf, RESOURCE_TYPES } from '../audit/fields.ts';
import { toSnakeCase } from '../schema/audited-resource.ts';
import { CHECKPOINT_TYPE, TEST_TYPE } from './delivery.ts';

/** Returns the type of the webhook event of an audit action: `api_key.rotate` for `apiKey.rotate`. */
export const eventTypeOf = (action: string): string => toSnakeCase(action);

/** Pattern of the types of this version and of later ones. */
export const EVENT_TYPE_PATTERN = '^[a-z_]+\\.[a-z_]+$';

const RESOURCE_EVENT_TYPES: readonly string[] = [...RESOURCE_TYPES.flatMap(actionsOf).map(eventTypeOf), TEST_TYPE];

/** Every type of a webhook event, in the order of the API document. */
export const EVENT_TYPES: readonly string[] = [...RESOURCE_EVENT_TYPES, CHECKPOINT_TYPE];

/** Values of `events`: each resource with all of its types, and each type. Only its own name selects a checkpoint. */
export const EVENT_SELECTORS: readonly string[] = [
  ...new Set(RESOURCE_EVENT_TYPES.map((type) => `${type.split('.', 1)[0]}.*`)),
  ...EVENT_TYPES,
];
