import type { Outputs } from '../../api/client.ts';
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

/** Every risk that a review finds, with the words of a criticality: values of the URL and of a form. */
export const riskOptions = criticalityOptions.map(({ value, label }) => ({ value: String(value), label }));

type Review = NonNullable<Vendor['lastReview']>;
export type Outcome = NonNullable<Review['outcome']>;

/** Every outcome of a review, the best first. */
export const OUTCOMES = valuesOf<Outcome>({ approved: true, conditional: true, rejected: true });
