import { apiKeyResource } from '../api-key/api-key.ts';
import { companyResource } from '../company.ts';
import { departmentResource } from '../department.ts';
import { frameworkResource } from '../framework.ts';
import { gapResource } from '../gap.ts';
import type { AuditedResource } from '../schema/audited-resource.ts';
import { taskResource } from '../task.ts';
import { vendorResource } from '../vendor.ts';

/** Every audited resource, in the order of the API document. */
const resources = [
  companyResource,
  frameworkResource,
  departmentResource,
  gapResource,
  apiKeyResource,
  taskResource,
  vendorResource,
] as const;

export type ResourceType = (typeof resources)[number]['type'];
export const RESOURCE_TYPES = resources.map(({ type }) => type);

const resourceByType = new Map<ResourceType, AuditedResource>(resources.map((resource) => [resource.type, resource]));

export function resourceOf(type: ResourceType): AuditedResource {
  const resource = resourceByType.get(type);
  if (resource === undefined) throw new Error(`${type}: expected an audited resource`);
  return resource;
}

/** Actions of a resource type: `task.create`, … */
export const actionsOf = (type: ResourceType) =>
  ['create', 'update', 'delete', ...Object.values(resourceOf(type).verbByColumn).toReversed()].map(
    (verb) => `${type}.${verb}`,
  );
