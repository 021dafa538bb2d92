import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { listen } from '../http/listen.ts';

/**
 * A TCP proxy for PostgreSQL that simulates a network partition: while cut, it drops all bytes and keeps connections open.
 * A connection that lost bytes, or was opened during the partition, stays dead, as after a NAT timeout.
 */
export async function startPartitionProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  let isPartitioned = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    for (const [source, destination] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(source);
      let isDead = isPartitioned;
      source.on('data', (bytes) => {
        isDead ||= isPartitioned;
        if (!isDead) destination.write(bytes);
      });
      source.on('error', () => destination.destroy());
      source.on('close', () => destination.destroy());
    }
  });
  const { port } = await listen(server);
  return {
    url: Object.assign(new URL(databaseUrl), { port }).href,
    cut: () => (isPartitioned = true),
    restore: () => (isPartitioned = false),
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
