import type { Inputs, Outputs } from '../../api/client.ts';
import { valuesOf } from '../../api/values.ts';

export type Vendor = Outputs['vendor']['get'];
export type Contact = Vendor['contacts'][number];

/** Every status of a vendor. */
export const VENDOR_STATUSES = valuesOf<Vendor['status']>({ active: true, inactive: true, archived: true });

/** Every criticality, the highest first. */
const CRITICALITIES: readonly number[] = [1, 2, 3, 4];
const CRITICALITY_TEXTS: Readonly<Record<number, string>> = { 1: 'Critical', 2: 'High', 3: 'Medium', 4: 'Low' };

/** A criticality as people read it: "High". */
export const criticalityText = (criticality: number): string => CRITICALITY_TEXTS[criticality] ?? String(criticality);

export const criticalityOptions = CRITICALITIES.map((value) => ({ value, label: criticalityText(value) }));

/** Filters, order and view of the list of vendors. */
export type VendorQuery = Extract<Inputs['vendor']['page'], object>;

/** Values of the filter for the next review, as people read them. */
export const REVIEW_OPTIONS: readonly { value: NonNullable<VendorQuery['review']>; label: string }[] = [
  { value: 'overdue', label: 'Overdue' },
  { value: 'month', label: 'Due within 30 days' },
  { value: 'none', label: 'No next review' },
];

/** Values of the filter for the end of the contract, as people read them. */
export const CONTRACT_OPTIONS: readonly { value: NonNullable<VendorQuery['contract']>; label: string }[] = [
  { value: 'ended', label: 'Ended' },
  { value: 'month', label: 'Ends within 30 days' },
];
