import { defineEntity, p } from '@mikro-orm/core';
import { SHA256_BYTES } from '../api-key/raw-key.ts';
import { crossCompanyOnly } from '../schema/row-level-security.ts';
import { personReference } from './person.ts';

/** Minutes for which a reset link works. Contract, section 16. */
export const RESET_LINK_MINUTES = 60;

const resetLinkSchema = defineEntity({
  name: 'ResetLink',
  properties: {
    /** SHA-256 of the token in the link. */
    tokenHash: p.blob().primary(),
    person: personReference,
    /** True if the link was mailed and shown to nobody, so that its use proves the address. */
    mailed: p.boolean().default(false),
    expiresAt: p.datetime(3),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  ...crossCompanyOnly,
  // A new link replaces the one before it.
  uniques: [{ name: 'reset_link_person_unique', properties: ['person'] }],
  checks: [{ name: 'reset_link_token_sha256', expression: `octet_length(token_hash) = ${SHA256_BYTES}` }],
});

/** A link with which a person sets a new password. It is deleted when it is used. */
export class ResetLink extends resetLinkSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
resetLinkSchema.setClass(ResetLink);
