import { pipelinedRead, batchedWrite, readStatement, defineStatement } from './define-statement.ts';
import type { Actor } from '../user.ts';
import type { VendorChanges, VendorFields, VendorStatus } from '../vendor.ts';
import { stateAsOf } from './as-of.ts';
import { matchesEntityTag } from './entity-tag.ts';
import type { IfMatch } from './entity-tag.ts';
import {
  creatorColumns,
  toCreator,
  joinsCreator,
  ownMetadata,
  metadataColumns,
  metadataJoins,
  toChangeMetadata,
  updateReturningCurrent,
  toUpdater,
} from './change-metadata.ts';
import type { OwnMetadata, MetadataRow, ChangeMetadata, UpdateResult } from './change-metadata.ts';

/** The vendor object of the contract. Contract, section 4. */
export interface VendorRecord extends VendorFields, ChangeMetadata {
  uniqueId: string;
  active: boolean;
}

interface VendorRow extends VendorFields, OwnMetadata {
  unique_id: string;
}

export interface VendorListItem {
  uniqueId: string;
  name: string;
  status: VendorStatus;
}

const vendorColumns = (alias: string) => `${alias}.unique_id, ${alias}.name, ${alias}.status, ${alias}.description`;
const vendorWithMetadataColumns = `${vendorColumns('v')}, ${metadataColumns('v')}`;
const returningColumns = `${vendorColumns('vendor')}, ${ownMetadata('vendor')}`;

/** Vendors by name as one text in JSON, with how many there are: a fifth of the work that rows would be for this process. */
export const listVendorsAsJson = pipelinedRead<{ limit: number }, { json: string; total: number }>(
  'vendor.list-as-json',
  `select '[' || coalesce(string_agg('{"uniqueId":"' || unique_id || '","name":' || to_json(name) || ',"status":"' || status || '"}', ','), '')
    || ']' as json, count(*)::int as total
  from (select unique_id, name, status from vendor where company_id = :company order by name, unique_id limit :limit::int) v`,
);

const selectVendor = (andColumns = '', andWhere = '') =>
  `select ${vendorWithMetadataColumns}${andColumns} from vendor v ${metadataJoins('v')} where v.company_id = :company and v.unique_id = :uniqueId${andWhere}`;

export const getVendor = pipelinedRead<{ uniqueId: string }, VendorRow & MetadataRow>('vendor.get', selectVendor());

/** The vendor as it was at a moment; no row before it was there or after it went. */
export const getVendorAsOf = readStatement<{ uniqueId: string; asOf: string }, VendorRow & MetadataRow>(
  'vendor.as-of',
  `with ${stateAsOf('vendor')} select ${vendorWithMetadataColumns} from state v ${metadataJoins('v')}`,
);

export const insertVendor = batchedWrite<VendorFields & { uniqueId: string }, VendorRow>(
  'vendor.insert',
  `insert into vendor (company_id, unique_id, name, status, description, created_by_id, updated_by_id)
  values (:company, :uniqueId, :name, :status, :description, :user, :user)
  returning ${returningColumns}`,
  ({ uniqueId }) => uniqueId,
);

/** What the fields become. `active` is another way to say `status`; false leaves an archived vendor archived. */
const newValueList = `coalesce(:name, vendor.name), coalesce(:description, vendor.description), case
  when :status::text is not null then :status
  when :active::boolean then 'active'
  when not :active and vendor.status = 'active' then 'inactive'
  else vendor.status end`;

/** Changes what is given, where the tag matches and that changes anything. */
export const updateVendor = batchedWrite<
  VendorChanges & { uniqueId: string; ifMatch: IfMatch },
  UpdateResult<VendorRow>
>(
  'vendor.update',
  updateReturningCurrent(
    `update vendor
  set (name, description, status, version, updated_at, updated_by_id) = row(${newValueList}, vendor.version + 1, now(), :user::uuid)
  from company_user creator
  where vendor.company_id = :company and vendor.unique_id = :uniqueId and ${joinsCreator('vendor')}
    and (vendor.name, vendor.description, vendor.status) is distinct from (${newValueList})
    and ${matchesEntityTag('vendor')}
  returning ${returningColumns}, ${creatorColumns}`,
    selectVendor,
  ),
  ({ uniqueId }) => uniqueId,
);

/** No row where there is none, or its tag does not match. */
export const deleteVendor = defineStatement<{ uniqueId: string; ifMatch: IfMatch }, { uniqueId: string }>(
  'vendor.delete',
  `delete from vendor where vendor.company_id = :company and vendor.unique_id = :uniqueId
    and ${matchesEntityTag('vendor')}
  returning vendor.unique_id as "uniqueId"`,
);

/** A vendor with its users, as it is read. */
export const toVendor = (row: VendorRow & MetadataRow): VendorRecord =>
  vendorFromWrite(row, toCreator(row), toUpdater(row));

/** A vendor that `updatedBy` has just written. */
export function vendorFromWrite(row: VendorRow, createdBy: Actor, updatedBy: Actor): VendorRecord {
  const { unique_id: uniqueId, name, status, description } = row;
  const active = status === 'active';
  return { uniqueId, name, status, active, description, ...toChangeMetadata(row, createdBy, updatedBy) };
}
