import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { TIMEOUTS_MS } from '../timeouts.ts';

/** Delay before a reconnect. Meanwhile only the short lifetime of cache entries limits stale keys. */
const RETRY_DELAY_MS = 1000;
/** Interval of test queries, which detect a network partition. */
const HEARTBEAT_INTERVAL_MS = 5000;

/**
 * Listens for API key changes on a separate connection, and reconnects when it breaks.
 * Each connect counts as a change, because notifications may have been missed.
 * @returns function that stops listening
 */
export async function listenForKeyChanges(url: string, onKeysChanged: () => void): Promise<() => Promise<void>> {
  const stopped = new AbortController();
  let client: Client | undefined;

  async function connect(): Promise<void> {
    const fresh = new Client({
      connectionString: url,
      connectionTimeoutMillis: TIMEOUTS_MS.connect,
      query_timeout: TIMEOUTS_MS.query,
    });
    fresh.on('notification', onKeysChanged);
    fresh.on('error', () => {});
    fresh.on('end', () => void reconnect());
    client = fresh;
    const destroyConnection = () => fresh.connection.stream.destroy();
    try {
      await fresh.connect();
      await fresh.query('listen api_key_changed');
      onKeysChanged();
      const heartbeat = setInterval(
        () => void fresh.query('select 1').catch(destroyConnection),
        HEARTBEAT_INTERVAL_MS,
      ).unref();
      fresh.on('end', () => clearInterval(heartbeat));
    } catch {
      destroyConnection();
    }
  }

  async function reconnect(): Promise<void> {
    await wait(RETRY_DELAY_MS, undefined, { signal: stopped.signal }).then(connect, () => {});
  }

  await connect();
  return async () => {
    stopped.abort();
    client?.connection.stream.destroy();
  };
}
