import type { Outputs } from '../../api/client.ts';
import { valuesOf } from '../../api/values.ts';

export type Vendor = Outputs['vendor']['get'];

/** Every status of a vendor. */
export const VENDOR_STATUSES = valuesOf<Vendor['status']>({ active: true, inactive: true, archived: true });
