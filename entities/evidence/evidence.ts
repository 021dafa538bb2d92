import { defineEntity, p } from '@mikro-orm/core';
import { ApiError } from '../api-error.ts';
import { File } from '../file/file.ts';
import { parentChecks, resourceTriggers } from '../schema/access.ts';
import { defineResource } from '../schema/resource.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { defineTrigger, unlessReceiving } from '../schema/triggers.ts';
import { Task, taskResource } from '../task/task.ts';
import { Vendor, vendorResource } from '../vendor/vendor.ts';

export const EVIDENCE_KINDS = ['file', 'link'] as const;

/** Maximum number of pieces of evidence of a task or vendor. */
export const MAX_EVIDENCE = 200;
/** Evidence is expiring when it is valid for less than these days. */
export const EXPIRING_DAYS = 30;
const MAX_NOTE_LENGTH = 2000;
export const MAX_LINK_LENGTH = 2048;
export const MAX_MEDIA_TYPE_LENGTH = 255;

export const evidenceResource = defineResource({
  type: 'evidence',
  name: 'name',
  access: {
    of: { taskUniqueId: taskResource, vendor: vendorResource },
    ownScopes: true,
    max: MAX_EVIDENCE,
    newestFirst: true,
  },
  created: {
    taskUniqueId: () => companyReference(Task, 'task_id').nullable().deleteRule('cascade'),
    vendor: () => companyReference(Vendor, 'vendor_id').nullable().deleteRule('cascade'),
    kind: p.enum(EVIDENCE_KINDS),
    url: p.string().length(MAX_LINK_LENGTH).nullable(),
    mediaType: p.string().length(MAX_MEDIA_TYPE_LENGTH).nullable(),
    size: p.integer().nullable(),
    sha256: p.string().length(64).nullable(),
    file: () => companyReference(File, 'file_id').nullable().deleteRule('no action'),
  },
  fields: {
    name: p.string().length(255),
    note: p.string().length(MAX_NOTE_LENGTH).default(''),
    date: p.date(),
    validUntil: p.date().nullable(),
  },
  names: { file: 'fileId' },
  unaudited: ['file'],
});

/** Fields of evidence that a client may change. */
export type EvidenceFields = ReturnType<typeof evidenceResource.applyChanges>;

/** Index of the evidence of one kind of parent: UUIDv7 ids ascend with time. With what tells if it is expiring. */
const indexOf = (parent: string) =>
  `create index evidence_by_${parent} on evidence (company_id, ${parent}_id, unique_id) include (valid_until) where ${parent}_id is not null`;

const IS_FILE = `kind = 'file'::text`;
const FILE_COLUMNS = ['media_type', 'size', 'sha256', 'file_id'];

const evidenceSchema = defineEntity({
  name: 'Evidence',
  properties: { ...companyKeyWithoutForeignKey, ...evidenceResource.properties },
  ...tenantIsolation(),
  indexes: [
    { name: 'evidence_by_task', expression: indexOf('task') },
    { name: 'evidence_by_vendor', expression: indexOf('vendor') },
    {
      name: 'evidence_by_file',
      expression: `create index evidence_by_file on evidence (company_id, file_id) where file_id is not null`,
    },
    {
      name: 'evidence_by_valid_until',
      expression: `create index evidence_by_valid_until on evidence (company_id, valid_until) where valid_until is not null`,
    },
  ],
  checks: [
    ...parentChecks(evidenceResource),
    { name: 'evidence_name', expression: String.raw`name::text ~ '^[^/\\\x01-\x1f\x7f-\x9f]+$'::text` },
    { name: 'evidence_link', expression: `(url IS NULL) = (${IS_FILE})` },
    {
      name: 'evidence_file',
      expression: `num_nulls(${FILE_COLUMNS.join(', ')}) = CASE WHEN ${IS_FILE} THEN 0 ELSE 4 END`,
    },
    { name: 'evidence_valid_until', expression: 'valid_until >= date' },
  ],
  triggers: [
    ...resourceTriggers(evidenceResource),
    defineTrigger(
      'evidence_file_uses',
      'after',
      ['insert', 'update of file_id', 'delete'],
      'evidence',
      'row',
      'count_file_uses()',
      { when: unlessReceiving('evidence') },
    ),
  ],
});

/** A file or a link that proves a task or the state of a vendor. */
export class Evidence extends evidenceSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
  static readonly resource = evidenceResource;
}
evidenceSchema.setClass(Evidence);

/** Error 422 if fields that are each valid contradict each other. */
export const validateEvidence = ({
  date,
  validUntil,
}: Pick<EvidenceFields, 'date' | 'validUntil'>): ApiError | undefined =>
  validUntil !== null && validUntil < date
    ? new ApiError('unprocessable', `validUntil: ${validUntil} is before date ${date}`)
    : undefined;
