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
  description: 'Number of the event in the change feed, from 1 without holes',
};
const TYPE_DESCRIPTION = 'The action in snake case';
const DATA_DESCRIPTION = 'The audit event';

/** Stored fields that no response of REST shows. */
const STORED_FIELDS: Readonly<Record<string, string>> = {
  apiKey: 'uniqueId of the API key that created the endpoint; null for a member',
  archivedAt: 'Time at which it was archived; null while it is in use',
  clientId: 'Client id at the identity provider',
  closedAt: 'Time at which the company was closed; null while it is open',
  confirmedDomains: 'Domains that the operator confirmed',
  createdAt: 'Time of the creation, in UTC',
  createdBy: 'User who created it',
  domains: 'Email domains whose people sign in at the identity provider',
  endsAt: 'Last day of the membership in the time zone of the company; null for no end',
  endedAt: 'End of the membership; null for an active member',
  expiresAt: 'Time from which it no longer works',
  forgottenAt: 'Time at which the name and the email of the member were deleted; null before',
  framework: 'Id of the framework of the gap',
  frameworks: 'Frameworks that the person may access; null for all',
  frozenAt: 'Time since which the company is read-only; null while it is not',
  id: 'Id of the company',
  identity: 'Digest of the name and the email of the person',
  isDemo: 'True for the company with the data of the demo',
  issuer: 'Issuer URL of the identity provider',
  leakedKeys: 'Policy for leaked API keys',
  lockClosed: 'True while closed tasks, their comments and their evidence do not change',
  name: 'Name of the company',
  person: 'Id of the account of the member; null after the account was deleted, or the member forgotten',
  required: 'True if passwords are off for people with these domains',
  revokedAt: 'Time of the revocation; null before',
  role: 'What the person may do',
  rotatedUntil: 'End of validity of the secret before the last rotation; null without one',
  secretChangedAt: 'Time at which the client secret was changed',
  headersChangedAt: 'Time at which the headers of the endpoint were changed, null for none',
  singleSignOn: 'Identity provider to whose account the member is linked; null without a link',
  timeZone: 'Time zone of the company, an IANA name',
  trustEmail: 'True if an email address counts as verified when the identity provider does not say whether it is',
  uniqueId: 'Public id, a UUIDv7, which never changes',
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
          description: TYPE_DESCRIPTION,
        },
        timestamp: { type: 'string', format: 'date-time', maxLength: 32, description: '`occurredAt` of the event' },
        sequence: {
          ...SEQUENCE,
          type: ['integer', 'null'],
          description: 'Number of the event in the change feed, from 1 without holes; null for `webhook.test`',
        },
        data: { description: DATA_DESCRIPTION, ...componentRef('AuditEvent') },
      },
      ['type', 'timestamp', 'sequence', 'data'],
    ),
  },
  Truncated: {
    description: 'Replaces the longest values of an event that would exceed 20,000 bytes',
    ...closedObject({ truncated: { type: 'boolean', const: true, description: 'Shows that a value is left out' } }, [
      'truncated',
    ]),
  },
};

/** Schema of the body of `audit.checkpoint`, whose data have no event. */
const CHECKPOINT_SCHEMA: oas31.SchemaObject = {
  description: bodyDescription(CHECKPOINT_TYPE),
  ...closedObject(
    {
      type: { type: 'string', const: CHECKPOINT_TYPE, description: TYPE_DESCRIPTION },
      timestamp: { type: 'string', format: 'date-time', maxLength: 32, description: '`at` of the checkpoint' },
      sequence: { type: 'null', description: 'Null, because a checkpoint is not an event of the feed' },
      data: { description: 'The checkpoint', ...componentRef('AuditCheckpoint') },
    },
    ['type', 'timestamp', 'sequence', 'data'],
  ),
};

function bodyDescription(type: string): string {
  return `Body of the webhook \`${type}\``;
}

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
  const describe = (field: string, schema: Schema): Schema => {
    const shownField = shownFields[field];
    const description = typeof shownField === 'object' ? shownField.description : STORED_FIELDS[field];
    return description === undefined ? schema : { ...schema, description };
  };
  const stored = Object.keys(shownColumns);
  const fields = [...stored, ...Object.keys(deriveFields({}))].map(
    (field) => [field, describe(field, valueOf(field))] as const,
  );
  const changes = stored.map((field) => {
    const value = valueOf(field);
    const values = {
      from: { ...value, description: 'Value before the change' },
      to: { ...value, description: 'Value after the change' },
    };
    return [field, describe(field, closedObject(values, ['from', 'to']))] as const;
  });
  const bodies = actionsOf(type).map((action) => {
    const changesName = isFullObject(action) ? `${name}EventFields` : `${name}EventChanges`;
    return [eventSchemaName(eventTypeOf(action)), eventSchema(action, type, componentRef(changesName))] as const;
  });
  return {
    [`${name}EventFields`]: {
      description: `Stored fields of \`${type}\`, after its creation or before its deletion`,
      ...closedObject(Object.fromEntries(fields)),
    },
    [`${name}EventChanges`]: {
      description: `Changed fields of \`${type}\``,
      ...closedObject(Object.fromEntries(changes)),
    },
    ...Object.fromEntries(bodies),
  };
}

/** Builds the schema of the body of an event type. */
const eventSchema = (action: string, resourceType: ResourceType, changes: Schema): oas31.SchemaObject => ({
  description: bodyDescription(eventTypeOf(action)),
  allOf: [
    componentRef('WebhookEvent'),
    narrowed({
      type: { type: 'string', const: eventTypeOf(action), description: TYPE_DESCRIPTION },
      sequence:
        action === TEST_TYPE
          ? { type: 'null', description: 'Null, because a test is not an event of the feed' }
          : SEQUENCE,
      data: {
        description: DATA_DESCRIPTION,
        allOf: [
          componentRef('AuditEvent'),
          narrowed({
            action: { type: 'string', const: action, description: 'Resource type and verb' },
            resource: {
              description: 'The resource that was changed',
              ...closedObject(
                {
                  type: { type: 'string', const: resourceType, description: 'Type of the resource' },
                  uniqueId: { type: 'string', maxLength: 36, description: 'Its public id, or its integer id' },
                },
                ['type', 'uniqueId'],
              ),
            },
            changes: { description: 'What was changed', ...changes },
          }),
        ],
      },
    }),
  ],
});

/** Schema of a value without documentation, which belongs to its field. Text and arrays may be truncated, as they may be long. */
function valueSchema(shown: Schema | boolean | undefined): Schema {
  if (typeof shown !== 'object') return {};
  if ('$ref' in shown) return shown;
  const { description: _, examples: __, ...value } = shown;
  const mayBeLong = [value.type].flat().some((type) => type === 'string' || type === 'array');
  return mayBeLong && value.format === undefined && value.enum === undefined
    ? { anyOf: [value, componentRef('Truncated')] }
    : value;
}
