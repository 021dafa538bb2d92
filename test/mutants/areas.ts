/** Modules whose every change some test must notice, and the tests that are to: quick ones, without a database. */
interface MutationArea {
  name: string;
  /** Files, or lines of them. */
  mutate: string[];
  /** Names of the tests in `test/`. */
  tests: string[];
}

export const MUTATION_AREAS: readonly MutationArea[] = [
  {
    name: 'authentication',
    mutate: ['server/auth/authenticate.ts', 'entities/api-key/raw-key.ts', 'entities/api-key/api-key.ts:109-115'],
    tests: ['auth/authentication', 'entities/raw-key', 'auth/permissions.unit'],
  },
  { name: 'permissions', mutate: ['procedures/core/permissions.ts'], tests: ['auth/permissions.unit'] },
  {
    name: 'tenancy',
    mutate: [
      'entities/statements/define-statement.ts',
      // Behind these lines are units of work, which are nothing without a database.
      'database/session.ts:1-104',
      'database/orm/privileges.ts',
      'entities/schema/row-level-security.ts',
      'entities/schema/tenancy.ts',
    ],
    tests: ['database/statement', 'tenancy/tenant-isolation-schema', 'auth/authentication'],
  },
  {
    name: 'audit',
    mutate: ['entities/audit/changes.ts', 'entities/audit/fields.ts', 'entities/schema/triggers.ts'],
    tests: ['audit/audit-schema'],
  },
  {
    name: 'validation of fields',
    mutate: ['procedures/schemas/fields.ts', 'procedures/task/schemas.ts', 'procedures/api-key/schemas.ts'],
    tests: ['schemas/field-schemas', 'task/task-schemas', 'api-key/api-key-schemas'],
  },
  {
    name: 'validation of requests',
    mutate: [
      'server/rest/input.ts',
      // Between these lines a body is read, at the pace at which it comes.
      'server/http/json-body.ts:1-35',
      'server/http/json-body.ts:49-64',
      'server/rest/query-string.ts',
      'server/rest/request-headers.ts',
    ],
    tests: ['rest/request-input', 'rest/request-headers'],
  },
  {
    name: 'validation by rules',
    mutate: [
      'entities/task.ts:103-142',
      'entities/vendor.ts:49-60',
      'procedures/schemas/simple-html.ts',
      'procedures/schemas/cursor.ts',
    ],
    tests: ['entities/entity-rules', 'schemas/simple-html', 'schemas/cursor'],
  },
  { name: 'errors', mutate: ['procedures/core/errors.ts', 'database/errors.ts'], tests: ['trpc/error-mapping'] },
];
