import { expect, test } from 'vitest';
import { slowChain } from './slow-tests.ts';

test.each([
  ['test/operations/docs.test.ts', 'node:child_process'],
  [
    'test/app/lists/vendors.test.ts',
    'test/support/app/application.ts',
    'test/support/app/chromium.ts',
    'playwright-core',
  ],
  ['test/sign-in/links.test.ts', 'test/support/sign-in/single-sign-on.ts', 'test/support/servers/identity-provider.ts'],
  ['test/operations/guides.test.ts', 'test/support/setup/project-copy.ts', 'node:child_process'],
  ['test/upgrade/fixtures.test.ts', 'test/upgrade/scenario/load.ts', 'database/pglite/open.ts'],
  ['test/outbound/resolve-name.test.ts', 'test/support/servers/dns-server.ts'],
])('%s is slow through %s', (...chain) => {
  expect(slowChain(chain[0])).toEqual(chain);
});

test.each(
  ['vendor/vendor', 'task/task', 'task/task-list', 'tenancy/tenant-isolation', 'tenancy/row-level-security'].concat(
    ['audit/audit-log', 'trpc/middlewares', 'trpc/transport-parity', 'rest/status-codes', 'rest/preconditions'],
    ['auth/permissions', 'schemas/cursor', 'openapi/openapi-document', 'support/setup/slow-tests'],
  ),
)('%s, for which a developer waits, is quick', (name) => {
  expect(slowChain(`test/${name}.test.ts`)).toBeUndefined();
});
