import { defineEntity, p } from '@mikro-orm/core';
import { crossCompanyOnly } from '../schema/row-level-security.ts';
import type { WritePrivileges } from '../schema/row-level-security.ts';
import { personReference } from './person.ts';

/** Maximum length of the URL of an identity provider. */
export const MAX_ISSUER_LENGTH = 500;

const identitySchema = defineEntity({
  name: 'Identity',
  properties: {
    issuer: p.string().length(MAX_ISSUER_LENGTH).primary(),
    /** At most 255 characters (OpenID Connect Core, section 2). */
    subject: p.string().length(255).primary(),
    person: personReference,
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  ...crossCompanyOnly,
  indexes: [{ name: 'identity_by_person', properties: ['person'] }],
});

/** An account of a person at an identity provider. */
export class Identity extends identitySchema.class {
  static readonly writePrivileges: WritePrivileges = ['insert', 'update'];
}
identitySchema.setClass(Identity);
