import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findDeclaration, linesOutside } from './declarations.ts';

/** Declarations of a file, by name: only these are mutated, or all lines except these. */
type PartOfFile = { file: string } & ({ only: readonly string[] } | { except: readonly string[] });

/** Modules in which tests must detect mutants. The tests are fast and need no database. */
interface MutationArea {
  name: string;
  mutate: readonly (string | PartOfFile)[];
  /** Paths of the tests below `test/`, without `.test.ts`. */
  tests: readonly string[];
}

export const MUTATION_AREAS: readonly MutationArea[] = [
  {
    name: 'authentication',
    mutate: [
      'server/auth/authenticate.ts',
      'entities/api-key/raw-key.ts',
      { file: 'entities/api-key/api-key.ts', only: ['keyError'] },
    ],
    tests: ['auth/authentication', 'entities/raw-key', 'auth/permissions.unit'],
  },
  { name: 'permissions', mutate: ['procedures/core/permissions.ts'], tests: ['auth/permissions.unit'] },
  {
    name: 'tenancy',
    mutate: [
      'entities/statements/define-statement.ts',
      // A unit of work needs a database.
      { file: 'database/session.ts', except: ['inUnitOfWork', 'unitOfWork', 'endingIn'] },
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
    mutate: ['entities/fields/schemas.ts', 'procedures/task/schemas.ts', 'procedures/api-key/schemas.ts'],
    tests: ['schemas/field-schemas', 'task/task-schemas', 'api-key/api-key-schemas'],
  },
  {
    name: 'validation of requests',
    mutate: [
      'server/rest/input.ts',
      // Reading the body depends on the client.
      { file: 'server/http/body/json-body.ts', except: ['requireLengthWithin', 'sendContinue', 'readBody'] },
      'server/rest/request-headers.ts',
    ],
    tests: ['rest/request-input', 'rest/request-headers'],
  },
  {
    name: 'validation by rules',
    mutate: [
      {
        file: 'entities/task/task.ts',
        only: ['isOpen', 'REOPENED_FIRST', 'applyTaskChanges'],
      },
      { file: 'entities/fields/labels.ts', only: ['dedupeLabels'] },
      { file: 'entities/vendor/vendor.ts', only: ['applyVendorChanges', 'statusConflict'] },
      'entities/fields/rules.ts',
      { file: 'entities/fields/sanitize-html.ts', only: ['isSimpleHtml', 'isAllowedChild'] },
      'procedures/schemas/cursor.ts',
    ],
    tests: ['entities/entity-rules', 'entities/rules', 'schemas/simple-html', 'schemas/cursor'],
  },
  { name: 'errors', mutate: ['procedures/core/errors.ts', 'database/errors.ts'], tests: ['trpc/error-mapping'] },
];

const root = join(import.meta.dirname, '..', '..', '..');

/**
 * Returns the patterns of an area for Stryker's `mutate` option: a file, or `file:firstLine-lastLine`.
 * @throws Error if a file does not declare a name of its part exactly once
 */
export function mutatePatterns({ mutate }: MutationArea): string[] {
  return mutate.flatMap((part) => {
    if (typeof part === 'string') return [part];
    const source = readFileSync(join(root, part.file), 'utf8');
    const names = 'only' in part ? part.only : part.except;
    const named = names.map((name) => findDeclaration(source, name));
    const ranges = 'only' in part ? named : linesOutside(source, named);
    return ranges.map(({ start, end }) => `${part.file}:${start}-${end}`);
  });
}
