import { createServer, request } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { listen } from '../http/listen.ts';

/** Fault of a request: none, a lost response, a reset connection, an error status, or a delay. */
export type ProxyFault = 'none' | 'lost' | 'reset' | 503 | 429 | 'slow';

/** Starts an HTTP proxy that applies the fault chosen by `chooseFault` to each request. */
export async function startFaultyProxy(target: string, chooseFault: (request: IncomingMessage) => ProxyFault) {
  const { port } = new URL(target);
  const server = createServer((incoming, response) => {
    const fault = chooseFault(incoming);
    if (fault === 'reset') incoming.socket.destroy();
    else if (fault === 503 || fault === 429) {
      incoming.resume();
      response.writeHead(fault, { 'Retry-After': fault === 429 ? '1' : '0' }).end('{"error":"busy"}');
    } else void wait(fault === 'slow' ? 100 : 0).then(() => forward(incoming, response, fault === 'lost'));
  });

  function forward(incoming: IncomingMessage, response: ServerResponse, isLost: boolean): void {
    const { method, url, headers } = incoming;
    const forwarded = request({ host: '127.0.0.1', port, method, path: url, headers }, (upstream) => {
      const chunks: Buffer[] = [];
      upstream.on('data', (chunk: Buffer) => chunks.push(chunk));
      upstream.on('end', () => {
        if (isLost) incoming.socket.destroy();
        else response.writeHead(upstream.statusCode ?? 500, upstream.headers).end(Buffer.concat(chunks));
      });
    });
    forwarded.on('error', () => incoming.socket.destroy());
    incoming.pipe(forwarded);
  }

  const { url, stop } = await listen(server);
  return { url, stop };
}

/** Starts a TCP proxy for PostgreSQL. After `loseNextCommit()`, it drops the response to the next COMMIT. */
export async function startCommitLossProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  let dropsNextCommit = false;
  const server = createTcpServer((client) => {
    const database = connect(Number(target.port || 5432), target.hostname);
    let isLost = false;
    client.on('data', (bytes) => {
      if (dropsNextCommit && bytes.toString('latin1').includes('commit')) {
        dropsNextCommit = false;
        isLost = true;
      }
      database.write(bytes);
    });
    database.on('data', (bytes) => (isLost ? client.destroy() : client.write(bytes)));
    for (const [source, destination] of [
      [client, database],
      [database, client],
    ] as const) {
      source.on('error', () => destination.destroy());
      source.on('close', () => destination.destroy());
    }
  });
  const { port, stop } = await listen(server);
  const { href: url } = Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port });
  return { url, loseNextCommit: () => (dropsNextCommit = true), stop };
}
