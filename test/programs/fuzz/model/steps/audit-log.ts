import type { EventModel } from '../company-model.ts';
import type { ParsedResponse, StepContext } from '../step-context.ts';
import { pickFields } from './values.ts';

export async function listAuditLog(context: StepContext, kind: 'task' | 'vendor'): Promise<void> {
  const input = { resourceType: kind, limit: 100 };
  const request = { procedure: 'audit.list', method: 'GET', path: '/external/audit/list', input };
  const result = await context.sendRead(request, context.deniedStatuses('audit:read'));
  const events = context.model.events.filter(
    ({ action, framework }) =>
      action.startsWith(`${kind}.`) && (framework === undefined || context.frameworkAllowed(framework)),
  );
  if (result !== undefined) assertEvents(context, result, events);
}

/** The newest events may not be sealed yet, so the feed is a prefix of the expected events. */
export async function followChanges(context: StepContext): Promise<void> {
  const request = { procedure: 'changes.list', method: 'GET', path: '/external/changes', input: { limit: 500 } };
  const result = await context.sendRead(request, context.deniedStatuses('audit:read'));
  if (result === undefined) return;
  const visible = context.model.events.filter(
    ({ action, framework }) =>
      /^(?:task|vendor)\./.test(action) && (framework === undefined || context.frameworkAllowed(framework)),
  );
  const all = Reflect.get(Object(result.data), 'items') as { action: string }[];
  const items = all.filter(({ action }) => /^(?:task|vendor)\./.test(action)).toReversed();
  assertEvents(context, { ...result, data: { items } }, visible.slice(0, items.length));
}

/** Asserts that the response lists exactly these events, newest first. */
export function assertEvents(context: StepContext, result: ParsedResponse, events: readonly EventModel[]): void {
  const items = Reflect.get(Object(result.data), 'items') as Record<string, unknown>[];
  const actual = items.map(({ action, actor, apiKey, resource, changes }, index) => {
    const expected = events.at(-1 - index);
    const allChanges = Object(changes) as Record<string, unknown>;
    const isUpdate = expected?.action.endsWith('.update') === true;
    const comparedChanges = isUpdate ? allChanges : pickFields(allChanges, Object.keys(expected?.changes ?? {}));
    return {
      action,
      actor,
      apiKey,
      resource: Reflect.get(Object(resource), 'uniqueId') as unknown,
      changes: comparedChanges,
    };
  });
  const expected = events.toReversed().map(({ action, key, actor, resource, changes }) => ({
    action,
    actor,
    apiKey: key?.uniqueId,
    resource,
    changes,
  }));
  context.assertEqual(actual, expected, result);
}
