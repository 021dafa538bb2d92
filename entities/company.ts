import { defineEntity, p } from '@mikro-orm/core';
import { rowLevelSecurityFor } from './schema/row-level-security.ts';
import type { WritePrivileges } from './schema/row-level-security.ts';
import { auditTrigger, forbidTrigger } from './schema/triggers.ts';

/** Longest name or title: of companies, users, keys, vendors, tasks and reference data; in characters, trimmed. */
export const MAX_NAME_LENGTH = 255;

/** What becomes of a company's key that is found in public: it stops at once, or is only told of. Contract, section 5. */
export const LEAKED_KEY_POLICIES = ['disable', 'report'] as const;
export type LeakedKeyPolicy = (typeof LEAKED_KEY_POLICIES)[number];

const companySchema = defineEntity({
  name: 'Company',
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.string().length(MAX_NAME_LENGTH),
    leakedKeys: p.enum(LEAKED_KEY_POLICIES).default('disable'),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  ...rowLevelSecurityFor('id', ['select']),
  checks: [{ name: 'company_name_not_empty', expression: `name::text <> ''::text` }],
  triggers: [
    auditTrigger('company', { resourceType: 'company', idColumn: 'id' }),
    forbidTrigger('company', ['delete', 'truncate']),
  ],
});

/** The tenant. Every other row belongs to exactly one. */
export class Company extends companySchema.class {
  static readonly writePrivileges: WritePrivileges = ['insert', 'update'];
}
companySchema.setClass(Company);
