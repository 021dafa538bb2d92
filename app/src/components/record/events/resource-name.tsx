import { ResourceLink } from './resource-link.tsx';
import { nameOf } from './sentence.ts';
import type { AuditEvent } from './words.ts';

/** The name of a resource, with a link to its page; in quotation marks if it was deleted. */
export function ResourceName({ resource }: Pick<AuditEvent, 'resource'>) {
  const name = nameOf(resource);
  return resource.isDeleted ? `“${name}”` : <ResourceLink resource={resource}>{name}</ResourceLink>;
}
