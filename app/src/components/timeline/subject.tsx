import type { Outputs } from '../../api/client.ts';
import { ResourceLink } from '../record/events/resource-link.tsx';
import { requirementNames } from '../requirement/names.tsx';
import { taskNames } from '../task/names.ts';
import { vendorNames } from '../vendor/names.ts';

export type ListedComment = Outputs['comment']['listAll']['items'][number];

/** The name of what a comment is on, with a link to its page. */
export function Subject({ resource }: Pick<ListedComment, 'resource'>) {
  const names = {
    task: taskNames.useName(),
    vendor: vendorNames.useName(),
    requirement: requirementNames.useName(),
  };
  const { type, uniqueId } = resource;
  return <ResourceLink resource={resource}>{names[type](uniqueId) ?? `A ${type}`}</ResourceLink>;
}
