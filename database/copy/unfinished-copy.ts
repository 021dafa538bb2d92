import type { OwnerQuery } from '../driver.ts';
import { DescribedError } from '../errors.ts';
import type { OwnerConnection } from '../postgresql/owner.ts';

/** Table in a database that a copy has begun to fill. It names the source, and is dropped at the end. */
export const UNFINISHED_COPY = 'unfinished_copy';

const OLDEST_POSTGRESQL = 15;

/** Everything that has rows, without what belongs to an extension. */
const RELATIONS = `select c.relname as name, c.relname = '${UNFINISHED_COPY}' and n.nspname = 'public' as "isMark"
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  order by c.relname collate "C"`;

/** Tables that an error names. */
const NAMED = 3;

/**
 * Marks a database as an unfinished copy, until the transaction of `endCopy` is committed.
 * @param source identifies the source, and is no secret
 * @throws DescribedError unless the database is empty, or an unfinished copy of the same source
 */
export async function beginCopy(target: OwnerConnection, source: string): Promise<void> {
  if (!(await target.lock('database copy'))) throw new DescribedError('another copy into this database is running');
  // A server may end transactions that wait, as this one does while the source is read.
  await target.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0');
  const [server] = await target.query<{ major: number; encoding: string }>(
    `select current_setting('server_version_num')::int / 10000 as major, current_setting('server_encoding') as encoding`,
  );
  if (server === undefined || server.major < OLDEST_POSTGRESQL || server.encoding !== 'UTF8')
    throw new DescribedError(
      `expected a database of PostgreSQL ${OLDEST_POSTGRESQL} or newer with the encoding UTF8, not ${server?.major} with ${server?.encoding}`,
    );
  const relations = await target.query<{ name: string; isMark: boolean }>(RELATIONS);
  if (relations.length === 0) {
    await target.transaction(async (inside) => {
      await inside(`create table ${UNFINISHED_COPY} (source text not null)`);
      await inside(`insert into ${UNFINISHED_COPY} values ($1)`, [source]);
    });
    return;
  }
  if (!relations.some(({ isMark }) => isMark)) {
    const names = relations.slice(0, NAMED).map(({ name }) => name);
    throw new DescribedError(
      `expected an empty database, or an unfinished copy of this one; it has ${names.join(', ')}${relations.length > NAMED ? ` and ${relations.length - NAMED} more` : ''}`,
    );
  }
  const [mark] = await target.query<{ source: string }>(`select source from ${UNFINISHED_COPY}`);
  if (mark?.source !== source)
    throw new DescribedError('has an unfinished copy of another database; expected an empty one');
}

/** Says that the copy is complete. @param query inside the transaction that has copied everything */
export const endCopy = (query: OwnerQuery): Promise<unknown> => query(`drop table ${UNFINISHED_COPY}`);
