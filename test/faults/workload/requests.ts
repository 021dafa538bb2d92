import { companyMarker } from '../../support/http/markers.ts';
import type { SeededRandom } from './random.ts';
import type { SentRequest } from './operation-log.ts';

export interface Company {
  id: number;
  key: string;
  framework: number;
}

/** A resource that one client created and only that client changes. */
export interface Resource {
  type: 'task' | 'vendor';
  id: string;
}

const VENDORS = '/external/smart-inventory/vendor';
const resourcePath = ({ type, id }: Resource, action: string) =>
  type === 'task' ? `/external/task/${id}/${action}` : `${VENDORS}/${id}/${action}`;

/** Maximum resources of a client. At this number it deletes one for each that it creates. */
const MAX_RESOURCES = 30;

interface RequestContext {
  company: Company;
  owned: readonly Resource[];
  /** A company that the client must not access, and a resource of it. */
  otherCompany: Company;
  foreignResource: Resource | undefined;
}

/** Generates a request: a write with or without an Idempotency-Key, a read, or a request that must be rejected. */
export function nextRequest(operationId: string, context: RequestContext, random: SeededRandom): SentRequest {
  const { company, owned } = context;
  const text = `${companyMarker(company.id)} ${operationId}`;
  const common = { operationId, company: company.id, hasIdempotencyKey: random.next() < 0.7 };
  const kind = random.next();
  if (owned.length < 3 || kind < 0.25) return createRequest(common, company, text, random);
  const resource = random.pick(owned);
  const { type, id } = resource;
  if (kind < 0.5) {
    const body =
      type === 'task' ? { title: text, priority: 1 + random.integerBelow(4) } : { name: text, description: text };
    return {
      ...common,
      resourceType: type,
      action: 'update',
      method: 'PATCH',
      path: resourcePath(resource, 'edit'),
      resource: id,
      body,
    };
  }
  if (kind < 0.6 || owned.length > MAX_RESOURCES)
    return {
      ...common,
      resourceType: type,
      action: 'delete',
      method: 'DELETE',
      path: resourcePath(resource, 'delete'),
      resource: id,
    };
  if (kind < 0.8) return rejectedRequest(common, context, resource, text, random);
  const path = random.pick([
    resourcePath(resource, 'item'),
    resourcePath(resource, 'history'),
    `${VENDORS}/list`,
    `/external/task/framework/${company.framework}/list?limit=20`,
    '/external/audit/list?limit=20',
  ]);
  return { ...common, resourceType: 'audit', action: 'read', method: 'GET', path, hasIdempotencyKey: false };
}

type CommonFields = Pick<SentRequest, 'operationId' | 'company' | 'hasIdempotencyKey'>;

function createRequest(common: CommonFields, { framework }: Company, text: string, random: SeededRandom): SentRequest {
  return random.next() < 0.5
    ? {
        ...common,
        resourceType: 'task',
        action: 'create',
        method: 'POST',
        path: `/external/task/framework/${framework}/new`,
        body: { title: text, description: text, priority: 1 + random.integerBelow(4), labels: [text.slice(0, 40)] },
      }
    : {
        ...common,
        resourceType: 'vendor',
        action: 'create',
        method: 'POST',
        path: `${VENDORS}/new`,
        body: { name: text, description: text },
      };
}

/** Generates an invalid request: for another company, against a rule, with a stale entity tag, or malformed. */
function rejectedRequest(
  common: CommonFields,
  context: RequestContext,
  resource: Resource,
  text: string,
  random: SeededRandom,
): SentRequest {
  const { company, otherCompany, foreignResource } = context;
  const rejected = { ...common, resourceType: resource.type, action: 'rejection' as const };
  const title = resource.type === 'task' ? { title: text } : { name: text };
  return random.pick<SentRequest>([
    {
      ...rejected,
      method: 'POST',
      path: `/external/task/framework/${otherCompany.framework}/new`,
      body: { title: text },
    },
    { ...rejected, method: 'POST', path: `${VENDORS}/new`, body: { name: text, surprise: true } },
    {
      ...rejected,
      method: 'POST',
      path: `/external/task/framework/${company.framework}/new`,
      body: { title: text, startDate: '2026-05-02', dueDate: '2026-05-01' },
    },
    {
      ...rejected,
      method: 'PATCH',
      path: resourcePath(resource, 'edit'),
      body: title,
      headers: { 'If-Match': '"none"' },
    },
    ...(foreignResource === undefined ? [] : crossTenantRequests(rejected, foreignResource, text)),
  ]);
}

/** Requests that read, update and delete a resource of another company. */
const crossTenantRequests = (
  rejected: CommonFields & { action: 'rejection' },
  foreignResource: Resource,
  text: string,
): SentRequest[] => [
  {
    ...rejected,
    resourceType: foreignResource.type,
    method: 'GET',
    path: resourcePath(foreignResource, 'item'),
    hasIdempotencyKey: false,
  },
  {
    ...rejected,
    resourceType: foreignResource.type,
    method: 'GET',
    path: resourcePath(foreignResource, 'history'),
    hasIdempotencyKey: false,
  },
  { ...rejected, resourceType: foreignResource.type, method: 'DELETE', path: resourcePath(foreignResource, 'delete') },
  {
    ...rejected,
    resourceType: foreignResource.type,
    method: 'PATCH',
    path: resourcePath(foreignResource, 'edit'),
    body: { description: text },
  },
];
