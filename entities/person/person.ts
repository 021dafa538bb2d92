import { defineEntity, p } from '@mikro-orm/core';
import { Company, MAX_NAME_LENGTH } from '../company/company.ts';
import { crossCompanyOnly } from '../schema/row-level-security.ts';
import { defineTrigger, forbidTrigger } from '../schema/triggers.ts';
import { MAX_EMAIL_LENGTH } from '../member/role.ts';

/**
 * SQL of the email that people see of a person: that of an unclaimed one is not the placeholder.
 * @param alias of `person`
 */
export const emailOf = (alias: string) => `coalesce(${alias}.unclaimed_email, ${alias}.email)`;

const personSchema = defineEntity({
  name: 'Person',
  properties: {
    uniqueId: p.uuid().primary(),
    /** In lower case, so that the unique constraint ignores case. */
    email: p.string().length(MAX_EMAIL_LENGTH),
    name: p.string().length(MAX_NAME_LENGTH),
    /** Argon2id hash as a PHC string; null for a person who only uses single sign-on. */
    password: p.text().hidden().nullable(),
    /** Encrypted TOTP secret. It is a second factor from `totpConfirmedAt` on. */
    totpSecret: p.text().hidden().nullable(),
    totpConfirmedAt: p.datetime(3).nullable(),
    /** Last accepted TOTP time step: a code works once. */
    totpLastStep: p.bigint().nullable(),
    /** Company for which the last session acted. The next sign-in acts for it. */
    lastCompany: () =>
      p.manyToOne(Company).joinColumn('last_company_id').nullable().updateRule('no action').deleteRule('no action'),
    /** Kinds of mails that are on. */
    mailAssigned: p.boolean().default(true),
    mailMentioned: p.boolean().default(true),
    mailCommented: p.boolean().default(false),
    mailSummary: p.boolean().default(true),
    /** Time at which the mail server rejected the address permanently. No mail of the inbox is sent to it from then on. */
    mailRefusedAt: p.datetime(3).nullable(),
    /** Failed attempts since the last mail with items of the inbox, and the time of the next one or the end of a lease. */
    mailAttempts: p.integer().default(0),
    mailNextAttemptAt: p.datetime(6).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    /**
     * Email of a person who arrived with a company, and whose email another person of this cell has; null for all others. Nobody
     * signs in as such a person, whose `email` is a placeholder: the other one takes over the membership by accepting an invitation.
     */
    unclaimedEmail: p.string().length(MAX_EMAIL_LENGTH).nullable(),
    /**
     * Time at which somebody proved to read the mails of the address; null if nobody has, or since an admin or the operator changed
     * it. Contract, section 31.
     */
    provenAt: p.datetime(3).nullable(),
  },
  ...crossCompanyOnly,
  uniques: [{ name: 'person_email_unique', properties: ['email'] }],
  checks: [
    { name: 'person_email_lower_case', expression: `email::text = lower(email::text)` },
    { name: 'person_name_not_empty', expression: `name::text <> ''::text` },
    { name: 'person_unclaimed', expression: 'unclaimed_email IS NULL OR password IS NULL AND totp_secret IS NULL' },
    { name: 'person_totp_confirmed', expression: 'totp_confirmed_at IS NULL OR totp_secret IS NOT NULL' },
  ],
  triggers: [
    forbidTrigger('person', ['update of unique_id', 'truncate']),
    defineTrigger(
      'person_here',
      'before',
      ['update of name, email, password, totp_secret, totp_confirmed_at'],
      'person',
      'row',
      'require_person_here()',
    ),
  ],
});

/** A human who signs in. A person may be a member of several companies. */
export class Person extends personSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
personSchema.setClass(Person);

/** A foreign key to a person. */
export const personReference = () =>
  p.manyToOne(Person).joinColumn('person_id').updateRule('no action').deleteRule('no action');
