import { defineEntity, p } from '@mikro-orm/core';
import { AuditEvent } from '../audit/event.ts';
import { MAX_NAME_LENGTH } from '../company/company.ts';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { IDENTITY_LENGTH, SALT_LENGTH, SHA256_PATTERN } from './identity-digest.ts';
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
