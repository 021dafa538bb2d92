import { ReferenceKind } from '@mikro-orm/core';
import type { EntityMetadata } from '@mikro-orm/core';
import { entities } from '../../entities/index.ts';
import { AuditSeal } from '../../entities/audit/seal.ts';
import { File } from '../../entities/file/file.ts';
import { onceSuccessful } from '../retry.ts';

/** A table with rows of companies. */
export interface ErasedTable {
  name: string;
  /** True if the table has a policy for the rows of one company; false if only statements for all companies reach its rows. */
  isCompanyScoped: boolean;
  /** Column with the person of a row; null without one. */
  personColumn: string | null;
  /** True if a store has bytes for each row, which are removed first. */
  hasBytes: boolean;
  /** Column that is highest in the row that stays until the end: the head of the audit log; null if none stays. */
  keptColumn: string | null;
  /** Columns of the primary key, without that of the company. */
  keyColumns: string[];
}

/** A column of a table. */
interface Column {
  table: string;
  column: string;
}

/** The rows that an erase deletes. */
export interface ErasePlan {
  /** Children come before their parents. */
  tables: ErasedTable[];
  /** References to persons in tables that are deleted with the person. */
  ofPersons: Column[];
  /** Other references to the company, which are set to null. */
  cleared: Column[];
}

/** Column of the company in each table that has rows of companies. */
const COMPANY_COLUMN = 'company_id';

/** Derives the plan from the foreign keys of the entities. It needs no connection. */
export const erasePlan = onceSuccessful(async (): Promise<ErasePlan> => {
  const [{ MikroORM }, { ormOptions }] = await Promise.all([
    import('@mikro-orm/postgresql'),
    import('../orm/options.ts'),
  ]);
  const orm = await MikroORM.init({ ...ormOptions, clientUrl: 'postgresql://localhost/none' });
  const metadata = [...orm.getMetadata().getAll().values()];
  const inOrder = entities.flatMap(({ name }) => metadata.find(({ className }) => className === name) ?? []);
  const plan = planOf(inOrder);
  await orm.close();
  return plan;
});

function planOf(all: readonly EntityMetadata[]): ErasePlan {
  const companyTables = all.filter((meta) => columnsOf(meta).includes(COMPANY_COLUMN));
  const references = all.flatMap(referencesOf);
  const toPersons = references.filter(({ target }) => target === 'person');
  const scoped = new Set(companyTables.filter((meta) => keyOf(meta)[0] === COMPANY_COLUMN).map(tableOf));
  return {
    tables: childrenFirst(companyTables.map(tableOf), [
      ...references,
      ...all.flatMap(countsOf),
      ...all.flatMap(listsOf),
    ]).map((name) => ({
      name,
      isCompanyScoped: scoped.has(name),
      personColumn: (scoped.has(name) && toPersons.find(({ table }) => table === name)?.column) || null,
      hasBytes: name === tableOfEntity(all, File.name),
      keptColumn: name === tableOfEntity(all, AuditSeal.name) ? 'seq' : null,
      keyColumns: all
        .filter(({ tableName }) => tableName === name)
        .flatMap(keyOf)
        .filter((column) => column !== COMPANY_COLUMN),
    })),
    ofPersons: toPersons.filter(({ table }) => !scoped.has(table)),
    cleared: references.filter(({ target, column }) => target === 'company' && column !== COMPANY_COLUMN),
  };
}

const tableOf = ({ tableName }: EntityMetadata) => tableName;
const tableOfEntity = (all: readonly EntityMetadata[], name: string) =>
  all.find(({ className }) => className === name)?.tableName;
const columnsOf = ({ props }: EntityMetadata) => props.flatMap(({ fieldNames }) => fieldNames);
const keyOf = ({ primaryKeys, properties }: EntityMetadata) =>
  primaryKeys.flatMap((name) => Object.entries(properties).find(([key]) => key === name)?.[1].fieldNames ?? []);

/** A foreign key with its last column. */
interface Reference extends Column {
  target: string;
}

const referencesOf = ({ tableName: table, relations }: EntityMetadata): Reference[] =>
  relations
    .filter(({ kind, createForeignKeyConstraint }) => kind === ReferenceKind.MANY_TO_ONE && createForeignKeyConstraint)
    .map(({ fieldNames, targetMeta }) => ({
      table,
      column: String(fieldNames.at(-1)),
      target: targetMeta?.tableName ?? '',
    }));

/** Table whose ids a column lists. Triggers check them, as an array has no foreign key. */
const LISTED: Readonly<Record<string, string>> = {
  frameworks: 'framework',
  gaps: 'gap',
  vendors: 'vendor',
  requirements: 'requirement',
};

const listsOf = (meta: EntityMetadata): Reference[] =>
  columnsOf(meta).flatMap((column) => {
    const target = LISTED[column];
    return target === undefined ? [] : [{ table: meta.tableName, column, target }];
  });

/** The table with the counts of another one, to which triggers add rows when those of the other one are deleted (`countTriggers`). */
const countsOf = ({ tableName: table, triggers }: EntityMetadata): Reference[] =>
  triggers.some(({ name }) => name === `${table}_count_delete`)
    ? [{ table, column: '', target: `${table}_count` }]
    : [];

/** Orders tables so that each comes after all tables that refer to it. @throws Error for a cycle */
function childrenFirst(tables: readonly string[], references: readonly Reference[]): string[] {
  const left = new Set(tables);
  const ordered: string[] = [];
  while (left.size > 0) {
    const isReady = (name: string) =>
      !references.some(({ table, target }) => target === name && table !== name && left.has(table));
    const next = [...left].find(isReady);
    if (next === undefined) throw new Error(`foreign keys: expected no cycle among ${[...left].join(', ')}`);
    left.delete(next);
    ordered.push(next);
  }
  return ordered;
}
