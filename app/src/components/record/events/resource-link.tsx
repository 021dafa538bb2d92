import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../../use-session.ts';
import { nameOf } from './sentence.ts';
import type { AuditEvent, ResourceType } from './words.ts';

/** Pages of resources that have none of their own. */
const LIST_PAGES = {
  framework: '/frameworks',
  department: '/frameworks',
  gap: '/frameworks',
  apiKey: '/api-keys',
  invitation: '/members',
  sso: '/members',
  proof: '/audit-log/proofs',
} as const satisfies Partial<Record<ResourceType, string>>;

const hasListPage = (type: string): type is keyof typeof LIST_PAGES => Object.hasOwn(LIST_PAGES, type);

interface ResourceLinkProps {
  resource: Pick<AuditEvent['resource'], 'type' | 'uniqueId'>;
  children: ReactNode;
}

/** A link to the page of a resource; plain text if it has none, or if the role can never read it. */
export function ResourceLink({ resource: { type, uniqueId }, children }: ResourceLinkProps) {
  const { canReadManagement } = useSession();
  if (!canReadManagement && (type === 'apiKey' || type === 'webhook')) return children;
  if (type === 'task')
    return (
      <Link to="/tasks/$taskUniqueId" params={{ taskUniqueId: uniqueId }}>
        {children}
      </Link>
    );
  if (type === 'vendor')
    return (
      <Link to="/vendors/$uniqueId" params={{ uniqueId }}>
        {children}
      </Link>
    );
  if (type === 'requirement')
    return (
      <Link to="/requirements/$uniqueId" params={{ uniqueId }}>
        {children}
      </Link>
    );
  if (type === 'webhook')
    return (
      <Link to="/webhooks/$uniqueId" params={{ uniqueId }}>
        {children}
      </Link>
    );
  if (type === 'member')
    return (
      <Link to="/members/$uniqueId" params={{ uniqueId }}>
        {children}
      </Link>
    );
  return hasListPage(type) ? <Link to={LIST_PAGES[type]}>{children}</Link> : children;
}

/** The name of a resource, with a link to its page; in quotation marks if it was deleted. */
export function ResourceName({ resource }: Pick<AuditEvent, 'resource'>) {
  const name = nameOf(resource);
  return resource.isDeleted ? `“${name}”` : <ResourceLink resource={resource}>{name}</ResourceLink>;
}
