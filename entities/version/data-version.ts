import { defineEntity, p } from '@mikro-orm/core';
import { defineStatement, readStatement } from '../statements/define-statement.ts';

/** Longest text of a version such as 0.12.3. */
const MAX_VERSION_LENGTH = 20;

/** Text of a version: three numbers. */
const versionColumn = () => p.string().length(MAX_VERSION_LENGTH);

const dataVersionSchema = defineEntity({
  name: 'DataVersion',
  properties: {
    /** Key of the only row. */
    name: p.enum(['data']).primary(),
    /** Newest version of the service that has run on the data. */
    data: versionColumn(),
    /** Oldest version that can run on them. */
    oldest: versionColumn(),
  },
});

/** Version of the data, which a migration inserts. Contract, section 25. */
export class DataVersion extends dataVersionSchema.class {
  static readonly writePrivileges = ['update'] as const;
}
dataVersionSchema.setClass(DataVersion);

const serviceProcessSchema = defineEntity({
  name: 'ServiceProcess',
  properties: {
    uniqueId: p.uuid().primary(),
    version: versionColumn(),
    /** Time of the last sign of life. */
    seenAt: p.datetime(3),
  },
});

/** A running process of the service. Contract, section 25. */
export class ServiceProcess extends serviceProcessSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
serviceProcessSchema.setClass(ServiceProcess);

/** Versions that concern the data. */
export interface DataVersionRow {
  /** Newest version that has run on the data. */
  data: string;
  /** Oldest version that can run on them. */
  oldest: string;
}

/** SQL of a version as numbers, which PostgreSQL compares one by one. */
const numbers = (version: string) => `string_to_array(${version}::text, '.')::int[]`;

/** SQL that is true for a process that has given no sign of life for a while. */
const HAS_ENDED = `seen_at < now() - interval '30 seconds'`;

export const readDataVersion = readStatement<object, DataVersionRow>(
  'data-version.read',
  'select data, oldest from data_version',
  'all companies',
);

/**
 * Records a sign of life of a process, unless its version cannot run on the data. Records its version as that of the data if
 * it is newer. Deletes processes that ended without notice. Returns the previous version.
 */
export const recordProcess = defineStatement<{ process: string; version: string }, DataVersionRow>(
  'service-process.record',
  // The lock makes `requireVersion` see this process, or this statement see what it raised. `raised` reads `known`, because a
  // row that the statement has updated already cannot be locked.
  ({ process, version }) => `with known as (select data, oldest from data_version for update),
  raised as (update data_version v set data = ${version} from known where ${numbers('known.data')} < ${numbers(version)}),
  recorded as (
    insert into service_process (unique_id, version, seen_at)
    select ${process}, ${version}, now() from known where ${numbers('oldest')} <= ${numbers(version)}
    on conflict (unique_id) do update set seen_at = excluded.seen_at),
  ended as (delete from service_process where ${HAS_ENDED} and unique_id <> ${process})
  select data, oldest from known`,
  'all companies',
);

export const deleteProcess = defineStatement<{ process: string }, object>(
  'service-process.delete',
  ({ process }) => `delete from service_process where unique_id = ${process}`,
  'all companies',
);

/** Locks the version of the data, so that no process records itself until the end of the transaction. */
export const lockDataVersion = defineStatement<object, DataVersionRow>(
  'data-version.lock',
  'select data, oldest from data_version for update',
  'all companies',
);

/** Raises the oldest version that can run on the data. Returns the version of an older process that runs and prevents it. */
export const raiseOldest = defineStatement<{ version: string }, { older: string | null }>(
  'data-version.raise-oldest',
  ({ version }) => `with older as (
    select version from service_process where not ${HAS_ENDED} and ${numbers('version')} < ${numbers(version)} limit 1),
  raised as (update data_version set oldest = ${version}
    where ${numbers('oldest')} < ${numbers(version)} and not exists (select from older))
  select (select version from older) as older`,
  'all companies',
);
