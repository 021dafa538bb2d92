import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts a receiver of webhooks that responds with a status. */
export async function startReceiver(status: number): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}
