import { me, statement } from '../database/statement.ts';
import type { VendorFields, VendorStatus } from '../vendor.ts';
import { stateAsOf } from './as-of.ts';
import { stampColumns, stampJoins, toStamps } from './stamps.ts';
import type { StampRow, Stamps } from './stamps.ts';

/** The vendor object of the contract. Contract, section 4. */
export interface VendorRecord extends VendorFields, Stamps {
  uniqueId: string;
  active: boolean;
}

interface VendorRow extends VendorFields, StampRow {
  unique_id: string;
}

export interface VendorListed {
  uniqueId: string;
  name: string;
  status: VendorStatus;
}

const vendorObject = `v.unique_id, v.name, v.status, v.description, ${stampColumns('v')}`;

export const listVendors = statement<object, VendorListed>(
  'vendor.list',
  `select unique_id as "uniqueId", name, status from vendor where company_id = :company order by name, unique_id`,
);

export const getVendor = statement<{ uniqueId: string }, VendorRow>(
  'vendor.get',
  `select ${vendorObject} from vendor v ${stampJoins('v')} where v.company_id = :company and v.unique_id = :uniqueId`,
);

/** The vendor as it was at a moment; no row before it was there or after it went. */
export const getVendorAsOf = statement<{ uniqueId: string; asOf: string }, VendorRow>(
  'vendor.as-of',
  `with ${stateAsOf('vendor')} select ${vendorObject} from state v ${stampJoins('v')}`,
);

export const insertVendor = statement<VendorFields & { uniqueId: string }, VendorRow>(
  'vendor.insert',
  `with ${me},
  v as (
    insert into vendor (company_id, unique_id, name, status, description, created_by_id, updated_by_id)
    select :company, :uniqueId, :name, :status, :description, :user, :user from me
    returning *)
  select ${vendorObject} from v ${stampJoins('v')}`,
);

/** Writes the whole state over the version it was made from; no row when another change came first. */
export const updateVendor = statement<VendorFields & { uniqueId: string; version: number }, VendorRow>(
  'vendor.update',
  `with ${me},
  v as (
    update vendor
    set name = :name, status = :status, description = :description,
      version = vendor.version + 1, updated_at = now(), updated_by_id = :user
    from me
    where vendor.company_id = :company and vendor.unique_id = :uniqueId and vendor.version = :version
    returning vendor.*)
  select ${vendorObject} from v ${stampJoins('v')}`,
);

export const deleteVendor = statement<{ uniqueId: string }, { uniqueId: string }>(
  'vendor.delete',
  `with ${me}
  delete from vendor using me where vendor.company_id = :company and vendor.unique_id = :uniqueId
  returning vendor.unique_id as "uniqueId"`,
);

export function toVendor({ unique_id, name, status, description, ...stamps }: VendorRow): VendorRecord {
  return { uniqueId: unique_id, name, status, active: status === 'active', description, ...toStamps(stamps) };
}
