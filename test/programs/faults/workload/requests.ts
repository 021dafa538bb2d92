import { companyMarker } from '../../../support/http/markers.ts';
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

const newTaskPath = ({ framework }: Company) => `/external/task/framework/${framework}/new`;

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
  const change = { ...common, resourceType: type, resource: id };
  if (kind < 0.5) {
    const body =
      type === 'task' ? { title: text, priority: 1 + random.integerBelow(4) } : { name: text, description: text };
    return { ...change, action: 'update', method: 'PATCH', path: resourcePath(resource, 'edit'), body };
  }
  if (kind < 0.6 || owned.length > MAX_RESOURCES)
    return { ...change, action: 'delete', method: 'DELETE', path: resourcePath(resource, 'delete') };
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

function createRequest(common: CommonFields, company: Company, text: string, random: SeededRandom): SentRequest {
  const request = { ...common, action: 'create' as const, method: 'POST' as const };
  return random.next() < 0.5
    ? {
        ...request,
        resourceType: 'task',
        path: newTaskPath(company),
        body: { title: text, description: text, priority: 1 + random.integerBelow(4), labels: [text.slice(0, 40)] },
      }
    : { ...request, resourceType: 'vendor', path: `${VENDORS}/new`, body: { name: text, description: text } };
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
  const create = (path: string, body: object) => ({ ...rejected, method: 'POST' as const, path, body: { ...body } });
  const dates = { startDate: '2026-05-02', dueDate: '2026-05-01' };
  return random.pick<SentRequest>([
    create(newTaskPath(otherCompany), { title: text }),
    create(`${VENDORS}/new`, { name: text, surprise: true }),
    create(newTaskPath(company), { title: text, ...dates }),
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
): SentRequest[] => {
  const request = { ...rejected, resourceType: foreignResource.type };
  const path = (action: string) => resourcePath(foreignResource, action);
  return [
    { ...request, method: 'GET', path: path('item'), hasIdempotencyKey: false },
    { ...request, method: 'GET', path: path('history'), hasIdempotencyKey: false },
    { ...request, method: 'DELETE', path: path('delete') },
    { ...request, method: 'PATCH', path: path('edit'), body: { description: text } },
  ];
};
