import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { isUnreachable } from '../errors.ts';
import { connectionConfig, IGNORED_PARAMETERS, STARTUP_PARAMETERS } from './connection-url.ts';

/** Milliseconds for which a server that is unreachable or starts is tried. */
const PATIENCE_MS = 30_000;
const RETRY_DELAY_MS = 500;
/** Milliseconds for one attempt, unless the URL has a `connect_timeout`: a server may wake up when a client connects. */
const ATTEMPT_TIMEOUT_MS = 10_000;

interface Options {
  /** True if a pooler in transaction mode is at the URL. It gets no startup parameters. */
  hasPooler?: boolean;
  /** Milliseconds after which no further attempt begins. */
  patienceMs?: number;
  /** Ends the wait. */
  signal?: AbortSignal | undefined;
  /** Called with the first error after which another attempt follows. */
  onRetry?: (error: unknown) => void;
}

/**
 * Waits until a server accepts a connection with the parameters of the service.
 * @returns the startup parameters that the server, or a pooler in front of it, has ignored
 * @throws Error of the driver, at once if a later attempt would get it as well
 */
export async function awaitServer(
  url: string,
  { hasPooler = false, patienceMs = PATIENCE_MS, signal, onRetry }: Options = {},
): Promise<string[]> {
  const config = connectionConfig(url);
  const end = performance.now() + patienceMs;
  for (let attempt = 1; ; attempt += 1) {
    const timeoutMs =
      config.connectionTimeoutMillis ?? Math.max(1, Math.min(ATTEMPT_TIMEOUT_MS, end - performance.now()));
    const client = new Client({
      ...config,
      ...(!hasPooler && STARTUP_PARAMETERS),
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
    });
    client.on('error', () => {}); // the running call fails with it
    const disconnect = () => client.connection.stream.destroy();
    signal?.addEventListener('abort', disconnect);
    try {
      await client.connect();
      const { rows } = await client.query<{ name: string }>(hasPooler ? 'select where false' : IGNORED_PARAMETERS);
      await client.end();
      return rows.map(({ name }) => name);
    } catch (error) {
      disconnect();
      signal?.throwIfAborted();
      if (!isUnreachable(error) || performance.now() + RETRY_DELAY_MS > end) throw error;
      if (attempt === 1) onRetry?.(error);
    } finally {
      signal?.removeEventListener('abort', disconnect);
    }
    await wait(RETRY_DELAY_MS, undefined, { signal });
  }
}
