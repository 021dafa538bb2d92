import { defineEntity, p } from '@mikro-orm/core';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { defineStatement, readStatement } from '../statements/define-statement.ts';
import { Import, MAX_OPEN_IMPORTS, isUndo } from './import.ts';
import type { ImportKey, ImportKind } from './import.ts';

const importChangeSchema = defineEntity({
  name: 'ImportChange',
  properties: {
    ...companyKeyWithoutForeignKey,
    import: () => companyReference(Import, 'import_id').primary().deleteRule('cascade'),
    /** The object, which may be deleted by now. */
    uniqueId: p.uuid().primary(),
    /** Row and line that changed it first. */
    row: p.integer(),
    line: p.integer(),
    /** Version before the first change; 0 for an object that the import created. */
    versionBefore: p.integer(),
    /** Version after the last change, and the number of changes. Somebody else changed it between if they do not match. */
    version: p.integer(),
    changes: p.integer(),
  },
  ...tenantIsolation(),
});

/** An object that an import created or changed. An undo reads these, and the events of the versions. */
export class ImportChange extends importChangeSchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
}
importChangeSchema.setClass(ImportChange);

/**
 * Queues the undo of an import. No row if it has not ended or was undone, if it wrote nothing itself, or if a version of this service
 * ran it that did not record its changes.
 */
export const startUndo = defineStatement<
  ImportKey & { undoOf: string; dryRun: boolean; address: string | null },
  ImportKey
>(
  'import.start-undo',
  ({ company, user, key, request, uniqueId, undoOf, dryRun, address }) => `with undone as materialized (
    select i.* from import i where i.company_id = ${company}::int and i.unique_id = ${undoOf}::uuid for update),
  made as materialized (
    select count(*)::int as objects, coalesce(sum(c.changes), 0) as changes
    from import_change c where c.company_id = ${company}::int and c.import_id = ${undoOf}::uuid)
  insert into import (company_id, unique_id, kind, framework_id, format, dry_run, undo_of, state, phase, rows, queued_at,
    api_key_id, created_by_id, request_id, address)
  select o.company_id, ${uniqueId}::uuid, o.kind, o.framework_id, o.format, ${dryRun}::boolean, o.unique_id, 'queued', 'apply',
    made.objects, clock_timestamp(), ${key}::uuid, ${user}::uuid, ${request}, ${address}
  from undone o, made
  where o.ended_at is not null and not o.dry_run and o.undo_of is null and made.changes = o.created + o.updated
    and not exists (select from import by where by.company_id = o.company_id and by.undo_of = o.unique_id and ${isUndo('by')})
    and (select count(*) from import i
      where i.company_id = ${company}::int and i.state in ('uploading', 'queued', 'running')) < ${MAX_OPEN_IMPORTS}
  returning unique_id as "uniqueId"`,
);

/** What an import did to an object. */
export interface ImportedChange {
  uniqueId: string;
  row: number;
  line: number;
  /** 0 for an object that the import created. */
  versionBefore: number;
  version: number;
  changes: number;
}

const changeColumns = `c.unique_id as "uniqueId", c.row, c.line, c.version_before as "versionBefore", c.version, c.changes`;

/** The changes of an import after an object, by the id of the object. */
export const pageImportedChanges = readStatement<{ undoOf: string; after: string; limit: number }, ImportedChange>(
  'import.changes',
  ({ company, undoOf, after, limit }) => `select ${changeColumns} from import_change c
  where c.company_id = ${company} and c.import_id = ${undoOf} and c.unique_id > ${after}::uuid
  order by c.unique_id limit ${limit}::int`,
);

/**
 * The same of requirements, of which a framework has few: first what was changed, because it may stand below what was created, and the
 * newest first, because a requirement can be deleted only after those below it.
 */
export const pageImportedRequirements = readStatement<
  { undoOf: string; offset: number; limit: number },
  ImportedChange
>(
  'import.requirement-changes',
  ({ company, undoOf, offset, limit }) => `select ${changeColumns} from import_change c
  where c.company_id = ${company} and c.import_id = ${undoOf}
  order by c.version_before = 0, case when c.version_before > 0 then c.row end desc, c.unique_id desc
  offset ${offset}::int limit ${limit}::int`,
);

interface ObjectKey {
  kind: ImportKind;
  uniqueId: string;
}

/**
 * The changes that the last events of an object recorded, the oldest first, whether something was attached to it since the first of
 * them, and whether tasks name it.
 */
export const findLastEvents = readStatement<
  ObjectKey & { events: number },
  { changes: Readonly<Record<string, unknown>>[]; hasChildren: boolean; isNamed: boolean }
>(
  'import.last-events',
  ({ company, kind, uniqueId, events }) => `with last as materialized (
    select e.id, e.changes from audit_event e
    where e.company_id = ${company} and e.resource_type = ${kind}::text and e.resource_id = ${uniqueId}::text
    order by e.id desc limit ${events}::int)
  select coalesce((select json_agg(last.changes order by last.id) from last), '[]') as changes,
    exists (select from audit_event child where child.company_id = ${company} and child.parent_id = ${uniqueId}::text
      and child.id > (select min(last.id) from last)) as "hasChildren",
    exists (select from task_vendor v where v.company_id = ${company} and v.vendor_id = ${uniqueId}::uuid)
      or exists (select from task_requirement r where r.company_id = ${company} and r.requirement_id = ${uniqueId}::uuid)
      or exists (select from gap g where g.company_id = ${company} and g.requirement_id = ${uniqueId}::uuid) as "isNamed"`,
);

/** Frees the external ids of a deleted object. */
export const freeExternalIds = defineStatement<
  ObjectKey & { framework: number; sources: readonly string[]; externalIds: readonly string[] },
  never
>(
  'import.free-external-ids',
  ({ company, kind, uniqueId, framework, sources, externalIds }) => `delete from external_id x
  using unnest(${sources}::text[], ${externalIds}::text[]) given (source, external_id)
  where x.company_id = ${company}::int and x.resource_type = ${kind}::text and x.framework_id = ${framework}::int
    and x.source = given.source and x.external_id = given.external_id and x.resource_id = ${uniqueId}::uuid`,
);
