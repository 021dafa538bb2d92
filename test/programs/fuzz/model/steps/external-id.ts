import type { ExternalIdModel } from '../company-model.ts';
import type { ParsedResponse, StepContext } from '../step-context.ts';
import type { PutOptions } from '../steps.ts';
import { VENDORS, firstNonEmpty } from './values.ts';

/** An external id of a step, with the object that it is reserved for. The object may be deleted. */
interface Reservation {
  key: string;
  reserved: string | undefined;
  reference: ExternalIdModel;
  path: string;
  input: Record<string, unknown>;
  pathFields: readonly string[];
}

/** The external id of a step, the object that it is reserved for, and that object if it exists. */
export function findReservation(
  context: StepContext,
  kind: 'task' | 'vendor',
  index: number,
  framework?: number,
): Reservation {
  const reference = { source: 'fuzz', externalId: `${context.markedText('ID/', index)}%2F` };
  const key = JSON.stringify([kind, framework, index]);
  const reserved = context.model.reservations.get(key);
  const segments = `by/fuzz/${encodeURIComponent(reference.externalId)}`;
  const path = kind === 'task' ? `/external/task/framework/${framework}/${segments}` : `${VENDORS}/${segments}`;
  const input = { ...reference, ...(framework !== undefined && { framework }) };
  return { key, reserved, reference, path, input, pathFields: ['source', 'externalId', 'framework'] };
}

/** Errors of a PUT that depend on whether the object exists. */
export function upsertErrors({ create, recreate }: PutOptions, exists: boolean, isReserved: boolean): number[] {
  if (exists) return [];
  return firstNonEmpty(create ? [] : [404], isReserved && !recreate ? [409] : []);
}

/** Sends a PUT. @returns the item; undefined for an error or a replay */
export async function sendPut(
  context: StepContext,
  kind: 'task' | 'vendor',
  { path, input, pathFields }: Pick<Reservation, 'path' | 'input' | 'pathFields'>,
  fields: Record<string, unknown>,
  options: PutOptions,
  headers: Record<string, string>,
  upsert: string,
  predicted: readonly number[],
): Promise<{ result: ParsedResponse; item: unknown; isDryRun: boolean } | undefined> {
  const { externalId: _index, ...query } = options;
  const isDryRun = query.dryRun && context.step.idempotencyKey === undefined;
  const request = {
    procedure: `${kind}.putByExternalId`,
    method: 'PUT',
    path,
    input: { ...input, ...query, dryRun: isDryRun, ...fields },
    pathFields,
    queryFields: Object.keys(query),
    headers,
  };
  const result = await context.sendChange(request, upsert === 'created' ? 201 : 200, predicted);
  if (result === undefined) return undefined;
  const isRest = context.step.transport === 'REST';
  const sentUpsert: unknown = isRest ? result.response.headers['x-upsert'] : Reflect.get(Object(result.data), 'upsert');
  context.assert(sentUpsert === upsert, result.response, `the upsert ${upsert}, not ${String(sentUpsert)}`);
  return { result, item: isRest ? result.data : Reflect.get(Object(result.data), 'item'), isDryRun };
}
