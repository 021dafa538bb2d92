import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** What becomes of a request: it passes, its answer is lost, it is refused on the way, or it takes its time. */
export type ProxyFault = 'none' | 'lost' | 'reset' | 503 | 429 | 'slow';

/** A proxy before a server, which does to each request what `choose` says. */
export async function startFaultyProxy(target: string, chooseFault: (asked: IncomingMessage) => ProxyFault) {
  const { port } = new URL(target);
  const server = createServer((asked, answer) => {
    const fault = chooseFault(asked);
    if (fault === 'reset') asked.socket.destroy();
    else if (fault === 503 || fault === 429) {
      asked.resume();
      answer.writeHead(fault, { 'Retry-After': fault === 429 ? '1' : '0' }).end('{"error":"busy"}');
    } else void wait(fault === 'slow' ? 100 : 0).then(() => forward(asked, answer, fault === 'lost'));
  });

  function forward(asked: IncomingMessage, answer: ServerResponse, isLost: boolean): void {
    const { method, url, headers } = asked;
    const forwarded = request({ host: '127.0.0.1', port, method, path: url, headers }, (given) => {
      const chunks: Buffer[] = [];
      given.on('data', (chunk: Buffer) => chunks.push(chunk));
      given.on('end', () => {
        if (isLost) asked.socket.destroy();
        else answer.writeHead(given.statusCode ?? 500, given.headers).end(Buffer.concat(chunks));
      });
    });
    forwarded.on('error', () => asked.socket.destroy());
    asked.pipe(forwarded);
  }

  await once(server.listen(0, '127.0.0.1'), 'listening');
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

/** A way to a PostgreSQL on which the reply to the next COMMIT is lost, once `lose` was called. */
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
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return { url: url.href, lose: () => (dropsNextCommit = true), stop: () => server.close() };
}
