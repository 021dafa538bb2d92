import { auditedResources } from '../index.ts';
import type { AuditedResource } from '../schema/audited-resource.ts';

export type ResourceType = (typeof auditedResources)[number]['type'];
export const RESOURCE_TYPES = auditedResources.map(({ type }) => type);

const resourceByType = new Map<ResourceType, AuditedResource>(
  auditedResources.map((resource) => [resource.type, resource]),
);

export function resourceOf(type: ResourceType): AuditedResource {
  const resource = resourceByType.get(type);
  if (resource === undefined) throw new Error(`${type}: expected an audited resource`);
  return resource;
}

/** Actions of a resource type: `task.create`, … */
export const actionsOf = (type: ResourceType) => resourceOf(type).verbs.map((verb) => `${type}.${verb}`);
