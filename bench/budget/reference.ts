import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { Pool } from 'pg';
import { z } from 'zod';

// The reference of `npm run bench:budget`: node:http and pg, one prepared statement for each request, no keys, no validation. It prints
// its URL. node bench/budget/reference.ts postgresql://…

const [connectionString] = process.argv.slice(2);
const pool = new Pool({ connectionString, max: 10, application_name: 'reference' });
await pool.query(`create schema if not exists reference;
  create table if not exists reference.item (id uuid primary key, name text not null, description text not null, version int not null default 1);
  create table if not exists reference.event (id bigint generated always as identity primary key, item uuid not null, at timestamptz not null default now(), changes jsonb not null);
  create index if not exists event_by_item on reference.event (item, id)`);

const STATEMENTS = {
  get: 'select * from reference.item where id = $1',
  list: 'select json_agg(i) as list from (select id, name from reference.item order by id limit 100) i',
  count: 'select count(*)::int as total from reference.item',
  create: `with created as (insert into reference.item (id, name, description) values ($1, $2, $3) returning *),
    logged as (insert into reference.event (item, changes) select id, to_jsonb(created) from created)
    select * from created`,
  update: `with updated as (update reference.item set name = $2, version = version + 1 where id = $1 returning *),
    logged as (insert into reference.event (item, changes) select id, jsonb_build_object('name', name) from updated)
    select * from updated`,
};

type Operation = keyof typeof STATEMENTS;

const Body = z.object({ name: z.string(), description: z.string().default('') });

async function readBody(request: IncomingMessage) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return Body.parse(JSON.parse(text));
}

const isOperation = (name: string): name is Operation => Object.hasOwn(STATEMENTS, name);

async function respond(request: IncomingMessage): Promise<unknown> {
  const [, operation = '', id = ''] = (request.url ?? '').split('/');
  if (!isOperation(operation)) throw new Error(`${operation}: unknown`);
  const run = async (...values: unknown[]) => {
    const { rows } = await pool.query<object>({ name: operation, text: STATEMENTS[operation], values });
    return rows[0];
  };
  if (operation === 'list' || operation === 'count') return run();
  if (operation === 'get') return run(id);
  const { name, description } = await readBody(request);
  return operation === 'create' ? run(randomUUID(), name, description) : run(id, name);
}

const server = createServer((request, response) => {
  respond(request).then(
    (value) => response.setHeader('Content-Type', 'application/json').end(JSON.stringify(value)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
