import type { z } from 'zod';
import type { EventRecord } from '../../entities/audit/event-statements.ts';
import { resourceOf } from '../../entities/audit/fields.ts';
import type { ResourceType } from '../../entities/audit/fields.ts';
import { EXAMPLE_IDS } from '../../entities/fields/schemas.ts';
import { nounOf } from './resource-texts.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Example of an operation in the document. */
export interface OperationExample {
  /** Request body. */
  request?: Fields;
  /** Response body. */
  response?: unknown;
  /** Response bodies by name, if they depend on the parameters. */
  responseVariants?: Fields;
}

/** A resource in the scenario. Its other fields have their defaults. */
interface ExampleResource {
  type: ResourceType;
  /** Schema of a response, for the order of the fields. */
  output: z.ZodObject;
  defaults: object;
  /** Fields that a path has, and an item of a batch. */
  path?: Fields;
  /** Body of a create. */
  created: Fields;
  /** Body of an update. */
  changes: Fields;
  /** Fields that change with those of the body. */
  changesWith?: Fields;
  /** Body of a PUT by external id. */
  synced: Fields;
  ids: Readonly<Record<'item' | 'synced', string>>;
  /** Id and request of each event. */
  events: Readonly<Record<'created' | 'changed', readonly [id: string, request: string]>>;
  /** Responses of the list. */
  list: (item: Fields) => Fields;
}

/** Who makes each change. */
export const EXAMPLE_USER = { uniqueId: EXAMPLE_IDS.user, name: 'Ticket sync', kind: 'integration' } as const;
/** Time of each create. */
export const CREATION_TIME = '2026-11-21T09:30:00.000Z';
export const UPDATE_TIME = '2026-11-21T10:15:00.000Z';
const EXAMPLE_METADATA = {
  createdAt: CREATION_TIME,
  updatedAt: CREATION_TIME,
  createdBy: EXAMPLE_USER,
  updatedBy: EXAMPLE_USER,
  version: 1,
};
const afterUpdate = { updatedAt: UPDATE_TIME, version: 2 };
const reference = { source: 'servicenow', externalId: 'VEN-0042' };
const otherReference = { source: 'jira', externalId: 'SEC-1' };

/** Creates the examples of a resource: those of its operations, by operation id, and its events. */
export function resourceExamples(resource: ExampleResource) {
  const { type, output, defaults, path = {}, created, changes, changesWith = {}, synced, ids, events, list } = resource;
  const toItem = (fields: object): Fields => {
    const values = { ...path, ...defaults, externalIds: [], evidenceCount: 0, ...EXAMPLE_METADATA, ...fields };
    return Object.fromEntries(Object.keys(output.shape).map((name) => [name, Reflect.get(values, name)]));
  };
  const item = toItem({ ...created, uniqueId: ids.item });
  const changed = { ...item, ...changes, ...changesWith, ...afterUpdate };
  const syncedItem = toItem({ ...synced, uniqueId: ids.synced, externalIds: [reference] });
  const eventBase = (verb: string, [uniqueId, requestId]: readonly [string, string], occurredAt: string) => ({
    uniqueId,
    occurredAt,
    actor: EXAMPLE_USER,
    apiKey: EXAMPLE_IDS.key,
    requestId,
    action: `${type}.${verb}`,
    resource: { type, uniqueId: ids.item },
    parent: null,
  });
  const { evidenceCount: _evidenceCount, next: _next, closedAt: _closedAt, closedBy: _closedBy, ...audited } = item;
  const createEvent: EventRecord = { ...eventBase('create', events.created, CREATION_TIME), changes: audited };
  const { auditedColumns } = resourceOf(type);
  const updateEvent: EventRecord = {
    ...eventBase('update', events.changed, UPDATE_TIME),
    changes: Object.fromEntries(
      Object.entries({ ...changes, ...changesWith })
        .filter(([name]) => name in auditedColumns)
        .map(([name, to]) => [name, { from: item[name], to }]),
    ),
  };
  const noun = nounOf(type);
  const operations: Readonly<Record<string, OperationExample>> = {
    [`create${noun}`]: { request: created, response: item },
    [`get${noun}`]: { response: item },
    [`list${noun}s`]: { responseVariants: list(item) },
    [`update${noun}`]: { request: changes, response: changed },
    [`get${noun}History`]: { response: { items: [updateEvent, createEvent], nextCursor: null } },
    [`put${noun}ByExternalId`]: { request: synced, response: syncedItem },
    [`get${noun}ByExternalId`]: { response: syncedItem },
    [`link${noun}`]: {
      request: otherReference,
      response: { ...syncedItem, externalIds: [reference, otherReference], ...afterUpdate },
    },
    [`batch${noun}s`]: {
      request: { items: [{ op: 'create', ...path, body: synced }] },
      response: {
        succeeded: 1,
        failed: 0,
        results: [{ index: 0, status: 201, item: { ...syncedItem, externalIds: [] }, etag: '1-5f0c2a91' }],
      },
    },
  };
  return { operations, createEvent, updateEvent };
}
