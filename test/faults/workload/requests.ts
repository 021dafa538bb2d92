import { companyMarker } from '../checks/oracle.ts';
import type { Company } from './load.ts';
import type { SeededRandom } from './random.ts';
import type { SentRequest } from './operation-log.ts';

/** A resource that a client made and nobody else changes. */
export interface Resource {
  type: 'task' | 'vendor';
  id: string;
}

const VENDORS = '/external/smart-inventory/vendor';
const resourcePath = ({ type, id }: Resource, action: string) =>
  type === 'task' ? `/external/task/${id}/${action}` : `${VENDORS}/${id}/${action}`;

/** Resources that a client keeps: so many that it deletes as often as it creates from there on. */
const MAX_RESOURCES = 30;

interface RequestContext {
  company: Company;
  owned: readonly Resource[];
  /** A company that is none of the client's business, and something of it. */
  otherCompany: Company;
  foreignResource: Resource | undefined;
}

/** What a client asks next: half changes with an Idempotency-Key, some without, reads, and what must be refused. */
export function nextRequest(op: string, context: RequestContext, random: SeededRandom): SentRequest {
  const { company, owned } = context;
  const text = `${companyMarker(company.id)} ${op}`;
  const common = { operationId: op, company: company.id, hasIdempotencyKey: random.next() < 0.7 };
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

/** What must come to nothing: of another company, against a rule, after another change, malformed. */
function rejectedRequest(
  common: CommonFields,
  context: RequestContext,
  resource: Resource,
  text: string,
  random: SeededRandom,
): SentRequest {
  const { company, otherCompany: other, foreignResource: stranger } = context;
  const refused = { ...common, resourceType: resource.type, action: 'rejection' as const };
  const title = resource.type === 'task' ? { title: text } : { name: text };
  return random.pick<SentRequest>([
    { ...refused, method: 'POST', path: `/external/task/framework/${other.framework}/new`, body: { title: text } },
    { ...refused, method: 'POST', path: `${VENDORS}/new`, body: { name: text, surprise: true } },
    {
      ...refused,
      method: 'POST',
      path: `/external/task/framework/${company.framework}/new`,
      body: { title: text, startDate: '2026-05-02', dueDate: '2026-05-01' },
    },
    {
      ...refused,
      method: 'PATCH',
      path: resourcePath(resource, 'edit'),
      body: title,
      headers: { 'If-Match': '"none"' },
    },
    ...(stranger === undefined ? [] : crossTenantRequests(refused, stranger, text)),
  ]);
}

/** Reading, changing and deleting what is another company's. */
const crossTenantRequests = (
  refused: CommonFields & { action: 'rejection' },
  stranger: Resource,
  text: string,
): SentRequest[] => [
  {
    ...refused,
    resourceType: stranger.type,
    method: 'GET',
    path: resourcePath(stranger, 'item'),
    hasIdempotencyKey: false,
  },
  {
    ...refused,
    resourceType: stranger.type,
    method: 'GET',
    path: resourcePath(stranger, 'history'),
    hasIdempotencyKey: false,
  },
  { ...refused, resourceType: stranger.type, method: 'DELETE', path: resourcePath(stranger, 'delete') },
  {
    ...refused,
    resourceType: stranger.type,
    method: 'PATCH',
    path: resourcePath(stranger, 'edit'),
    body: { description: text },
  },
];
