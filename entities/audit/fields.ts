import { auditedResources } from '../index.ts';
import type { AuditedResource } from '../schema/audited-resource.ts';

export type ResourceType = (typeof auditedResources)[number]['type'];
export const RESOURCE_TYPES = auditedResources.map(({ type }) => type);

const resourceByType = new Map<ResourceType, AuditedResource>(
  auditedResources.map((resource) => [resource.type, resource]),
);

/** @throws Error for a type that no audited resource has */
export function resourceTypeOf(type: string): ResourceType {
  const known = RESOURCE_TYPES.find((one) => one === type);
  if (known === undefined) throw new Error(`${type}: expected an audited resource`);
  return known;
}

export function resourceOf(type: ResourceType): AuditedResource {
  const resource = resourceByType.get(type);
  if (resource === undefined) throw new Error(`${type}: expected an audited resource`);
  return resource;
}

/** Actions and columns of each resource type. */
const KNOWN = new Map<string, { actions: ReadonlySet<string>; columns: ReadonlySet<string> }>(
  auditedResources.map(({ type, verbs, auditedColumns, unauditedColumns }) => [
    type,
    {
      actions: new Set(verbs.map((verb) => `${type}.${verb}`)),
      // Earlier versions audited some of the columns that are not audited now.
      columns: new Set([...Object.values(auditedColumns), ...unauditedColumns]),
    },
  ]),
);

/** True for an event whose type, verb and columns this version knows. A newer version may write others. Contract, section 25. */
export function isKnownEvent<Event extends { resource_type: string; action: string; changes: object }>(
  event: Event,
): event is Event & { resource_type: ResourceType } {
  const known = KNOWN.get(event.resource_type);
  if (known === undefined || !known.actions.has(event.action)) return false;
  for (const column in event.changes) if (!known.columns.has(column)) return false;
  return true;
}

/** Condition in SQL, as `isKnownEvent`. @param event alias of an event */
export const isKnownEventInSql = (event: string) => `case ${event}.resource_type ${[...KNOWN]
  .map(
    ([type, { actions, columns }]) => `
      when '${type}' then ${event}.action = any('{${[...actions].join(',')}}') and ${event}.changes - '{${[...columns].join(',')}}'::text[] = '{}'`,
  )
  .join('')}
      else false end`;

/** Actions of a resource type: `task.create`, … */
export const actionsOf = (type: ResourceType) => resourceOf(type).verbs.map((verb) => `${type}.${verb}`);
