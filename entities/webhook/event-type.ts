import { actionsOf, RESOURCE_TYPES } from '../audit/fields.ts';
import { toSnakeCase } from '../schema/audited-resource.ts';
import { TEST_TYPE } from './delivery.ts';

/** Returns the type of the webhook event of an audit action: `api_key.rotate` for `apiKey.rotate`. */
export const eventTypeOf = (action: string): string => toSnakeCase(action);

/** Pattern of the types of this version and of later ones. */
export const EVENT_TYPE_PATTERN = '^[a-z_]+\\.[a-z_]+$';

/** Every type of a webhook event, in the order of the API document. */
export const EVENT_TYPES: readonly string[] = [...RESOURCE_TYPES.flatMap(actionsOf).map(eventTypeOf), TEST_TYPE];
