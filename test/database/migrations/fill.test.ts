import { Migration } from '@mikro-orm/migrations';
import { expect, test } from 'vitest';
import { OnlineMigration } from '../../../database/orm/online-migration.ts';
import { openEmptyDatabase } from '../../support/database/empty-database.ts';

/** Tables with the row-level security of companies, and of persons. */
class Tables extends Migration {
  override name = 'Tables';
  override up(): void {
    const current = `(nullif(current_setting('app.company', true), ''))::int`;
    const all = `current_setting('app.company', true) = '0'`;
    for (const sql of [
      'create table company (id int primary key)',
      'create table item (company_id int, id int, text text not null, folded text, primary key (company_id, id))',
      'create table letter (company_id int, letter text, item_id int, primary key (company_id, letter, item_id))',
      'create table person (id int primary key, text text not null, folded text)',
      ...['company', 'item', 'person'].map((table) => `alter table ${table} enable row level security`),
      ...['company', 'item', 'person'].map((table) => `alter table ${table} force row level security`),
      `create policy own on company using (id = ${current})`,
      `create policy every on company for select using (${all})`,
      `create policy own on item using (company_id = ${current})`,
      `create policy every on person using (${all})`,
    ])
      this.addSql(sql);
  }
}

class Fill extends OnlineMigration {
  override name = 'Fill';
  override up(): void {
    const set = `folded = case when text = 'bad' then (1 / (length(text) - 3))::text else lower(text) end`;
    this.addFill({ table: 'item', key: 'id', set, where: 'folded is null' });
    this.addDerivedRows({
      table: 'item',
      key: 'id',
      where: `text <> 'bad'`,
      insert: (
        rows,
      ) => `insert into letter select i.company_id, l.letter, i.id from ${rows} i, unnest(array['a', 'b']) l (letter)
        on conflict do nothing`,
    });
    this.addFill({ table: 'person', key: 'id', set, where: 'folded is null', rowScope: 'all companies' });
  }
}

test('a fill commits after each 1,000 rows of a company, and continues after an error or a kill', async () => {
  const { orm } = await openEmptyDatabase({ migrations: { migrationsList: [Tables, Fill] } });
  const connection = orm.em.getConnection();
  await orm.migrator.up({ to: 'Tables' });
  const actFor = (company: number) => connection.execute(`select set_config('app.company', '${company}', false)`);
  for (const company of [1, 2, 3]) {
    await actFor(company);
    await connection.execute(`insert into company values (${company})`);
    if (company === 3) continue; // a company without rows
    await connection.execute(
      `insert into item select ${company}, i, case when ${company} = 2 and i = 1700 then 'bad' else 'Text' end from generate_series(1, 2500) i`,
    );
  }
  await actFor(0);
  await connection.execute(`insert into person select i, 'Ann' from generate_series(1, 1001) i`);
  /** Rows in each transaction that filled some. Row-level security does not apply to the owner of the embedded database. */
  const transactions = async (table: 'item' | 'person' | 'letter', company: number) => {
    await actFor(company);
    const condition = table === 'person' ? 'true' : `company_id = ${company}`;
    const [key, filled] = table === 'letter' ? ['item_id', 'true'] : ['id', 'folded is not null'];
    return connection.execute<{ xid: string; rows: number }[]>(
      `select xmin::text as xid, count(*)::int as rows from ${table} where ${filled} and ${condition}
       group by 1 order by min(${key})`,
    );
  };

  await expect(orm.migrator.up()).rejects.toThrow('migration Fill failed: division by zero');
  const before = await transactions('item', 2);
  expect(before.map(({ rows }) => rows)).toEqual([1000]);

  await connection.execute(`update item set text = 'good' where text = 'bad'`);
  await orm.migrator.up();
  const after = await transactions('item', 2);
  expect(after.map(({ rows }) => rows)).toEqual([1000, 1000, 500]);
  expect(after[0]).toEqual(before[0]);
  expect(await connection.execute(`select distinct folded from item where company_id = 2 order by 1`)).toEqual([
    { folded: 'good' },
    { folded: 'text' },
  ]);
  expect((await transactions('item', 1)).map(({ rows }) => rows)).toEqual([1000, 1000, 500]);
  const letters = await transactions('letter', 2);
  expect(letters.map(({ rows }) => rows)).toEqual([2000, 2000, 1000]);
  expect((await transactions('person', 0)).map(({ rows }) => rows)).toEqual([1000, 1]);

  await connection.execute(`delete from mikro_orm_migrations where name = 'Fill'`);
  await orm.migrator.up();
  expect(await transactions('item', 2)).toEqual(after);
  expect(await transactions('letter', 2)).toEqual(letters);
});
