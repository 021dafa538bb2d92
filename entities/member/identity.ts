import { defineEntity, p } from '@mikro-orm/core';
import { AuditEvent } from '../audit/event.ts';
import { MAX_NAME_LENGTH } from '../company/company.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { isWritable } from '../company/closing.ts';
import { emailOf } from '../person/person.ts';
import { defineStatement, readStatement } from '../statements/define-statement.ts';
import { IDENTITY_LENGTH, SALT_LENGTH, SHA256_PATTERN } from './identity-digest.ts';
import type { NameAndEmail, OpenIdentity } from './identity-digest.ts';
import { Member } from './member.ts';
import { MAX_EMAIL_LENGTH } from './role.ts';

const identitySchema = defineEntity({
  name: 'Identity',
  properties: {
    ...companyKeyWithoutForeignKey,
    /** The digest in the event. */
    identity: p.string().length(IDENTITY_LENGTH).primary(),
    member: () => companyReference(Member, 'member_id').deleteRule('no action'),
    /**
     * The event that has the digest. The member has this name from it on, until the event of the next record. No foreign key, as a
     * seal has none.
     */
    event: () => companyReference(AuditEvent, 'event_id').createForeignKeyConstraint(false),
    salt: p.string().length(SALT_LENGTH),
    name: p.string().length(MAX_NAME_LENGTH),
    /** In lower case. */
    email: p.string().length(MAX_EMAIL_LENGTH),
  },
  ...tenantIsolation('select'),
  indexes: [{ name: 'identity_by_member', properties: ['company', 'member', 'event'] }],
  checks: [{ name: 'identity_sha256', expression: `identity::text ~ '${SHA256_PATTERN}'::text` }],
});

/**
 * A name and an email of a member, beside the log that has only their digest. `forget` deletes it, and the log stays as it is.
 * Contract, section 26.
 */
export class Identity extends identitySchema.class {
  static readonly writePrivileges = ['insert', 'delete'] as const;
}
identitySchema.setClass(Identity);

/**
 * Stores what opens the digest in the newest event of a member. It belongs to the statement that wrote the event, in the same
 * transaction.
 */
export const recordIdentity = defineStatement<OpenIdentity & { member: string }, never>(
  'identity.record',
  ({ company, member, identity, salt, name, email }) => `insert into identity
    (company_id, identity, member_id, event_id, salt, name, email)
  select ${company}, ${identity}, ${member}::text::uuid, e.id, ${salt}, ${name}, ${email} from audit_event e
  where e.company_id = ${company} and e.resource_type = 'member' and e.resource_id = ${member}::text
  order by e.id desc limit 1`,
);

/** Gives a member a name, and the digest of it for the event. Call `recordIdentity` with it. */
export const identifyMember = defineStatement<{ member: string; name: string; identity: string }, never>(
  'member.identify',
  ({ company, member, name, identity }) => `with renamed as (
    update company_user set name = ${name} where company_id = ${company}::int and unique_id = ${member}::uuid)
  update member set identity = ${identity} where company_id = ${company}::int and unique_id = ${member}::uuid`,
);

/** A member whose newest record does not have the name and the email of the person. */
interface UnidentifiedMember {
  company: number;
  member: string;
  person: string;
}

/** True if the newest record of a member has the name and the email of the person. Each write of `identity` has a record. */
const IS_IDENTIFIED = `exists (select from identity i
    where i.company_id = m.company_id and i.identity = m.identity and i.name = p.name and i.email = ${emailOf('p')})`;

/**
 * Members whose newest record is missing or old: of an earlier version, or changed by a process of one. Also those who were
 * renamed while their company was closed, once it is open again.
 */
export const findUnidentified = readStatement<{ limit: number }, UnidentifiedMember>(
  'member.unidentified',
  ({ limit }) => `select m.company_id as company, m.unique_id as member, p.unique_id as person
  from member m join person p on p.unique_id = m.person_id 
  where ${isWritable('m.company_id')} and not ${IS_IDENTIFIED} limit ${limit}`,
  'all companies',
);

/** The name and the email of a member that has no record yet. */
export const findMissingIdentity = readStatement<{ member: string; person: string }, NameAndEmail>(
  'member.missing-identity',
  ({
    company,
    member,
    person,
  }) => `select p.name, ${emailOf('p')} as email from member m join person p on p.unique_id = m.person_id
  where m.company_id = ${company}::int and m.unique_id = ${member}::uuid and p.unique_id = ${person}::uuid
    and not ${IS_IDENTIFIED}`,
  'all companies',
);
