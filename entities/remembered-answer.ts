import { defineEntity, p } from '@mikro-orm/core';
import { ApiKey } from './api-key.ts';
import { keptApart, ofCompanyThroughAnother } from './tenancy.ts';
import type { WritePrivileges } from './policies.ts';

/** Bytes of a SHA-256. */
const HASH_BYTES = 32;
/** Hours for which an answer is given again, and after which it is removed. Contract, section 2. */
export const REMEMBERED_HOURS = 24;

const schema = defineEntity({
  name: 'RememberedAnswer',
  properties: {
    ...ofCompanyThroughAnother,
    apiKey: () =>
      p
        .manyToOne(ApiKey)
        .primary()
        .joinColumns('company_id', 'api_key_id')
        .updateRule('no action')
        .deleteRule('no action'),
    /** SHA-256 of the `Idempotency-Key`: what a client puts there may be a secret. */
    name: p.blob().primary(),
    /** SHA-256 of the request that was answered. */
    fingerprint: p.blob(),
    status: p.smallint(),
    headers: p.json<Record<string, string>>(),
    body: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  ...keptApart('select', 'update', 'delete'),
  // Without company_id in front: what has expired is removed for all companies at once.
  indexes: [{ name: 'remembered_answer_by_age', properties: ['createdAt'] }],
  checks: [
    { name: 'remembered_answer_name_sha256', expression: `octet_length(name) = ${HASH_BYTES}` },
    { name: 'remembered_answer_fingerprint_sha256', expression: `octet_length(fingerprint) = ${HASH_BYTES}` },
    { name: 'remembered_answer_success', expression: 'status >= 200 AND status <= 299' },
  ],
});

/** How a request with an `Idempotency-Key` was answered, kept for who asks the same again. Contract, section 2. */
export class RememberedAnswer extends schema.class {
  static readonly writePrivileges: WritePrivileges = ['insert', 'update', 'delete'];
}
schema.setClass(RememberedAnswer);
