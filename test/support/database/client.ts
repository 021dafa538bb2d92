import { Client } from 'pg';
import type { ClientBase, ClientConfig, Pool } from 'pg';

/** Runs SQL with positional parameters. */
export type RunSql = <Row = Record<string, unknown>>(text: string, ...values: unknown[]) => Promise<Row[]>;

/** Runs SQL on a connection. */
export const sqlOn =
  (client: ClientBase | Pool): RunSql =>
  async <Row>(text: string, ...values: unknown[]) =>
    (await client.query(text, values)).rows as Row[];

/** Runs `work` with a new connection, which may break while it is in use. */
export async function withClient<T>(config: string | ClientConfig, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(config);
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
