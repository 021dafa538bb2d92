import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { NO_FRAMEWORK, newUniqueId } from '../../entities/ids.ts';
import { vendorExternalIds } from '../../entities/vendor/external-id.ts';
import { vendorStatements } from '../../entities/vendor/statements.ts';
import type { VendorRecord } from '../../entities/vendor/statements.ts';
import type { ExternalReference } from '../../entities/external-id/external-id.ts';
import { applyVendorChanges, vendorResource } from '../../entities/vendor/vendor.ts';
import { externalIdActions } from '../external-id/actions.ts';
import type { UpsertOptions, UpsertResult } from '../external-id/actions.ts';
import { externalIdProcedures } from '../external-id/router.ts';
import { openapi } from './openapi.ts';
import { VendorByExternalId, VendorLink, VendorOutput, VendorPut } from './schemas.ts';
import type { VendorBody } from './schemas.ts';
import { BASE_PATH, actions, changeVendor, removeVendor, requireUsableOwner } from './write.ts';

const byExternalId = externalIdActions('vendor', { ...vendorStatements, ...vendorExternalIds });

const toKey = ({ source, externalId }: ExternalReference) => ({ framework: NO_FRAMEWORK, source, externalId });

/** The vendor with an external id. @throws ApiError 404 */
const readVendorByExternalId = (session: Session, reference: ExternalReference): Promise<VendorRecord> =>
  byExternalId.read(session, toKey(reference));

/** Creates or changes the vendor with an external id. @throws ApiError */
export function upsertVendor(
  session: Session,
  { source, externalId, ...body }: ExternalReference & z.infer<typeof VendorBody>,
  options: UpsertOptions,
): Promise<UpsertResult<VendorRecord>> {
  const key = toKey({ source, externalId });
  const { name, active, description = vendorResource.defaults.description } = body;
  const newFields = applyVendorChanges({ ...vendorResource.defaults, name: name ?? '' }, body);
  // A PUT that replaces clears the description. All later fields keep their value (contract, section 18). `active: false` leaves an
  // archived vendor archived.
  const replacing = { ...body, description, ...(active === undefined && { status: newFields.status }) };
  const changes = options.mode === 'merge' ? body : replacing;
  return byExternalId.upsert(session, key, options, {
    fieldsBefore: (before) => applyVendorChanges(before, {}),
    fieldsAfter: (before) => applyVendorChanges(before, changes),
    change: ({ uniqueId }) => changeVendor(session, uniqueId, changes, options.ifMatch),
    create: async (reservedId) => {
      if (name === undefined) throw new ApiError('invalid_request', 'name: required');
      const vendor = { ...newFields, ...key, uniqueId: newUniqueId() };
      const row = await (reservedId === undefined
        ? session.first(vendorExternalIds.insert, vendor)
        : session.first(vendorExternalIds.recreate, { ...vendor, reservedId }));
      const { user } = session.principal;
      if (row !== undefined) return vendorStatements.toWritten(row, user, user);
      await requireUsableOwner(session, vendor.ownerId);
      return undefined;
    },
  });
}

/** Adds an external id to a vendor. @throws ApiError */
const linkVendor = (
  session: Session,
  { vendor: uniqueId, ...reference }: z.infer<typeof VendorLink>,
): Promise<VendorRecord> => byExternalId.link(session, toKey(reference), () => actions.read(session, uniqueId));

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
  actions: { read: readVendorByExternalId, upsert: upsertVendor, remove: removeVendor, link: linkVendor },
});
