import { getInputOutputParsers } from 'trpc-to-openapi';
import { z } from 'zod';
import { appRouter } from '../../../procedures/index.ts';
import { sql } from '../database/database.ts';
import { callerForKey } from './company.ts';
import type { TestCompany } from './company.ts';

/** Required fields of the input of a procedure. */
function requiredFields(path: string): string[] {
  const procedures = appRouter._def.procedures as unknown as Record<
    string,
    Parameters<typeof getInputOutputParsers>[0]
  >;
  const schema: unknown = procedures[path] && getInputOutputParsers(procedures[path]).inputParser;
  if (!(schema instanceof z.ZodObject)) throw new Error(`${path}: expected an input schema that is an object`);
  return z.toJSONSchema(z.object(schema.shape), { io: 'input', unrepresentable: 'any' }).required ?? [];
}

/** Creates one resource of each type whose required fields are text, with this text. Returns their ids by type. */
export async function createSamples({ key }: TestCompany, text: string): Promise<Record<string, string>> {
  const caller = await callerForKey(key);
  const ids: Record<string, string> = {};
  for (const path of Object.keys(appRouter._def.procedures)) {
    const [type = '', name] = path.split('.');
    // A task needs the id of a framework, and an endpoint a URL and a scope: newTask() and createWebhook() create them.
    if (name !== 'create' || type === 'task' || type === 'webhook') continue;
    const create: unknown = Reflect.get(Object(Reflect.get(caller, type)), name);
    if (typeof create !== 'function') throw new Error(`${path} is not a procedure`);
    const created: unknown = await create(Object.fromEntries(requiredFields(path).map((field) => [field, text])));
    ids[type] = String(Reflect.get(Object(created), 'uniqueId'));
  }
  return ids;
}

/** Reads the rows of a company in all tables, except those that jobs write at any time: usage of keys, the search for unsealed events, and the history of tasks. */
export async function storedRows({ id }: Pick<TestCompany, 'id'>): Promise<unknown[]> {
  const tables = await sql<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id'
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace 
       and c.relname not in ('api_key_usage', 'audit_watermark', 'task_status_day')`,
  );
  // One statement: the embedded database takes most of the time of a small read for its call.
  const reads = tables.map(({ name }) => `select '${name}', to_jsonb(t) from ${name} t where company_id = $1`);
  return sql(`${reads.join(' union all ')} order by 1, 2`, id);
}
