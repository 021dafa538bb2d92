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
    mutate: ['server/context.ts', 'entities/raw-key.ts', 'entities/api-key.ts:93-99'],
    tests: ['authentication', 'raw-key', 'key-rights'],
  },
  { name: 'permissions', mutate: ['procedures/rights.ts'], tests: ['key-rights'] },
  {
    name: 'tenancy',
    mutate: [
      'entities/database/statement.ts',
      // Behind these lines are units of work, which are nothing without a database.
      'entities/database/session.ts:1-104',
      'entities/database/grants.ts',
      'entities/policies.ts',
      'entities/tenancy.ts',
    ],
    tests: ['statement', 'walls', 'authentication'],
  },
  {
    name: 'audit',
    mutate: ['entities/audit-changes.ts', 'entities/audit-fields.ts', 'entities/triggers.ts'],
    tests: ['audit-rules'],
  },
  {
    name: 'validation of fields',
    mutate: ['procedures/shapes.ts', 'procedures/task-shapes.ts', 'procedures/api-key-shapes.ts'],
    tests: ['shapes', 'task-shapes', 'api-key-shapes'],
  },
  {
    name: 'validation of requests',
    mutate: [
      'server/input.ts',
      // Between these lines a body is read, at the pace at which it comes.
      'server/json-body.ts:1-35',
      'server/json-body.ts:49-64',
      'server/query.ts',
      'server/wishes.ts',
    ],
    tests: ['request-input', 'wishes'],
  },
  {
    name: 'validation by rules',
    mutate: [
      'entities/task.ts:100-152',
      'entities/vendor.ts:50-68',
      'procedures/plain-html.ts',
      'procedures/cursor.ts',
    ],
    tests: ['rules', 'plain-html', 'cursor'],
  },
  { name: 'errors', mutate: ['procedures/errors.ts', 'entities/database/failure.ts'], tests: ['errors'] },
];
