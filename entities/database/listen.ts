import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';

/** Milliseconds between attempts to listen again; meanwhile what is remembered is trusted for a moment only. */
const AGAIN = 1000;

/**
 * Listens for changes of keys on a connection of its own, and on a new one when it breaks. Whatever was missed in
 * between counts as a change.
 * @returns ends it
 */
export async function listen(url: string, keysChanged: () => void): Promise<() => Promise<void>> {
  const ended = new AbortController();
  let client: Client | undefined;

  async function connect(): Promise<void> {
    const fresh = new Client({ connectionString: url, connectionTimeoutMillis: 3000, keepAlive: true });
    fresh.on('notification', keysChanged);
    fresh.on('error', () => {});
    fresh.on('end', () => void again());
    client = fresh;
    try {
      await fresh.connect();
      await fresh.query('listen api_key_changed');
      keysChanged();
    } catch {
      await fresh.end().catch(() => {});
    }
  }

  async function again(): Promise<void> {
    await wait(AGAIN, undefined, { signal: ended.signal }).then(connect, () => {});
  }

  await connect();
  return async () => {
    ended.abort();
    await client?.end();
  };
}
