import { once } from 'node:events';
import { Server as HttpServer } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';

/** Listens on a free port of this machine. `stop` ends the connections of an HTTP server too. */
export async function listen(server: Server) {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    if (server instanceof HttpServer) server.closeAllConnections();
    server.close();
  };
  return { port, url: `http://127.0.0.1:${port}`, stop };
}

/** Returns a free TCP port. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  const { port } = await listen(server);
  await new Promise((closed) => void server.close(closed));
  return port;
}
