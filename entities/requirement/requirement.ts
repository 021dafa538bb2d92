import { defineEntity, p } from '@mikro-orm/core';
import { z } from 'zod';
import { MAX_DESCRIPTION_LENGTH, html } from '../fields/html.ts';
import { plainColumn } from '../fields/kind.ts';
import { objectOfFramework, person } from '../fields/references.ts';
import type { Rule } from '../fields/rules.ts';
import { ActorOutput, nameOf, textOutput, timestampOutput } from '../fields/schemas.ts';
import { freeText, notEmpty, textField } from '../fields/text.ts';
import { boolean, integer } from '../fields/values.ts';
import { foldedSql } from '../fold-case.ts';
import { Framework } from '../reference-data/reference-data.ts';
import { resourceTriggers } from '../schema/access.ts';
import type { StoredReview } from '../schema/people.ts';
import { defineResource } from '../schema/resource.ts';
import type { ChangesOf } from '../schema/field-types.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { defineTrigger, unlessReceiving } from '../schema/triggers.ts';

/** Maximum number of requirements of a framework. */
export const MAX_REQUIREMENTS = 5000;
/** Maximum depth of the outline of a framework. */
export const MAX_LEVELS = 6;
/** Largest value of `position`. */
export const MAX_POSITION = 1_000_000;
const MAX_REF_LENGTH = 50;
export const MAX_NOTE_LENGTH = 2000;
const MAX_TITLE_LENGTH = 500;

export const RESULTS = ['met', 'partly_met', 'not_met'] as const;
export type Result = (typeof RESULTS)[number];
/** Status of a requirement that can be assessed. */
export const REQUIREMENT_STATUSES = [...RESULTS, 'not_assessed', 'not_applicable'] as const;
export type RequirementStatus = (typeof REQUIREMENT_STATUSES)[number];

interface StoredAssessment extends StoredReview {
  result: Result;
}

const assessment = {
  ...plainColumn(p.json<StoredAssessment>().nullable(), 'content', {
    suffix: '',
    condition: (stored) => `${stored} ?& ARRAY['result'::text, 'at'::text, 'by'::text, 'note'::text]`,
  }),
  output: z
    .object({
      result: z.enum(RESULTS).meta({ description: 'Whether the company meets the requirement' }),
      note: textOutput(MAX_NOTE_LENGTH, 'Reviewed with the owners.', 'Plain text, which may be empty'),
      at: timestampOutput.meta({ description: 'Time of the assessment, in UTC' }),
      by: ActorOutput.meta({ description: 'User who assessed the requirement' }),
    })
    .nullable()
    .meta({ description: 'The last assessment, which `assessRequirement` sets and withdraws' }),
};

const EXCLUSION_JUSTIFIED: Rule<'applicable' | 'justification'> = {
  name: 'exclusion_justified',
  condition: (valueOf) => `${valueOf('applicable')} OR ${valueOf('justification')}::text <> ''::text`,
  violation: (fields) =>
    Reflect.get(fields, 'applicable') === false && Reflect.get(fields, 'justification') === ''
      ? 'justification: expected why the requirement does not apply'
      : undefined,
};

export const requirementResource = defineResource({
  type: 'requirement',
  name: 'title',
  access: { of: 'framework', readScope: 'task:read' },
  created: {
    framework: plainColumn(() => companyReference(Framework, 'framework_id'), 'none'),
  },
  fields: {
    ref: textField(MAX_REF_LENGTH, nameOf(MAX_REF_LENGTH), {
      description: 'Reference, as in the standard',
      input: { description: 'Reference, as in the standard; unique in its framework, ignoring case', example: 'A.5.1' },
      forModels: 'As in the standard',
      example: 'A.5.1',
    }).withCheck(notEmpty),
    title: textField(MAX_TITLE_LENGTH, nameOf(MAX_TITLE_LENGTH), {
      description: 'Title of the requirement',
      input: { example: 'Policies for information security' },
      forModels: null,
      example: 'Policies for information security',
    }).withCheck(notEmpty),
    description: html(MAX_DESCRIPTION_LENGTH, { example: '<p>Policies are defined and approved.</p>' }).default(''),
    parent: objectOfFramework('requirement', {
      description: 'uniqueId of the requirement above it in the outline; null at the top',
      id: `uniqueId of a requirement of the same framework. An outline has at most ${MAX_LEVELS} levels.`,
    }),
    position: integer({
      min: 0,
      max: MAX_POSITION,
      description: 'Order in lists, before that of `ref`',
      forModels: 'Order in lists',
      example: 1,
    }).default(0),
    assessable: boolean({
      description: 'False for a heading, which has no status and no tasks',
      example: true,
    }).default(true),
    applicable: boolean({
      description: 'Whether the requirement applies to the company; one that does not keeps its assessment',
      example: true,
    }).default(true),
    justification: freeText(MAX_NOTE_LENGTH, {
      description: 'Why it applies, or why it does not; required with `applicable: false`',
      forModels: 'Required with `applicable: false`',
      example: 'Policies are the base of the management system.',
    }).default(''),
    owner: person('owner', {
      description: 'Member who is responsible for the requirement',
      id: 'An active member who may see the framework',
    }),
  },
  readOnly: { assessment },
  hidden: {
    /** The order of refs: `requirement_order`. A trigger keeps it. */
    refOrder: plainColumn(p.text().collation('C'), 'content'),
  },
  people: { owner: 'ownerId', assessment: 'assessment' },
  verbs: { assessment: 'assess' },
  children: { evidenceCount: 'evidence' },
  registerRules: { status: 'requirement' },
  rules: [EXCLUSION_JUSTIFIED],
});

/** Fields of a requirement that changes set. */
export type RequirementFields = ReturnType<typeof requirementResource.applyChanges>;
export type RequirementChanges = ChangesOf<RequirementFields>;

const ORDER_INDEX = `create index requirement_by_framework on requirement (company_id, framework_id, position, ref_order, unique_id)`;
/** Refs are unique in their framework, ignoring case. */
const REF_INDEX = `create unique index requirement_by_ref on requirement (company_id, framework_id, (${foldedSql('ref')}))`;
const PARENT_INDEX = `create index requirement_by_parent on requirement (company_id, parent) where parent is not null`;

const requirementSchema = defineEntity({
  name: 'Requirement',
  properties: { ...companyKeyWithoutForeignKey, ...requirementResource.properties },
  ...tenantIsolation(),
  indexes: [
    { name: 'requirement_by_framework', expression: ORDER_INDEX },
    { name: 'requirement_by_ref', expression: REF_INDEX },
    { name: 'requirement_by_parent', expression: PARENT_INDEX },
  ],
  checks: [
    ...requirementResource.checks,
    { name: 'requirement_heading_not_assessed', expression: 'assessable OR assessment IS NULL' },
  ],
  triggers: [
    ...resourceTriggers(requirementResource),
    defineTrigger(
      'requirement_check',
      'before',
      ['insert', 'update of parent, ref'],
      'requirement',
      'row',
      'check_requirement()',
      {
        when: unlessReceiving('requirement'),
      },
    ),
    defineTrigger('requirement_leave_tasks', 'before', ['delete'], 'requirement', 'row', 'remove_requirement()'),
    defineTrigger('requirement_check_delete', 'before', ['delete'], 'requirement', 'row', 'check_requirement()'),
  ],
});

/** A control, criterion or article of a framework. */
export class Requirement extends requirementSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
  static readonly resource = requirementResource;
}
requirementSchema.setClass(Requirement);

/** Values that determine the status of a requirement. */
interface Assessed {
  assessable: boolean;
  applicable: boolean;
  assessment: { result: Result } | null;
}

/** Status of a requirement; null for a heading. */
export const requirementStatus = ({ assessable, applicable, assessment: last }: Assessed): RequirementStatus | null =>
  !assessable ? null : !applicable ? 'not_applicable' : (last?.result ?? 'not_assessed');

/** SQL of the status of a row. */
export const requirementStatusSql = (alias: string) => `case when ${alias}.assessable then
  case when not ${alias}.applicable then 'not_applicable' else coalesce(${alias}.assessment->>'result', 'not_assessed') end end`;
