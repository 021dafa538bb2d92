import type { oas31 } from 'zod-openapi';
import { isFullObject } from '../../entities/audit/changes.ts';
import { RESOURCE_TYPES, actionsOf, resourceOf } from '../../entities/audit/fields.ts';
import type { ResourceType } from '../../entities/audit/fields.ts';
import { CHECKPOINT_TYPE, MAX_TYPE_LENGTH, TEST_TYPE } from '../../entities/webhook/delivery.ts';
import { EVENT_TYPE_PATTERN, eventTypeOf } from '../../entities/webhook/event-type.ts';

type Schema = oas31.SchemaObject | oas31.ReferenceObject;
type Schemas = oas31.SchemasObject;

const componentRef = (name: string): oas31.ReferenceObject => ({ $ref: `#/components/schemas/${name}` });
const toPascalCase = (name: string) =>
  name.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Schema name of the body of an event type: `TaskCreateEvent` for `task.create`. */
export const eventSchemaName = (eventType: string): string => `${toPascalCase(eventType)}Event`;

/** Builds the schemas of the bodies of all event types. @param schemas those of the responses that show the resources */
export const webhookSchemas = (schemas: Schemas): Schemas => ({
  ...SHARED_SCHEMAS,
  ...Object.fromEntries(RESOURCE_TYPES.flatMap((type) => Object.entries(resourceSchemas(type, schemas)))),
  [eventSchemaName(TEST_TYPE)]: eventSchema(TEST_TYPE, 'webhook', { type: 'object', maxProperties: 0 }),
  [eventSchemaName(CHECKPOINT_TYPE)]: CHECKPOINT_SCHEMA,
});

/** An object with some known fields, to narrow another schema in `allOf`. */
const narrowed = (properties: Record<string, Schema>): oas31.SchemaObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

const closedObject = (properties: Record<string, Schema>, required: string[] = []): oas31.SchemaObject => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});

const SEQUENCE: oas31.SchemaObject = {
  type: 'integer',
  format: 'int64',
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
};

/** Schemas that all events share. */
const SHARED_SCHEMAS: Schemas = {
  WebhookEvent: {
    description: 'Body of a webhook. `type` selects the schema of `data.changes`.',
    ...closedObject(
      {
        type: {
          type: 'string',
          pattern: EVENT_TYPE_PATTERN,
          maxLength: MAX_TYPE_LENGTH,
          description: 'The action in snake case',
        },
        timestamp: { type: 'string', format: 'date-time', maxLength: 32, description: '`occurredAt` of the event' },
        sequence: {
          ...SEQUENCE,
          type: ['integer', 'null'],
          description: 'Number of the event in the change feed, from 1 without holes; null for `webhook.test`',
        },
        data: componentRef('AuditEvent'),
      },
      ['type', 'timestamp', 'sequence', 'data'],
    ),
  },
  Truncated: {
    description: 'Replaces the longest values of an event that would exceed 20,000 bytes',
    ...closedObject({ truncated: { type: 'boolean', const: true } }, ['truncated']),
  },
};

/** Schema of the body of `audit.checkpoint`, whose data are no event. */
const CHECKPOINT_SCHEMA: oas31.SchemaObject = closedObject(
  {
    type: { type: 'string', const: CHECKPOINT_TYPE },
    timestamp: { type: 'string', format: 'date-time', maxLength: 32, description: '`at` of the checkpoint' },
    sequence: { type: 'null' },
    data: componentRef('AuditCheckpoint'),
  },
  ['type', 'timestamp', 'sequence', 'data'],
);

/**
 * Builds the schemas of a resource: its fields, their changes, and the body of each event type. A value has the schema that
 * it has in responses, if a response shows the resource.
 */
function resourceSchemas(type: ResourceType, schemas: Schemas): Schemas {
  const { shownColumns, deriveFields } = resourceOf(type);
  const name = toPascalCase(type);
  const shown = schemas[name];
  const shownFields = (shown !== undefined && 'properties' in shown && shown.properties) || {};
  const valueOf = (field: string) => valueSchema(shownFields[field]);
  const stored = Object.keys(shownColumns);
  const fields = [...stored, ...Object.keys(deriveFields({}))].map((field) => [field, valueOf(field)] as const);
  const changes = stored.map((field) => {
    const value = valueOf(field);
    return [field, closedObject({ from: value, to: value }, ['from', 'to'])] as const;
  });
  const bodies = actionsOf(type).map((action) => {
    const changesName = isFullObject(action) ? `${name}EventFields` : `${name}EventChanges`;
    return [eventSchemaName(eventTypeOf(action)), eventSchema(action, type, componentRef(changesName))] as const;
  });
  return {
    [`${name}EventFields`]: closedObject(Object.fromEntries(fields)),
    [`${name}EventChanges`]: closedObject(Object.fromEntries(changes)),
    ...Object.fromEntries(bodies),
  };
}

/** Builds the schema of the body of an event type. */
const eventSchema = (action: string, resourceType: ResourceType, changes: Schema): oas31.SchemaObject => ({
  allOf: [
    componentRef('WebhookEvent'),
    narrowed({
      type: { type: 'string', const: eventTypeOf(action) },
      sequence: action === TEST_TYPE ? { type: 'null' } : SEQUENCE,
      data: {
        allOf: [
          componentRef('AuditEvent'),
          narrowed({
            action: { type: 'string', const: action },
            resource: closedObject(
              { type: { type: 'string', const: resourceType }, uniqueId: { type: 'string', maxLength: 36 } },
              ['type', 'uniqueId'],
            ),
            changes,
          }),
        ],
      },
    }),
  ],
});

/** Schema of a value without documentation. Text and arrays may be truncated, as they may be long. */
function valueSchema(shown: Schema | boolean | undefined): Schema {
  if (typeof shown !== 'object') return {};
  if ('$ref' in shown) return shown;
  const { description: _, examples: __, ...value } = shown;
  const mayBeLong = [value.type].flat().some((type) => type === 'string' || type === 'array');
  return mayBeLong && value.format === undefined && value.enum === undefined
    ? { anyOf: [value, componentRef('Truncated')] }
    : value;
}
