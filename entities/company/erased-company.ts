import { defineEntity, p } from '@mikro-orm/core';
import { crossCompanyOnly } from '../schema/row-level-security.ts';
import { forbidTrigger } from '../schema/triggers.ts';

const erasedCompanySchema = defineEntity({
  name: 'ErasedCompany',
  properties: {
    /** Id of the company, which no other one gets. Without a foreign key: the company is gone. */
    id: p.integer().primary().autoincrement(false),
    erasedAt: p.datetime(3).defaultRaw('now()'),
    /** Position of the last event in the chain of the company. */
    sequence: p.bigint(),
    /** Hash of that event in the chain, in hexadecimal digits. */
    hash: p.string().length(64),
  },
  ...crossCompanyOnly,
  checks: [
    { name: 'erased_company_sequence', expression: 'sequence > 0' },
    { name: 'erased_company_hash', expression: `hash::text ~ '^[0-9a-f]{64}$'::text` },
  ],
  triggers: [forbidTrigger('erased_company', ['update', 'delete', 'truncate'])],
});

/** The end of a company: the head of its audit log when it was erased. An exported log can be compared with it. */
export class ErasedCompany extends erasedCompanySchema.class {
  /** None: the owner of the tables writes it in the transaction that deletes the company. */
  static readonly writePrivileges = [] as const;
}
erasedCompanySchema.setClass(ErasedCompany);
