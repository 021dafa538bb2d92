import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The present text of the SQL functions. Migrations repeat it. */
const FUNCTION_FILES = 'entities/*/functions/*.sql';

/** Runs SQL without parameters, which may be several statements, and returns the rows of the last one. */
type RunSql = (sql: string) => Promise<object[]>;

/** A function of the schema. */
interface SqlFunction {
  /** Name and types of the parameters. */
  signature: string;
  /** Statement that creates the function. */
  definition: string;
  body: string;
  /** Everything about an aggregate. */
  aggregate: string | null;
  /** True if every role may call the function, as PostgreSQL allows by default. */
  isPublic: boolean;
}

/** Statements that make the functions of a database those of the files, and back. */
export interface FunctionChanges {
  replaceFunctions: string[];
  /** Triggers may need the functions until the other statements of the migration have run. */
  dropFunctions: string[];
  restoreFunctions: string[];
  dropNewFunctions: string[];
}

/** `pg_get_functiondef` does not know aggregates. Those of the schema have a function and a type of state, and no other option. */
const FUNCTIONS = `
  select format('public.%I(%s)', p.proname, oidvectortypes(p.proargtypes)) as signature,
    case p.prokind
      when 'a' then format('create or replace aggregate public.%I(%s) (sfunc = %s, stype = %s)', p.proname,
        pg_get_function_arguments(p.oid), a.aggtransfn, format_type(a.aggtranstype, null))
      else pg_get_functiondef(p.oid) end as definition,
    p.prosrc as body, to_jsonb(a)::text as aggregate,
    exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) where grantee = 0) as "isPublic"
  from pg_proc p left join pg_aggregate a on a.aggfnoid = p.oid
  where p.pronamespace = 'public'::regnamespace
  order by 1`;

async function functionsOf(run: RunSql): Promise<Map<string, SqlFunction>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns of the query
  const functions = (await run(FUNCTIONS)) as SqlFunction[];
  return new Map(functions.map((one) => [one.signature, one]));
}

/**
 * Compares the functions of a migrated database with the files. Replaces the functions by those of the files inside the transaction,
 * and takes that back: so PostgreSQL itself reads the files, and `cascade` removes what depends on the functions only meanwhile.
 */
export async function compareFunctions(run: RunSql): Promise<FunctionChanges> {
  await run('savepoint before_files');
  const former = await functionsOf(run);
  // A function may refer to tables and functions that do not exist yet.
  await run('set local check_function_bodies = off');
  if (former.size > 0) await run(`drop routine ${[...former.keys()].join(', ')} cascade`);
  const present = new Map<string, SqlFunction>();
  const changedFiles = new Set<string>();
  for (const file of (await Array.fromAsync(glob(FUNCTION_FILES, { cwd: ROOT }))).toSorted()) {
    const sql = (await readFile(join(ROOT, file), 'utf8')).trimEnd();
    await run(sql).catch((error: unknown) => {
      throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    });
    for (const [signature, one] of await functionsOf(run)) {
      if (present.has(signature)) continue;
      present.set(signature, one);
      if (!isSame(former.get(signature), one)) changedFiles.add(sql);
    }
  }
  await run('rollback to savepoint before_files');

  const changed = [...former.values()].filter((one) => !isSame(one, present.get(one.signature)));
  const kept = changed.flatMap((one) => present.get(one.signature) ?? []);
  return {
    // `create or replace` keeps privileges, so one that a file does not revoke any more is granted again.
    replaceFunctions: [
      ...changedFiles,
      ...kept.filter(({ isPublic }) => isPublic).flatMap((one) => privilege(one, former)),
    ],
    dropFunctions: changed.filter(({ signature }) => !present.has(signature)).map(drop),
    restoreFunctions: changed.flatMap((one) => [`${one.definition.trimEnd()};`].concat(privilege(one, present))),
    dropNewFunctions: [...present.values()].filter(({ signature }) => !former.has(signature)).map(drop),
  };
}

const drop = ({ signature }: SqlFunction) => `drop routine ${signature};`;

/** Statement for a function whose privilege differs from the one that it has in a database, or has as a new function. */
function privilege({ signature, isPublic }: SqlFunction, stored: ReadonlyMap<string, SqlFunction>): string[] {
  if (isPublic === (stored.get(signature)?.isPublic ?? true)) return [];
  return [`${isPublic ? 'grant' : 'revoke'} execute on routine ${signature} ${isPublic ? 'to' : 'from'} public;`];
}

const isSame = (one: SqlFunction | undefined, other: SqlFunction | undefined): boolean =>
  one?.isPublic === other?.isPublic && one?.aggregate === other?.aggregate && textOf(one) === textOf(other);

/** Definition without the line breaks and the indentation of the body, which migrations indent. A comment ends with its line. */
function textOf(one: SqlFunction | undefined): string | undefined {
  const lines = one?.body.split('\n').map((line) => `${line.trim()}${line.includes('--') ? '\n' : ' '}`);
  return lines && one?.definition.replace(one.body, () => lines.join('').trim());
}
