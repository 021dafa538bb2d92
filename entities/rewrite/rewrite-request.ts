import { defineEntity, p } from '@mikro-orm/core';
import { defineStatement } from '../statements/define-statement.ts';

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

/** Requests that the files of tables lose the values that the transaction deletes. */
export const requestRewrite = defineStatement<{ scope: RewriteScope }, never>(
  'rewrite.request',
  ({ scope }) => `insert into rewrite_request (scope) values (${scope}::text) on conflict do nothing`,
  'all companies',
);
