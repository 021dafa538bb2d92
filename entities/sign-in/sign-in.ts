import { defineEntity, p } from '@mikro-orm/core';
import { crossCompanyOnly } from '../schema/row-level-security.ts';
import { companyKey, tenantIsolation } from '../schema/tenancy.ts';
import { Member } from '../member/member.ts';
import { MAX_EMAIL_LENGTH } from '../member/role.ts';
import { MAX_ADDRESS_LENGTH, MAX_USER_AGENT_LENGTH } from './web-session.ts';

/** Methods with which a session starts. */
export const SIGN_IN_METHODS = ['password', 'passkey', 'sso'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** `signed_out` is the end of a session by its own browser, `ended` any other end before its time. */
export const SIGN_IN_EVENTS = ['signed_in', 'failed', 'signed_out', 'ended'] as const;
export type SignInEvent = (typeof SIGN_IN_EVENTS)[number];

/** Days after which an entry is deleted. Contract, section 24. */
export const SIGN_IN_RETENTION_DAYS = 400;
export const UNKNOWN_SIGN_IN_RETENTION_DAYS = 30;

const id = p.bigint().primary().autoincrement();
const attempt = {
  method: p.enum(SIGN_IN_METHODS),
  address: p.string().length(MAX_ADDRESS_LENGTH).nullable(),
  userAgent: p.string().length(MAX_USER_AGENT_LENGTH),
  at: p.datetime(3).defaultRaw('now()'),
};

const signInSchema = defineEntity({
  name: 'SignIn',
  properties: {
    company: () => companyKey.company().deleteRule('no action'),
    id,
    /** Without a foreign key: an entry would wait for a transaction that changes the member. Members are never deleted. */
    member: () => p.manyToOne(Member).joinColumns('company_id', 'member_id').createForeignKeyConstraint(false),
    /** Email of the person at that time. */
    email: p.string().length(MAX_EMAIL_LENGTH),
    event: p.enum(SIGN_IN_EVENTS),
    ...attempt,
  },
  ...tenantIsolation('select', 'insert', 'delete'),
  indexes: [
    { name: 'sign_in_by_time', properties: ['company', 'at', 'id'] },
    { name: 'sign_in_by_member', properties: ['company', 'member', 'at', 'id'] },
    // Without company_id: the retention job looks for old rows of all companies at once.
    { name: 'sign_in_by_age', properties: ['at'] },
  ],
});

/** An entry in the list of sign-ins of a company. Contract, section 24. */
export class SignIn extends signInSchema.class {
  static readonly writePrivileges = ['insert', 'delete'] as const;
}
signInSchema.setClass(SignIn);

const unknownSignInSchema = defineEntity({
  name: 'UnknownSignIn',
  properties: {
    id,
    /** Null if the attempt has none, or text without the form of an email. People type passwords into the wrong field. */
    email: p.string().length(MAX_EMAIL_LENGTH).nullable(),
    ...attempt,
  },
  ...crossCompanyOnly,
  indexes: [{ name: 'unknown_sign_in_by_time', properties: ['at', 'id'] }],
});

/** A failed attempt to sign in that names no member of any company. Only the operator reads it. */
export class UnknownSignIn extends unknownSignInSchema.class {
  static readonly writePrivileges = ['insert', 'delete'] as const;
}
unknownSignInSchema.setClass(UnknownSignIn);
