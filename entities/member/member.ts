import { defineEntity, p } from '@mikro-orm/core';
import { USER_NAME, auditedResource } from '../schema/audited-resource.ts';
import { IDENTITY_LENGTH, SHA256_PATTERN } from './identity-digest.ts';
import { companyKeyWithoutForeignKey, tenantIsolation } from '../schema/tenancy.ts';
import { auditTrigger, defineTrigger, forbidTrigger } from '../schema/triggers.ts';
import { userReference } from '../company/user.ts';
import { personReference } from '../person/person.ts';
import { ROLES } from './role.ts';
import { MAX_ISSUER_LENGTH, MAX_SUBJECT_LENGTH } from '../single-sign-on/sso.ts';

/** Time of the newest change of how the person signs in. To the microsecond, so that each one is a change of the row. */
const accountTime = () => p.datetime(6).nullable();

/** Times of changes of the account. A change of one is an event with its verb and without values. Contract, section 31. */
const accountTimes = {
  resetLinkAt: accountTime(),
  passwordResetAt: accountTime(),
  passwordChangedAt: accountTime(),
  passkeyAddedAt: accountTime(),
  passkeyRemovedAt: accountTime(),
  totpEnabledAt: accountTime(),
  totpDisabledAt: accountTime(),
  /** Time at which the operator said that the address belongs to the person. */
  provedAt: accountTime(),
};

/** Verbs of the events about the account, by the property with their time. */
export const ACCOUNT_VERBS = {
  resetLinkAt: 'resetPassword',
  passwordResetAt: 'passwordReset',
  passwordChangedAt: 'passwordChange',
  passkeyAddedAt: 'passkeyAdd',
  passkeyRemovedAt: 'passkeyRemove',
  totpEnabledAt: 'totpEnable',
  totpDisabledAt: 'totpDisable',
  provedAt: 'prove',
} as const satisfies Readonly<Record<keyof typeof accountTimes, string>>;
export type AccountVerb = (typeof ACCOUNT_VERBS)[keyof typeof ACCOUNT_VERBS];

const properties = {
  uniqueId: p.uuid().primary(),
  /** Null after the person was forgotten here, or deleted the account. */
  person: () => personReference().nullable(),
  role: p.enum(ROLES),
  /** Null for all frameworks of the company. */
  frameworks: p.integer().array().columnType('int[]').nullable(),
  /** Last day of the membership, in the time zone of the company; null without one. A job then ends it. */
  endsAt: p.date().nullable(),
  /** Set when the membership ends, cleared when the person joins again. */
  endedAt: p.datetime(3).nullable(),
  createdAt: p.datetime(3).defaultRaw('now()'),
  /** Digest of the last name and email, which are kept beside the log. Null until a process of this version has made one. */
  identity: p.string().length(IDENTITY_LENGTH).nullable(),
  /** Time at which the name and the email were deleted. */
  forgottenAt: p.datetime(3).nullable(),
  /** Issuer of the account with which the member signs in; null without a link. */
  singleSignOn: p.string().length(MAX_ISSUER_LENGTH).nullable(),
  /** `sub` of that account. */
  singleSignOnSubject: p.string().length(MAX_SUBJECT_LENGTH).hidden().nullable(),
  ...accountTimes,
};

const memberResource = auditedResource('member', properties, {
  name: USER_NAME,
  unaudited: ['singleSignOnSubject', ...Object.keys(ACCOUNT_VERBS)],
  formerly: ['person'],
  verbs: { endedAt: 'delete', forgottenAt: 'forget', ...ACCOUNT_VERBS },
});

const ENDING = 'create index member_by_end on member (ends_at) where ends_at is not null and ended_at is null';

const memberSchema = defineEntity({
  name: 'Member',
  properties: {
    ...companyKeyWithoutForeignKey,
    ...properties,
    /** The user to whom changes of the member are attributed. It has the id of the member. */
    user: () => userReference('unique_id'),
  },
  ...tenantIsolation('select'),
  uniques: [
    { name: 'member_person_unique', properties: ['company', 'person'] },
    { name: 'member_single_sign_on_unique', properties: ['company', 'singleSignOn', 'singleSignOnSubject'] },
  ],
  // Without company_id: a sign-in finds the companies of a person.
  indexes: [
    { name: 'member_by_person', properties: ['person'] },
    // Without company_id: the job looks for those of all companies at once.
    { name: 'member_by_end', expression: ENDING },
  ],
  checks: [
    { name: 'member_frameworks', expression: 'cardinality(frameworks) > 0' },
    { name: 'member_single_sign_on', expression: '(single_sign_on IS NULL) = (single_sign_on_subject IS NULL)' },
    { name: 'member_admin_has_all_frameworks', expression: `role <> 'admin'::text OR frameworks IS NULL` },
    { name: 'member_identity_sha256', expression: `identity::text ~ '${SHA256_PATTERN}'::text` },
    { name: 'member_active_has_person', expression: 'ended_at IS NOT NULL OR person_id IS NOT NULL' },
    {
      name: 'member_forgotten',
      expression: 'forgotten_at IS NULL OR ended_at IS NOT NULL AND person_id IS NULL AND single_sign_on IS NULL',
    },
  ],
  triggers: [
    auditTrigger(memberResource),
    forbidTrigger('member', ['delete', 'truncate']),
    defineTrigger('member_frameworks_check', 'after', ['insert', 'update'], 'member', 'row', 'check_frameworks()'),
    defineTrigger('member_last_admin_check', 'after', ['update'], 'member', 'row', 'check_last_admin()', {
      when: `old.role = 'admin' and old.ended_at is null and (new.role <> 'admin' or new.ended_at is not null or old.ends_at is null and new.ends_at is not null)`,
    }),
  ],
});

/** Membership of a person in a company. It is ended, never deleted. */
export class Member extends memberSchema.class {
  static readonly writePrivileges = ['insert', 'update'] as const;
  static readonly resource = memberResource;
}
memberSchema.setClass(Member);
