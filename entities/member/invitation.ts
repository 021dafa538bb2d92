import { defineEntity, p } from '@mikro-orm/core';
import { SHA256_BYTES } from '../api-key/raw-key.ts';
import { auditedResource } from '../schema/audited-resource.ts';
import { companyKey, tenantIsolation } from '../schema/tenancy.ts';
import { auditTrigger, defineTrigger, forbidTrigger } from '../schema/triggers.ts';
import { IDENTITY_LENGTH, SALT_LENGTH } from './identity-digest.ts';
import { MAX_EMAIL_LENGTH, ROLES } from './role.ts';

/** Days for which an invitation can be accepted. Contract, section 16. */
export const INVITATION_DAYS = 7;

const properties = {
  uniqueId: p.uuid().primary(),
  /** In lower case. */
  email: p.string().length(MAX_EMAIL_LENGTH),
  /** Digest of an empty name and the email, and its salt. Null for an invitation of an earlier version. */
  identity: p.string().length(IDENTITY_LENGTH).nullable(),
  salt: p.string().length(SALT_LENGTH).hidden().nullable(),
  role: p.enum(ROLES),
  /** Null for all frameworks of the company. */
  frameworks: p.integer().array().columnType('int[]').nullable(),
  tokenHash: p.blob().hidden(),
  /** True if the link was mailed and shown to nobody, so that its use proves the address. */
  mailed: p.boolean().default(false),
  expiresAt: p.datetime(3),
  revokedAt: p.datetime(3).nullable(),
  usedAt: p.datetime(3).nullable(),
  createdAt: p.datetime(3).defaultRaw('now()'),
};

const invitationResource = auditedResource('invitation', properties, {
  name: 'email',
  unaudited: ['email', 'salt', 'tokenHash', 'mailed', 'usedAt'],
  verbs: { revokedAt: 'revoke' },
  operations: ['create'],
});

const invitationSchema = defineEntity({
  name: 'Invitation',
  properties: { ...companyKey, ...properties },
  ...tenantIsolation('select', 'delete'),
  uniques: [
    // Without company_id: the token is looked up before the company is known.
    { name: 'invitation_token_unique', properties: ['tokenHash'] },
  ],
  indexes: [
    {
      name: 'invitation_open_unique',
      expression: `create unique index "invitation_open_unique" on "invitation" ("company_id", "email") where revoked_at is null and used_at is null`,
    },
  ],
  checks: [
    { name: 'invitation_email_lower_case', expression: `email::text = lower(email::text)` },
    { name: 'invitation_token_sha256', expression: `octet_length(token_hash) = ${SHA256_BYTES}` },
    { name: 'invitation_identity', expression: '(identity IS NULL) = (salt IS NULL)' },
    { name: 'invitation_frameworks', expression: 'cardinality(frameworks) > 0' },
    { name: 'invitation_admin_has_all_frameworks', expression: `role <> 'admin'::text OR frameworks IS NULL` },
  ],
  triggers: [
    auditTrigger(invitationResource),
    forbidTrigger('invitation', ['update of email', 'truncate']),
    defineTrigger('invitation_frameworks_check', 'after', ['insert'], 'invitation', 'row', 'check_frameworks()'),
  ],
});

/** An invitation of an email address to a company. The token in its link works once. */
export class Invitation extends invitationSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
  static readonly resource = invitationResource;
}
invitationSchema.setClass(Invitation);
