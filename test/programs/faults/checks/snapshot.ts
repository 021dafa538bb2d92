import type { RunSql } from '../../../support/database/client.ts';

/** The stored rows of some companies. */
export interface Snapshot {
  tasks: TableRow[];
  vendors: TableRow[];
  events: AuditEventRow[];
  /** Task counts that triggers maintain, by framework. */
  taskCounts: { company_id: number; framework_id: number; tasks: number }[];
  /** Idempotency records. `key_hash` is the SHA-256 of the Idempotency-Key in hexadecimal digits. */
  idempotencyRecords: { company_id: number; key_hash: string; body: string | null }[];
}

export type TableRow = Record<string, unknown> & { company_id: number; unique_id: string; version: number };

export interface AuditEventRow {
  company_id: number;
  id: string;
  action: string;
  resource_type: string;
  resource_id: string;
  changes: Record<string, unknown>;
  request_id: string;
}

/** Reads the rows of the companies directly from the database. */
export async function takeSnapshot(run: RunSql, companies: readonly number[]): Promise<Snapshot> {
  const read = <R>(text: string) => run<R>(text, companies);
  const rows = async (table: string) =>
    (await read<{ row: TableRow }>(`select to_jsonb(t) as row from ${table} t where company_id = any($1::int[])`)).map(
      ({ row }) => row,
    );
  return {
    tasks: await rows('task'),
    vendors: await rows('vendor'),
    events: await read(
      `select company_id, id::text, action, resource_type, resource_id, changes, request_id from audit_event e
       where company_id = any($1::int[]) and resource_type in ('task', 'vendor') order by e.id`,
    ),
    taskCounts: await read(
      `select company_id, framework_id, sum(tasks)::int as tasks from task_count
       where company_id = any($1::int[]) group by 1, 2`,
    ),
    idempotencyRecords: await read(
      `select company_id, encode(key_hash, 'hex') as key_hash, body from idempotency_record where company_id = any($1::int[])`,
    ),
  };
}
