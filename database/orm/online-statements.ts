/** A constraint or index on a table. */
const ADD_UNIQUE = /^alter table "(\w+)" add constraint "(\w+)" unique (\([^()]*\));$/;
const ADD_CHECK_OR_FOREIGN_KEY = /^alter table "(\w+)" add constraint "(\w+)" (?:check|foreign key) [^]*(?=;$)/;
const SET_NOT_NULL = /^alter table "(\w+)" alter column "(\w+)" set not null;$/;
const CREATE_INDEX = /^(create (?:unique )?index) "?(\w+)"? on "?(\w+)"?([^]*)$/;
const DROP_INDEX = /^drop index "(\w+)";$/;
const DROP_CONSTRAINT = /^alter table "\w+" drop constraint "(\w+)";$/;

/** The statements of a migration. */
export interface MigrationStatements {
  /** Statements of one transaction: they need each lock for milliseconds. */
  transactional: string[];
  /** Statements that read whole tables, without a transaction around them. */
  online: string[];
}

/** Matches a pattern in the statements, and returns the values of one of its groups. */
const groupOf = (statements: readonly string[], pattern: RegExp, group: number): Set<string> =>
  new Set(statements.flatMap((statement) => pattern.exec(statement)?.[group] ?? []));

/**
 * Rewrites the statements that would block a table while PostgreSQL reads all its rows. Tables that the migration itself creates
 * are empty. Each online statement can be repeated, and none depends on a name that a kill may have left.
 * https://www.postgresql.org/docs/current/sql-createindex.html#SQL-CREATEINDEX-CONCURRENTLY
 */
export function onlineStatements(statements: readonly string[]): MigrationStatements {
  const newTables = groupOf(statements, /^create table "(\w+)"/, 1);
  const droppedIndexes = groupOf(statements, DROP_INDEX, 1);
  const createdIndexes = groupOf(statements, CREATE_INDEX, 2);
  const addedUniques = groupOf(statements, ADD_UNIQUE, 2);
  const transactional: string[] = [];
  const online: string[] = [];
  for (const statement of statements) {
    const rewritten = rewrite(statement);
    transactional.push(...rewritten.transactional);
    if (rewritten.online.length > 0) online.push(...rewritten.online, '');
  }
  return { transactional: withoutOuterGaps(transactional), online: withoutOuterGaps(online) };

  function rewrite(statement: string): MigrationStatements {
    const match = [SET_NOT_NULL, ADD_UNIQUE, ADD_CHECK_OR_FOREIGN_KEY].map((pattern) => pattern.exec(statement));
    const [notNull, unique, checked] = match.map((found) => (newTables.has(found?.[1] ?? '') ? null : found));
    if (notNull) return { transactional: [], online: setNotNull(notNull[1] ?? '', notNull[2] ?? '') };
    if (unique) return { transactional: [], online: addUnique(unique[1] ?? '', unique[2] ?? '', unique[3] ?? '') };
    if (checked) {
      const [definition, table = '', name = ''] = checked;
      return { transactional: [`${definition} not valid;`], online: [validate(table, name)] };
    }
    const [, create = '', created = '', table = '', rest = ''] = CREATE_INDEX.exec(statement) ?? [];
    if (created !== '' && !newTables.has(table)) {
      const build = (name: string) => `${create} concurrently "${name}" on "${table}"${rest}`;
      return { transactional: [], online: createIndex(created, build, droppedIndexes.has(created)) };
    }
    const dropped = DROP_INDEX.exec(statement)?.[1];
    if (dropped !== undefined)
      return { transactional: [], online: createdIndexes.has(dropped) ? [] : [dropIndex(dropped)] };
    // A unique constraint with a new definition replaces the old one in one statement.
    if (addedUniques.has(DROP_CONSTRAINT.exec(statement)?.[1] ?? '')) return { transactional: [], online: [] };
    return { transactional: [statement], online: [] };
  }
}

const dropIndex = (name: string) => `drop index concurrently if exists "${name}";`;
const validate = (table: string, constraint: string) => `alter table "${table}" validate constraint "${constraint}";`;

/** A changed index keeps serving requests until the new one is complete. A kill leaves an invalid index, so it is dropped first. */
function createIndex(name: string, build: (name: string) => string, replaces: boolean): string[] {
  if (!replaces) return [dropIndex(name), build(name)];
  const newName = `new_${name}`;
  return [dropIndex(newName), build(newName), dropIndex(name), `alter index "${newName}" rename to "${name}";`];
}

function addUnique(table: string, name: string, columns: string): string[] {
  const index = `new_${name}`;
  return [
    dropIndex(index),
    `create unique index concurrently "${index}" on "${table}" ${columns};`,
    `alter table "${table}" drop constraint if exists "${name}", add constraint "${name}" unique using index "${index}";`,
  ];
}

/** `set not null` reads no row if a valid check constraint already excludes null. */
function setNotNull(table: string, column: string): string[] {
  const check = `${table}_${column}_not_null`;
  return [
    `alter table "${table}" drop constraint if exists "${check}", add constraint "${check}" check ("${column}" is not null) not valid;`,
    validate(table, check),
    `alter table "${table}" alter column "${column}" set not null, drop constraint "${check}";`,
  ];
}

/** Leaves out empty lines at the beginning, at the end, and after another one. */
const withoutOuterGaps = (lines: string[]): string[] =>
  lines.filter(
    (line, index) => line !== '' || (lines.slice(0, index).some(Boolean) && (lines[index + 1] ?? '') !== ''),
  );
