import { vendorResource } from '../../entities/vendor/vendor.ts';
import { externalIdProcedures } from '../external-id/router.ts';
import { linkVendor, readVendorByExternalId, upsertVendor } from './external-id.ts';
import { openapi } from './openapi.ts';
import { VendorByExternalId, VendorLink, VendorOutput, VendorPut } from './schemas.ts';
import { BASE_PATH, actions } from './write.ts';

/** Procedures for vendors by external id. */
export const vendorsByExternalId = externalIdProcedures({
  resource: vendorResource,
  paths: {
    item: `${BASE_PATH}/{uniqueId}/item`,
    byExternalId: `${BASE_PATH}/by/{source}/{externalId}`,
    link: `${BASE_PATH}/{vendor}/link`,
  },
  openapi,
  putToolDescription: 'Only a new vendor needs a name.',
  putErrors: [404, 409],
  schemas: { reference: VendorByExternalId, put: VendorPut, link: VendorLink, item: VendorOutput },
  actions: { read: readVendorByExternalId, upsert: upsertVendor, remove: actions.remove, link: linkVendor },
});
