import { defineEntity, p } from '@mikro-orm/core';
import { Member } from '../member/member.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { frozenTrigger } from '../schema/triggers.ts';
import { defineStatement, readStatement } from '../statements/define-statement.ts';
import type { ImportKind } from './import.ts';

/** Number of values that a member has remembered. */
export const MAX_ANSWERS = 500;

/** Meaning of a value of a field in files. */
export interface ImportAnswer {
  kind: ImportKind;
  field: string;
  value: string;
  answer: string;
}

const importAnswersSchema = defineEntity({
  name: 'ImportAnswers',
  properties: {
    ...companyKeyWithoutForeignKey,
    member: () => companyReference(Member, 'member_id').primary().deleteRule('no action'),
    /** The newest ones are first. */
    answers: p.json<ImportAnswer[]>(),
  },
  ...tenantIsolation(),
  checks: [{ name: 'import_answers_max', expression: `jsonb_array_length(answers) <= ${MAX_ANSWERS}` }],
  triggers: [frozenTrigger('import_answers')],
});

/** Remembers what the values in a member's files meant, for the next file. No event records it. */
export class ImportAnswers extends importAnswersSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
importAnswersSchema.setClass(ImportAnswers);

/** What the member of the session has remembered, the newest first. */
export const findAnswers = readStatement<object, { answers: ImportAnswer[] }>(
  'import.answers',
  ({ company, user }) =>
    `select answers from import_answers where company_id = ${company} and member_id = ${user}::uuid`,
);

/** Adds answers to those that the member of the session has remembered. One takes the place of an older one for its value. */
export const rememberAnswers = defineStatement<{ /** As JSON. */ answers: string }, { answers: ImportAnswer[] }>(
  'import.remember',
  ({ company, user, answers }) => `insert into import_answers as known (company_id, member_id, answers)
  values (${company}::int, ${user}::uuid, ${answers}::jsonb)
  on conflict (company_id, member_id) do update set answers = (
    select coalesce(jsonb_agg(newest.answer order by newest.position), '[]') from (
      select answer, min(position) as position from (
        select distinct on (answer ->> 'kind', answer ->> 'field', answer ->> 'value') answer, position
        from jsonb_array_elements(excluded.answers || known.answers) with ordinality given (answer, position)
        order by answer ->> 'kind', answer ->> 'field', answer ->> 'value', position) one
      group by answer order by position limit ${MAX_ANSWERS}) newest)
  returning answers`,
);

/** Removes everything that the member of the session has remembered. */
export const forgetAnswers = defineStatement<object, never>(
  'import.forget',
  ({ company, user }) => `delete from import_answers where company_id = ${company} and member_id = ${user}::uuid`,
);
