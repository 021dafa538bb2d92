import { nextVendorStatus } from '../company-model.ts';
import type { ExternalIdModel, VendorModel } from '../company-model.ts';
import type { StepContext } from '../step-context.ts';
import type { EntityTagMatch, PutOptions, VendorStepInput } from '../steps.ts';
import { findReservation, sendPut, upsertErrors } from './external-id.ts';
import {
  VENDORS,
  firstNonEmpty,
  normalize,
  uniqueIdOf,
  upsertResult,
  withoutTimestamps,
  withoutUndefined,
} from './values.ts';

const contradicts = (active: boolean | undefined, status: string | undefined) =>
  active !== undefined && status !== undefined && active !== (status === 'active');

export function vendorInput(
  context: StepContext,
  { name, description, active, status }: VendorStepInput,
): Record<string, unknown> {
  return withoutUndefined({
    name: name === undefined ? undefined : `${context.markedText('Vendor', name)}${name === 3 ? '\n' : ''}`,
    description: description === undefined ? undefined : context.markedText('<p>Of', description).concat('</p>'),
    active,
    status,
  });
}

/** Fields that no step sets. */
const UNUSED = {
  website: null,
  criticality: null,
  owner: null,
  labels: [],
  dataCategories: [],
  contractStart: null,
  contractEnd: null,
  reviewEveryMonths: null,
  nextReview: null,
  contacts: [],
  lastReview: null,
  evidenceCount: 0,
};

export function vendorOutput(context: StepContext, { createdBy, updatedBy, ...vendor }: VendorModel): object {
  const active = vendor.status === 'active';
  return {
    ...vendor,
    ...UNUSED,
    active,
    createdBy: context.userOutput(createdBy),
    updatedBy: context.userOutput(updatedBy),
  };
}

export async function createVendor(context: StepContext, input: VendorStepInput): Promise<void> {
  const requestFields = vendorInput(context, input);
  const { active = true, ...fields } = { description: '', name: '', ...normalize(requestFields) } as VendorModel & {
    active?: boolean;
  };
  const request = { procedure: 'vendor.create', method: 'POST', path: `${VENDORS}/new`, input: requestFields };
  const result = await context.sendChange(request, 201, context.deniedStatuses('vendor:write'));
  if (result === undefined) return;
  const uniqueId = uniqueIdOf(result.data);
  const status = active ? 'active' : 'inactive';
  const created: VendorModel = {
    ...fields,
    uniqueId,
    status,
    externalIds: [],
    createdBy: context.key,
    updatedBy: context.key,
    version: 1,
  };
  context.assertEqual(withoutTimestamps(result.data), vendorOutput(context, created), result);
  context.assert(!context.model.vendors.has(uniqueId), result.response, 'a new id');
  context.model.vendors.set(uniqueId, created);
  context.recordEntityTag(result, created);
  context.recordEvent('vendor.create', uniqueId, { name: created.name, description: created.description, status });
}

export async function updateVendor(
  context: StepContext,
  input: VendorStepInput,
  match: EntityTagMatch,
  returnsResult: boolean,
): Promise<void> {
  const uniqueId = context.resourceId('vendor');
  const before = context.model.vendors.get(uniqueId);
  const requestFields = vendorInput(context, input);
  const { active, status, ...fields } = normalize(requestFields) as VendorStepInput & Partial<VendorModel>;
  const headers = context.ifMatch(before, match);
  const predicted = firstNonEmpty(
    context.deniedStatuses('vendor:write'),
    contradicts(active, status) ? [400] : [],
    before === undefined ? [404] : [],
    context.staleStatuses(headers, match),
  );
  const prefersRepresentation = returnsResult && context.step.transport === 'REST';
  const request = {
    procedure: returnsResult ? 'vendor.updateAndGet' : 'vendor.update',
    method: 'PATCH',
    path: `${VENDORS}/${uniqueId}/edit`,
    input: { vendor: uniqueId, ...requestFields },
    pathField: 'vendor',
    headers: { ...headers, ...(prefersRepresentation && { Prefer: 'return=representation' }) },
  };
  const result = await context.sendChange(request, returnsResult ? 200 : 204, predicted);
  if (result === undefined || before === undefined) return;
  const newStatus = nextVendorStatus(before.status, withoutUndefined({ active, status }));
  const after: VendorModel = { ...before, ...fields, status: newStatus };
  const { current, changes, isChanged } = context.afterChange(before, after);
  if (returnsResult) context.assertEqual(withoutTimestamps(result.data), vendorOutput(context, current), result);
  context.model.vendors.set(uniqueId, current);
  context.recordEntityTag(result, current);
  if (isChanged) context.recordEvent('vendor.update', uniqueId, changes);
}

/** The vendor after a PUT. */
export function vendorAfterPut(
  context: StepContext,
  before: VendorModel | undefined,
  requestFields: Record<string, unknown>,
  mode: PutOptions['mode'],
  reference: ExternalIdModel,
) {
  const { active, status, ...fields } = normalize(requestFields) as VendorStepInput & Partial<VendorModel>;
  const isReplaced = mode === 'replace' || before === undefined;
  const statusBefore =
    isReplaced && active === undefined && status === undefined ? 'active' : (before?.status ?? 'active');
  const after: VendorModel = {
    ...(before ?? {
      uniqueId: '',
      name: '',
      externalIds: [reference],
      createdBy: context.key,
      updatedBy: context.key,
      version: 1,
    }),
    ...(isReplaced ? { description: '' } : { description: before.description }),
    ...fields,
    status: nextVendorStatus(statusBefore, withoutUndefined({ active, status })),
  };
  const isInvalid = contradicts(active, status) || (fields.name === undefined && mode === 'replace');
  return { after, isInvalid, lacksName: fields.name === undefined && before === undefined };
}

/** Records the result of a PUT in the model. */
export function applyVendorPut(
  context: StepContext,
  before: VendorModel | undefined,
  after: VendorModel,
  key: string,
  item: unknown,
): VendorModel {
  const { current, changes, isChanged } = before
    ? context.afterChange(before, after)
    : { current: { ...after, uniqueId: uniqueIdOf(item) }, changes: {}, isChanged: false };
  const { uniqueId, name, description, status, externalIds } = current;
  context.model.vendors.set(uniqueId, current);
  context.model.reservations.set(key, uniqueId);
  if (before === undefined) context.recordEvent('vendor.create', uniqueId, { name, description, status, externalIds });
  else if (isChanged) context.recordEvent('vendor.update', uniqueId, changes);
  return current;
}

export async function putVendor(
  context: StepContext,
  input: VendorStepInput,
  options: PutOptions,
  match: EntityTagMatch,
): Promise<void> {
  const reservation = findReservation(context, 'vendor', options.externalId);
  const before = context.model.vendors.get(reservation.reserved ?? '');
  const fields = vendorInput(context, input);
  const { after, isInvalid, lacksName } = vendorAfterPut(context, before, fields, options.mode, reservation.reference);
  const headers = context.ifMatch(before, match);
  const predicted = firstNonEmpty(
    context.deniedStatuses('vendor:write'),
    isInvalid ? [400] : [],
    upsertErrors(options, before !== undefined, reservation.reserved !== undefined),
    lacksName ? [400] : [],
    context.staleStatuses(headers, match),
  );
  const upsert = upsertResult(before, after);
  const sent = await sendPut(context, 'vendor', reservation, fields, options, headers, upsert, predicted);
  if (sent === undefined) return;
  const { result, item, isDryRun } = sent;
  const uniqueId = uniqueIdOf(item);
  if (isDryRun) return;
  context.assert(before !== undefined || !context.model.vendors.has(uniqueId), result.response, 'a new id');
  const current = applyVendorPut(context, before, after, reservation.key, item);
  context.assertEqual(withoutTimestamps(item), vendorOutput(context, current), result);
  context.recordEntityTag(result, current);
}
