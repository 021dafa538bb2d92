import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { TIMEOUTS } from './timeouts.ts';

/** Milliseconds between attempts to listen again; meanwhile what is remembered is trusted for a moment only. */
const AGAIN = 1000;
/** Milliseconds between two questions whether the other end is still there: a wire that is cut says nothing. */
const ALIVE = 5000;

/**
 * Listens for changes of keys on a connection of its own, and on a new one when it breaks. Whatever was missed in
 * between counts as a change.
 * @returns ends it
 */
export async function listen(url: string, keysChanged: () => void): Promise<() => Promise<void>> {
  const ended = new AbortController();
  let client: Client | undefined;

  async function connect(): Promise<void> {
    const fresh = new Client({
      connectionString: url,
      connectionTimeoutMillis: TIMEOUTS.connect,
      query_timeout: TIMEOUTS.answer,
    });
    fresh.on('notification', keysChanged);
    fresh.on('error', () => {});
    fresh.on('end', () => void again());
    client = fresh;
    const giveUp = () => fresh.connection.stream.destroy();
    try {
      await fresh.connect();
      await fresh.query('listen api_key_changed');
      keysChanged();
      const asking = setInterval(() => void fresh.query('select 1').catch(giveUp), ALIVE).unref();
      fresh.on('end', () => clearInterval(asking));
    } catch {
      giveUp();
    }
  }

  async function again(): Promise<void> {
    await wait(AGAIN, undefined, { signal: ended.signal }).then(connect, () => {});
  }

  await connect();
  return async () => {
    ended.abort();
    client?.connection.stream.destroy();
  };
}
