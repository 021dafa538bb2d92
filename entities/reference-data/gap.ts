import { defineEntity } from '@mikro-orm/core';
import { plainColumn } from '../fields/kind.ts';
import { person } from '../fields/references.ts';
import { uniqueIdOf, uniqueIdOutput } from '../fields/schemas.ts';
import { name } from '../fields/text.ts';
import { date, oneOf } from '../fields/values.ts';
import { Requirement } from '../requirement/requirement.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { defineTrigger, forbidTrigger } from '../schema/triggers.ts';
import { Framework, archivedAt, id, referenceResource, referenceTriggers } from './reference-data.ts';

export const gapResource = referenceResource('gap', 'title', {
  id,
  framework: plainColumn(() => companyReference(Framework, 'framework_id'), 'none'),
  title: name({
    description: 'What is missing',
    input: { description: 'Title of the gap' },
    example: 'No access review',
  }),
  archivedAt,
  requirement: {
    property: () => companyReference(Requirement, 'requirement_id').nullable().deleteRule('no action'),
    input: uniqueIdOf('requirement')
      .meta({ description: 'A requirement of the framework of the gap, or null', format: 'uuid' })
      .nullable(),
    output: uniqueIdOutput.meta({ description: 'uniqueId of the requirement that is not met' }).nullable(),
    personal: 'none' as const,
  },
  status: oneOf(['open', 'closed'], { description: 'Whether the gap is still there' }).default('open'),
  owner: person('owner', {
    description: 'Member who closes the gap',
    id: 'An active member who may see the framework, or null',
  }),
  dueDate: date({ description: 'Day by which the gap is closed', forModels: null }).nullable(),
});

const gapSchema = defineEntity({
  name: 'Gap',
  properties: { ...companyKeyWithoutForeignKey, ...gapResource.properties },
  ...tenantIsolation(),
  indexes: [
    {
      name: 'gap_by_requirement',
      expression:
        'create index gap_by_requirement on gap (company_id, requirement_id) where requirement_id is not null',
    },
  ],
  checks: gapResource.checks,
  triggers: [
    ...referenceTriggers(gapResource),
    forbidTrigger('gap', ['update of framework_id']),
    defineTrigger(
      'gap_requirement',
      'before',
      ['insert', 'update of requirement_id'],
      'gap',
      'row',
      'check_gap_requirement()',
      {
        when: 'new.requirement_id is not null',
      },
    ),
  ],
});

/** A shortfall against one framework. Tasks of that framework may refer to it. */
export class Gap extends gapSchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
  static readonly resource = gapResource;
}
gapSchema.setClass(Gap);
