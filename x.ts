import { fanOutItems } from './entities/inbox/fan-out.ts';
import { bind } from './entities/statements/define-statement.ts';
import { Pool } from 'pg';
const p = new Pool({ connectionString: process.argv[2]!, max: 1 });
await p.query(`update inbox_reader set position = 400`);
await p.query(`delete from inbox_item`);
if (process.argv[3]) await p.query('analyze');
const b = bind(fanOutItems, { hasMail: true }, { company: 1, user: null, key: null, request: '' } as never);
await p.query(`select set_config('app.company','1',false)`);
if (process.argv[4]) {
  await p.query(process.argv[4]);
}
const r = await p.query('explain (analyze, costs off) ' + b.text, b.values as unknown[]);
console.log(r.rows.map((x) => x['QUERY PLAN']).join('\n'));
await p.end();
