import { defineStatement } from '../statements/define-statement.ts';
import type { RewriteScope } from './rewrite-request.ts';

/** Requests that the files of tables lose the values that the transaction deletes. */
export const requestRewrite = defineStatement<{ scope: RewriteScope }, never>(
  'rewrite.request',
  ({ scope }) => `insert into rewrite_request (scope) values (${scope}::text) on conflict do nothing`,
  'all companies',
);
