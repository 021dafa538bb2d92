import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import type { NotificationListeners } from '../driver.ts';
import { TIMEOUTS_MS } from '../timeouts.ts';
import { connectionConfig } from './connection-url.ts';

/** Delay before a reconnect. Meanwhile cached keys expire after their short lifetime, and new seals are found by polling. */
const RETRY_DELAY_MS = 1000;
/** Interval of test queries, which detect a network partition. */
const HEARTBEAT_INTERVAL_MS = 5000;

/**
 * Listens for notifications on a separate connection, and reconnects when it breaks.
 * Each connect counts as a notification on every channel, because some may have been missed.
 * @returns function that stops listening
 */
export async function listen(url: string, listeners: NotificationListeners): Promise<() => Promise<void>> {
  const listenerByChannel = new Map<string, () => void>(Object.entries(listeners));
  const stopped = new AbortController();
  const config = connectionConfig(url);
  let client: Client | undefined;

  async function connect(): Promise<void> {
    const fresh = new Client({
      connectionTimeoutMillis: TIMEOUTS_MS.connect,
      ...config,
      query_timeout: TIMEOUTS_MS.query,
    });
    fresh.on('notification', ({ channel }) => listenerByChannel.get(channel)?.());
    fresh.on('error', () => {});
    fresh.on('end', () => void reconnect());
    client = fresh;
    const destroyConnection = () => fresh.connection.stream.destroy();
    try {
      await fresh.connect();
      for (const [channel, listener] of listenerByChannel) {
        await fresh.query(`listen ${channel}`);
        listener();
      }
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
