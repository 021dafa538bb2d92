import { defineEntity, p } from '@mikro-orm/core';

/** Tables to rewrite: those with data of people, or all. */
const REWRITE_SCOPES = ['people', 'all'] as const;
export type RewriteScope = (typeof REWRITE_SCOPES)[number];

const rewriteRequestSchema = defineEntity({
  name: 'RewriteRequest',
  properties: { scope: p.enum(REWRITE_SCOPES).primary() },
});

/**
 * A request to rewrite tables: deleted values stay in their files, in free space and in indexes. The embedded database does it at
 * its next start. On PostgreSQL the operator does it (docs/privacy.md).
 */
export class RewriteRequest extends rewriteRequestSchema.class {
  static readonly writePrivileges = ['insert'] as const;
}
rewriteRequestSchema.setClass(RewriteRequest);
