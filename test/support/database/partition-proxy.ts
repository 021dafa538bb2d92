import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A way to a PostgreSQL that can be cut like a cable: nothing arrives any more, and nobody is told. */
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
      // What was cut once stays so, as when the other end has forgotten the connection.
      let isDead = isPartitioned;
      source.on('data', (bytes) => {
        isDead ||= isPartitioned;
        if (!isDead) destination.write(bytes);
      });
      source.on('error', () => destination.destroy());
      source.on('close', () => destination.destroy());
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cut: () => (isPartitioned = true),
    restore: () => (isPartitioned = false),
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
