import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../../use-session.ts';
import { addressOf } from './resource-address.ts';
import { nameOf } from './sentence.ts';
import type { AuditEvent } from './words.ts';

interface ResourceLinkProps {
  resource: Pick<AuditEvent['resource'], 'type' | 'uniqueId'>;
  children: ReactNode;
}

/** A link to the page of a resource; plain text if it has none, or if the role can never read it. */
export function ResourceLink({ resource, children }: ResourceLinkProps) {
  const { canReadManagement } = useSession();
  const { type } = resource;
  const address = !canReadManagement && (type === 'apiKey' || type === 'webhook') ? undefined : addressOf(resource);
  return address === undefined ? (
    children
  ) : (
    <Link {...address} dir="auto">
      {children}
    </Link>
  );
}

/** The name of a resource, with a link to its page; in quotation marks if it was deleted. */
export function ResourceName({ resource }: Pick<AuditEvent, 'resource'>) {
  const name = nameOf(resource);
  return resource.isDeleted ? `“${name}”` : <ResourceLink resource={resource}>{name}</ResourceLink>;
}
