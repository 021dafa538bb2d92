import type { TaskModel, VendorModel } from '../company-model.ts';
import type { ModelRequest, StepContext } from '../step-context.ts';
import type { EntityTagMatch, ReferenceChoice } from '../steps.ts';
import { assertEvents } from './audit-log.ts';
import { findReservation } from './external-id.ts';
import { taskOutput } from './task.ts';
import { VENDORS, firstNonEmpty, withoutTimestamps } from './values.ts';
import { vendorOutput } from './vendor.ts';

type Kind = 'task' | 'vendor';

// Steps that are the same for tasks and vendors.

function findResource(context: StepContext, kind: Kind, uniqueId: string): TaskModel | VendorModel | undefined {
  return kind === 'task' ? context.model.tasks.get(uniqueId) : context.model.vendors.get(uniqueId);
}

function resourceRequest(kind: Kind, verb: string, method: string, uniqueId: string): ModelRequest {
  const pathField = kind === 'task' ? 'taskUniqueId' : 'vendor';
  const segment = { get: 'item', history: 'history', delete: 'delete' }[verb] ?? '';
  const path = `${kind === 'task' ? '/external/task' : VENDORS}/${uniqueId}/${segment}`;
  return { procedure: `${kind}.${verb}`, method, path, input: { [pathField]: uniqueId }, pathField };
}

const frameworkOf = (context: StepContext, kind: Kind, uniqueId: string) =>
  kind === 'task' ? context.model.tasks.get(uniqueId)?.framework : undefined;

/** Sends a read of a resource and compares the response. @param framework the framework that the key needs */
async function read(
  context: StepContext,
  kind: Kind,
  request: ModelRequest,
  resource: TaskModel | VendorModel | undefined,
  framework: number | undefined,
): Promise<void> {
  const denied = context.deniedStatuses(`${kind}:read`, framework);
  const result = await context.sendRead(request, firstNonEmpty(denied, resource === undefined ? [404] : []));
  if (result === undefined || resource === undefined) return;
  const expected = 'title' in resource ? taskOutput(context, resource) : vendorOutput(context, resource);
  context.assertEqual(withoutTimestamps(result.data), expected, result);
  context.recordEntityTag(result, resource);
}

/** Sends a deletion and records it in the model. */
async function remove(
  context: StepContext,
  kind: Kind,
  request: ModelRequest,
  resource: TaskModel | VendorModel | undefined,
  framework: number | undefined,
  stale: number[] = [],
): Promise<void> {
  const denied = context.deniedStatuses(`${kind}:delete`, framework);
  const missing = resource === undefined ? [404] : [];
  const result = await context.sendChange(request, 204, firstNonEmpty(denied, missing, stale));
  if (result === undefined || resource === undefined) return;
  const { uniqueId } = resource;
  (kind === 'task' ? context.model.tasks : context.model.vendors).delete(uniqueId);
  context.model.deleted.set(uniqueId, framework);
  const recorded = 'title' in resource ? { title: resource.title, status: resource.status } : { name: resource.name };
  context.recordEvent(`${kind}.delete`, uniqueId, recorded, framework);
}

export async function getResource(context: StepContext, kind: Kind): Promise<void> {
  const uniqueId = context.resourceId(kind);
  const request = resourceRequest(kind, 'get', 'GET', uniqueId);
  return read(context, kind, request, findResource(context, kind, uniqueId), frameworkOf(context, kind, uniqueId));
}

export async function deleteResource(context: StepContext, kind: Kind, match: EntityTagMatch): Promise<void> {
  const uniqueId = context.resourceId(kind);
  const resource = findResource(context, kind, uniqueId);
  const headers = context.ifMatch(resource, match);
  const request = { ...resourceRequest(kind, 'delete', 'DELETE', uniqueId), headers };
  const stale = context.staleStatuses(headers, match);
  return remove(context, kind, request, resource, frameworkOf(context, kind, uniqueId), stale);
}

export async function useExternalId(
  context: StepContext,
  verb: 'get' | 'delete',
  kind: Kind,
  choice: ReferenceChoice,
  externalId: number,
): Promise<void> {
  const framework = kind === 'task' ? context.referenceId(choice, 'frameworks') : undefined;
  const { reserved = '', path, input, pathFields } = findReservation(context, kind, externalId, framework);
  const request = {
    procedure: `${kind}.${verb}ByExternalId`,
    method: verb === 'get' ? 'GET' : 'DELETE',
    path,
    input,
    pathFields,
  };
  return (verb === 'get' ? read : remove)(context, kind, request, findResource(context, kind, reserved), framework);
}

export async function history(context: StepContext, kind: Kind): Promise<void> {
  const uniqueId = context.resourceId(kind);
  const framework = context.model.tasks.get(uniqueId)?.framework ?? context.model.deleted.get(uniqueId);
  const events = context.model.events.filter(({ resource }) => resource === uniqueId);
  const predicted = firstNonEmpty(context.deniedStatuses('audit:read', framework), events.length === 0 ? [404] : []);
  const result = await context.sendRead(resourceRequest(kind, 'history', 'GET', uniqueId), predicted);
  if (result !== undefined) assertEvents(context, result, events);
}
