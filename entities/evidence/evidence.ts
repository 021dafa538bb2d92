import { defineEntity, p } from '@mikro-orm/core';
import { z } from 'zod';
import { plainColumn } from '../fields/kind.ts';
import { belongsTo } from '../fields/references.ts';
import { notBefore } from '../fields/rules.ts';
import { ActorOutput, textOutput, timestampOutput } from '../fields/schemas.ts';
import { fileName, freeText, url } from '../fields/text.ts';
import { date, integer, oneOf } from '../fields/values.ts';
import { File } from '../file/file.ts';
import { MAX_ID } from '../ids.ts';
import { Requirement, requirementResource } from '../requirement/requirement.ts';
import { resourceTriggers } from '../schema/access.ts';
import type { StoredReview } from '../schema/people.ts';
import { defineResource } from '../schema/resource.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { defineTrigger, lockTrigger, unlessReceiving } from '../schema/triggers.ts';
import { Task, taskResource } from '../task/task.ts';
import { Vendor, vendorResource } from '../vendor/vendor.ts';

const EVIDENCE_KINDS = ['file', 'link'] as const;
export const CHECK_RESULTS = ['accepted', 'rejected'] as const;
export type CheckResult = (typeof CHECK_RESULTS)[number];
export const MAX_CHECK_NOTE_LENGTH = 2000;

/** Maximum number of pieces of evidence of a task, vendor or requirement. */
export const MAX_EVIDENCE = 200;
/** Evidence is expiring when it is valid for less than these days. */
export const EXPIRING_DAYS = 30;
const MAX_MEDIA_TYPE_LENGTH = 255;

const EXAMPLE_URL = 'https://wiki.example.com/access-review';

interface StoredCheck extends StoredReview {
  result: CheckResult;
}

/** The column has another name, because `check` is a reserved word of SQL. */
const check = {
  ...plainColumn(p.json<StoredCheck>().fieldName('checked').nullable(), 'content', {
    suffix: '',
    condition: (stored) =>
      `${stored} ?& ARRAY['result'::text, 'note'::text, 'at'::text, 'by'::text] AND (${stored} ->> 'result'::text) = ANY (ARRAY[${CHECK_RESULTS.map((result) => `'${result}'::text`).join(', ')}])`,
  }),
  output: z
    .object({
      result: z.enum(CHECK_RESULTS).meta({ description: 'Whether the person accepts the evidence' }),
      note: textOutput(MAX_CHECK_NOTE_LENGTH, 'The signature is missing.', 'Plain text, which may be empty'),
      at: timestampOutput.meta({ description: 'Time of the check, in UTC' }),
      by: ActorOutput.meta({ description: 'Member who checked the evidence' }),
    })
    .nullable()
    .meta({ description: 'The last check by an auditor or an admin, in the application' }),
};

export const evidenceResource = defineResource({
  type: 'evidence',
  name: 'name',
  access: {
    of: { taskUniqueId: taskResource, vendor: vendorResource, requirement: requirementResource },
    ownScopes: true,
    max: MAX_EVIDENCE,
    newestFirst: true,
  },
  created: {
    taskUniqueId: belongsTo(Task, 'task').nullable(),
    vendor: belongsTo(Vendor, 'vendor').nullable(),
    requirement: belongsTo(Requirement, 'requirement').nullable(),
    kind: oneOf(EVIDENCE_KINDS, { description: '`file` was uploaded, `link` is the URL of a page elsewhere' }),
    url: url(2048, {
      description: 'URL of a link; null for a file',
      input: { description: 'http or https URL of the evidence, without user info', example: EXAMPLE_URL },
      forModels: null,
      example: EXAMPLE_URL,
    }).nullable(),
    mediaType: freeText(MAX_MEDIA_TYPE_LENGTH, {
      description: 'Media type as it was sent; null for a link',
      example: 'application/pdf',
    })
      .withoutPersonalData()
      .nullable(),
    size: integer({ min: 1, max: MAX_ID, description: 'Size in bytes; null for a link' })
      .withCheck(undefined)
      .nullable(),
    sha256: freeText(64, {
      description: 'SHA-256 of the bytes, in hexadecimal digits; null for a link',
      example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    })
      .withoutPersonalData()
      .nullable(),
    file: plainColumn(() => companyReference(File, 'file_id').nullable().deleteRule('no action'), 'none'),
  },
  fields: {
    name: fileName(255, {
      description: 'Name of the file or the link',
      input: { example: 'Access review Q2.pdf' },
      example: 'Access review Q2.pdf',
    }),
    note: freeText(2000, {
      description: 'Plain text, which may be empty',
      input: { description: 'Plain text', example: 'Signed by the head of IT' },
      example: 'Signed by the head of IT',
    }).default(''),
    // The table has no check of these dates, only the rule.
    date: date({
      description: 'The day that the evidence refers to',
      input: {
        description: 'The day that the evidence refers to; by default today in the time zone of the company',
        example: '2026-06-30',
      },
    }).withCheck(undefined),
    validUntil: date({
      description: 'Last day on which it is valid; null without end',
      input: { description: 'Last day on which it is valid, not before `date`' },
    })
      .withCheck(undefined)
      .nullable(),
  },
  readOnly: { check },
  people: { check: 'check' },
  verbs: { check: 'check' },
  rules: [notBefore('validUntil', 'date', 'valid_until')],
  names: { file: 'fileId' },
  unaudited: ['file'],
});

/** Index of the evidence of one kind of parent: UUIDv7 ids ascend with time. It includes the columns that show whether it is expiring. */
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
    { name: 'evidence_by_requirement', expression: indexOf('requirement') },
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
    ...evidenceResource.checks,
    { name: 'evidence_link', expression: `(url IS NULL) = (${IS_FILE})` },
    {
      name: 'evidence_file',
      expression: `num_nulls(${FILE_COLUMNS.join(', ')}) = CASE WHEN ${IS_FILE} THEN 0 ELSE 4 END`,
    },
  ],
  triggers: [
    ...resourceTriggers(evidenceResource),
    lockTrigger('evidence', ['name', 'note', 'date', 'valid_until'], 'old.task_id is not null'),
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

/** A file or a link that proves a task, the state of a vendor, or how a requirement is met. */
export class Evidence extends evidenceSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
  static readonly resource = evidenceResource;
}
evidenceSchema.setClass(Evidence);
