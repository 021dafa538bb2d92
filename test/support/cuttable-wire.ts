import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A way to a PostgreSQL that can be cut like a cable: nothing arrives any more, and nobody is told. */
export async function cuttableWire(databaseUrl: string) {
  const target = new URL(databaseUrl);
  let isCut = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(one);
      // What was cut once stays so, as when the other end has forgotten the connection.
      let isDead = isCut;
      one.on('data', (bytes) => {
        isDead ||= isCut;
        if (!isDead) other.write(bytes);
      });
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cut: () => (isCut = true),
    mend: () => (isCut = false),
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
