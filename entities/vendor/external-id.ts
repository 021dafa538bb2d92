import { vendorResource } from './vendor.ts';
import type { VendorFields } from './vendor.ts';
import type { ReadOnlyFields } from './statements.ts';
import { ownMetadata } from '../statements/change-metadata.ts';
import type { OwnMetadata } from '../statements/change-metadata.ts';
import { defineStatement } from '../statements/define-statement.ts';
import type { Placeholders } from '../statements/define-statement.ts';
import { insertColumns, ownColumns } from '../statements/columns.ts';
import { frameworkOfNew, referenceConditions } from '../statements/references.ts';
import { insertedReservation, listedEntry, lockedExternalId, movedReservation } from '../external-id/reservation.ts';
import type { ExternalIdKey } from '../external-id/reservation.ts';
import { externalIdStatements } from '../external-id/statements.ts';

type NewVendor = ExternalIdKey & VendorFields & { uniqueId: string };
type InsertedVendor = VendorFields & ReadOnlyFields & OwnMetadata & { uniqueId: string };

const lockedIfUsable = (placeholders: Placeholders<NewVendor>) => {
  const given = { placeholders, framework: frameworkOfNew(vendorResource, placeholders) };
  return `locked where ${referenceConditions(vendorResource, given).join(' and ')}`;
};

/** Inserts a vendor if the CTE `reserved` has a row. */
function insertReserved(placeholders: Placeholders<NewVendor>, reserved: string): string {
  const { columns, values } = insertColumns(vendorResource, placeholders);
  return `with ${lockedExternalId('vendor', placeholders)}, ${reserved}
  insert into vendor (${columns}, external_ids) select ${values}, ${listedEntry(placeholders)} from reserved
  returning ${ownColumns(vendorResource, 'vendor', 'creation')}, ${ownMetadata('vendor')}`;
}

export const vendorExternalIds = {
  ...externalIdStatements('vendor', vendorResource, '0'),
  /** Reserves the external id and inserts the vendor. No row if the id is reserved already, or the owner is not usable. */
  insert: defineStatement<NewVendor, InsertedVendor>('vendor.insert-with-external-id', (placeholders) =>
    insertReserved(
      placeholders,
      insertedReservation('vendor', placeholders, `${placeholders.uniqueId}::uuid`, lockedIfUsable(placeholders)),
    ),
  ),
  /** Moves the reservation of a deleted vendor to a new one. No row if another request was first, or the owner is not usable. */
  recreate: defineStatement<NewVendor & { reservedId: string }, InsertedVendor>('vendor.recreate', (placeholders) =>
    insertReserved(placeholders, movedReservation('vendor', placeholders, lockedIfUsable(placeholders))),
  ),
};
