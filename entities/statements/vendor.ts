import { brief, changing, reading, statement } from '../database/statement.ts';
import type { Actor } from '../user.ts';
import type { VendorChanges, VendorFields, VendorStatus } from '../vendor.ts';
import { stateAsOf } from './as-of.ts';
import { tagMatches } from './tag.ts';
import type { IfMatch } from './tag.ts';
import {
  creator,
  creatorOf,
  isCreatorOf,
  ownStamps,
  stampColumns,
  stampJoins,
  toStamps,
  updateOrFind,
  updaterOf,
} from './stamps.ts';
import type { OwnStamps, StampRow, Stamps, Updated } from './stamps.ts';

/** The vendor object of the contract. Contract, section 4. */
export interface VendorRecord extends VendorFields, Stamps {
  uniqueId: string;
  active: boolean;
}

interface VendorRow extends VendorFields, OwnStamps {
  unique_id: string;
}

export interface VendorListed {
  uniqueId: string;
  name: string;
  status: VendorStatus;
}

const ownColumns = (alias: string) => `${alias}.unique_id, ${alias}.name, ${alias}.status, ${alias}.description`;
const vendorObject = `${ownColumns('v')}, ${stampColumns('v')}`;
const written = `${ownColumns('vendor')}, ${ownStamps('vendor')}`;

/** Vendors by name as one text in JSON, with how many there are: a fifth of the work that rows would be for this process. */
export const listVendorsAsJson = brief<{ limit: number }, { json: string; total: number }>(
  'vendor.list-as-json',
  `select '[' || coalesce(string_agg('{"uniqueId":"' || unique_id || '","name":' || to_json(name) || ',"status":"' || status || '"}', ','), '')
    || ']' as json, count(*)::int as total
  from (select unique_id, name, status from vendor where company_id = :company order by name, unique_id limit :limit::int) v`,
);

const findVendor = (andColumns = '', andWhere = '') =>
  `select ${vendorObject}${andColumns} from vendor v ${stampJoins('v')} where v.company_id = :company and v.unique_id = :uniqueId${andWhere}`;

export const getVendor = brief<{ uniqueId: string }, VendorRow & StampRow>('vendor.get', findVendor());

/** The vendor as it was at a moment; no row before it was there or after it went. */
export const getVendorAsOf = reading<{ uniqueId: string; asOf: string }, VendorRow & StampRow>(
  'vendor.as-of',
  `with ${stateAsOf('vendor')} select ${vendorObject} from state v ${stampJoins('v')}`,
);

export const insertVendor = changing<VendorFields & { uniqueId: string }, VendorRow>(
  'vendor.insert',
  `insert into vendor (company_id, unique_id, name, status, description, created_by_id, updated_by_id)
  values (:company, :uniqueId, :name, :status, :description, :user, :user)
  returning ${written}`,
  ({ uniqueId }) => uniqueId,
);

/** What the fields become. `active` is another way to say `status`; false leaves an archived vendor archived. */
const after = `coalesce(:name, vendor.name), coalesce(:description, vendor.description), case
  when :status::text is not null then :status
  when :active::boolean then 'active'
  when not :active and vendor.status = 'active' then 'inactive'
  else vendor.status end`;

/** Changes what is given, where the tag matches and that changes anything. */
export const updateVendor = changing<VendorChanges & { uniqueId: string; ifMatch: IfMatch }, Updated<VendorRow>>(
  'vendor.update',
  updateOrFind(
    `update vendor
  set (name, description, status, version, updated_at, updated_by_id) = row(${after}, vendor.version + 1, now(), :user::uuid)
  from company_user creator
  where vendor.company_id = :company and vendor.unique_id = :uniqueId and ${isCreatorOf('vendor')}
    and (vendor.name, vendor.description, vendor.status) is distinct from (${after})
    and ${tagMatches('vendor')}
  returning ${written}, ${creator}`,
    findVendor,
  ),
  ({ uniqueId }) => uniqueId,
);

/** No row where there is none, or its tag does not match. */
export const deleteVendor = statement<{ uniqueId: string; ifMatch: IfMatch }, { uniqueId: string }>(
  'vendor.delete',
  `delete from vendor where vendor.company_id = :company and vendor.unique_id = :uniqueId
    and ${tagMatches('vendor')}
  returning vendor.unique_id as "uniqueId"`,
);

/** A vendor with its users, as it is read. */
export const toVendor = (row: VendorRow & StampRow): VendorRecord => vendorOf(row, creatorOf(row), updaterOf(row));

/** A vendor that `updatedBy` has just written. */
export function vendorOf(row: VendorRow, createdBy: Actor, updatedBy: Actor): VendorRecord {
  const { unique_id: uniqueId, name, status, description } = row;
  const active = status === 'active';
  return { uniqueId, name, status, active, description, ...toStamps(row, createdBy, updatedBy) };
}
