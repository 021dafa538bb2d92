import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { NO_FRAMEWORK, newUniqueId } from '../../entities/ids.ts';
import { vendorExternalIds, vendorStatements } from '../../entities/vendor/statements.ts';
import type { VendorRecord } from '../../entities/vendor/statements.ts';
import type { ExternalReference } from '../../entities/external-id/external-id.ts';
import { applyVendorChanges, vendorResource } from '../../entities/vendor/vendor.ts';
import type { VendorFields } from '../../entities/vendor/vendor.ts';
import { externalIdActions, undefinedIfNotFound } from '../external-id/actions.ts';
import type { UpsertOptions, UpsertResult } from '../external-id/actions.ts';
import { externalIdProcedures } from '../external-id/router.ts';
import { openapi } from './openapi.ts';
import { VendorByExternalId, VendorLink, VendorOutput, VendorPut } from './schemas.ts';
import type { VendorBody } from './schemas.ts';
import { requireUsableReferences } from '../core/resource.ts';
import { BASE_PATH, actions, changeVendor, removeVendor } from './write.ts';

const byExternalId = externalIdActions('vendor', { ...vendorStatements, ...vendorExternalIds });

const toKey = ({ source, externalId }: ExternalReference) => ({ framework: NO_FRAMEWORK, source, externalId });

/** The vendor with an external id. @throws ApiError 404 */
export const readVendorByExternalId = (session: Session, reference: ExternalReference): Promise<VendorRecord> =>
  byExternalId.read(session, toKey(reference));

type Body = z.infer<typeof VendorBody>;

/** Fields of a new vendor with a body. */
const toNewFields = ({ name = '', ...body }: Body): VendorFields =>
  applyVendorChanges({ ...vendorResource.defaults, name }, body);

/**
 * Changes that a body makes to a vendor that exists. With `replace`, a description that is not sent is cleared, and without a status the
 * vendor becomes active. All later fields keep their value (contract, section 18). `active: false` leaves an archived vendor archived.
 */
function toChanges(body: Body, mode: UpsertOptions['mode']): Body {
  if (mode === 'merge') return body;
  const { description, status } = toNewFields(body);
  return { ...body, description, ...(body.active === undefined && { status }) };
}

/** Creates or changes the vendor with an external id. @throws ApiError */
export function upsertVendor(
  session: Session,
  { source, externalId, ...body }: ExternalReference & Body,
  options: UpsertOptions,
): Promise<UpsertResult<VendorRecord>> {
  const key = toKey({ source, externalId });
  const changes = toChanges(body, options.mode);
  return byExternalId.upsert(session, key, options, {
    fieldsBefore: (before) => applyVendorChanges(before, {}),
    fieldsAfter: (before) => applyVendorChanges(before, changes),
    change: ({ uniqueId }) => changeVendor(session, uniqueId, changes, options.ifMatch),
    create: async (reservedId) => {
      if (body.name === undefined) throw new ApiError('invalid_request', 'name: required');
      const vendor = { ...toNewFields(body), ...key, uniqueId: newUniqueId() };
      const row = await (reservedId === undefined
        ? session.first(vendorExternalIds.insert, vendor)
        : session.first(vendorExternalIds.recreate, { ...vendor, reservedId }));
      const { user } = session.principal;
      if (row !== undefined) return vendorStatements.toWritten(row, user, user);
      await requireUsableReferences(session, vendorStatements, {}, vendor);
      return undefined;
    },
  });
}

/** Changes a vendor as a PUT does. @returns undefined if there is none with this uniqueId */
export async function putVendor(
  session: Session,
  { uniqueId, ...body }: { uniqueId: string } & Body,
  mode: UpsertOptions['mode'],
): Promise<UpsertResult<VendorRecord> | undefined> {
  const change = await changeVendor(session, uniqueId, toChanges(body, mode)).catch(undefinedIfNotFound);
  return change && { upsert: change.isChanged ? 'updated' : 'unchanged', item: change.item };
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
