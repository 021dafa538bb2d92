import type { StepContext } from '../step-context.ts';
import type { VendorStepInput } from '../steps.ts';
import { findReservation } from './external-id.ts';
import { VENDORS, firstNonEmpty, withoutTimestamps } from './values.ts';
import { applyVendorPut, vendorAfterPut, vendorInput, vendorOutput } from './vendor.ts';

export async function batchVendors(
  context: StepContext,
  atomic: boolean,
  items: { externalId: number; input: VendorStepInput }[],
): Promise<void> {
  const planned = items.map(({ externalId, input }) => {
    const reservation = findReservation(context, 'vendor', externalId);
    const before = context.model.vendors.get(reservation.reserved ?? '');
    const body = vendorInput(context, input);
    const { after, isInvalid, lacksName } = vendorAfterPut(context, before, body, 'merge', reservation.reference);
    const [error] = firstNonEmpty(
      context.deniedStatuses('vendor:write'),
      isInvalid ? [400] : [],
      before === undefined && reservation.reserved !== undefined ? [409] : [],
      lacksName ? [400] : [],
    );
    return { reservation, before, after, body, error };
  });
  const errors = planned.flatMap(({ error }) => (error === undefined ? [] : [error]));
  const [rejected] = errors.includes(400) ? [400] : errors;
  const predicted = context.model.disabledKeys.has(context.key)
    ? [401]
    : atomic && rejected !== undefined
      ? [rejected]
      : [];
  const request = {
    procedure: 'vendor.batch',
    method: 'POST',
    path: `${VENDORS}/batch`,
    input: {
      atomic,
      items: planned.map(({ reservation, body }) => ({
        op: 'upsert',
        ...reservation.reference,
        mode: 'merge',
        body,
      })),
    },
  };
  const result = await context.sendChange(request, 200, predicted);
  if (result === undefined) return;
  const results: unknown = Reflect.get(Object(result.data), 'results');
  for (const [index, { reservation, before, after, error }] of planned.entries()) {
    const { status, item } = Object(Array.isArray(results) ? results[index] : undefined) as Record<string, unknown>;
    const expected = error ?? (before === undefined ? 201 : 200);
    context.assert(status === expected, result.response, `the status ${expected} of item ${index}`);
    if (error !== undefined) continue;
    const current = applyVendorPut(context, before, after, reservation.key, item);
    context.assertEqual(withoutTimestamps(item), vendorOutput(context, current), result);
  }
}
