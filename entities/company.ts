import { defineEntity, p } from '@mikro-orm/core';
import { walled } from './policies.ts';
import type { WritePrivileges } from './policies.ts';
import { audited, refuses } from './triggers.ts';

/** Longest name or title: of companies, users, keys, vendors, tasks and reference data; in characters, trimmed. */
export const NAME_LENGTH = 255;

/** What becomes of a company's key that is found in public: it stops at once, or is only told of. Contract, section 5. */
export const LEAKED_KEYS = ['disable', 'report'] as const;
export type LeakedKeys = (typeof LEAKED_KEYS)[number];

const schema = defineEntity({
  name: 'Company',
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.string().length(NAME_LENGTH),
    leakedKeys: p.enum(LEAKED_KEYS).default('disable'),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  ...walled('id', ['select']),
  checks: [{ name: 'company_named', expression: `name::text <> ''::text` }],
  triggers: [audited('company', { type: 'company', id: 'id' }), refuses('company', ['delete', 'truncate'])],
});

/** The tenant. Every other row belongs to exactly one. */
export class Company extends schema.class {
  static readonly writePrivileges: WritePrivileges = ['insert', 'update'];
}
schema.setClass(Company);
