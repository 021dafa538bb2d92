import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { listen } from '../../support/http/listen.ts';

export const sha256 = (key: string) => createHash('sha256').update(key).digest('hex');

/** Starts a server that responds with the name of its cell, and sends a directory to fake-manage.ts. */
export async function startFakeCell(name: string, token: string) {
  const keys = new Set<string>();
  const followers = new Set<ServerResponse>();
  let isDown = false;
  let isReady = true;
  const server = createServer((request, response) => {
    if (request.url === '/readyz') {
      response.writeHead(isReady ? 200 : 503).end();
      return;
    }
    if (!request.url?.startsWith('/directory')) {
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ cell: name }));
      return;
    }
    if (isDown || request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end();
      return;
    }
    response.writeHead(200).flushHeaders();
    for (const key of keys) response.write(`${sha256(key)} 1\n`);
    response.write('\n');
    followers.add(response.on('close', () => followers.delete(response)));
  });
  const { url, stop } = await listen(server);
  const send = (line: string) => {
    for (const follower of followers) follower.write(`${line}\n`);
  };
  return {
    name,
    url,
    stop,
    send,
    add(...added: string[]) {
      for (const key of added) {
        keys.add(key);
        send(`${sha256(key)} 1`);
      }
    },
    remove(key: string) {
      keys.delete(key);
      send(`- ${sha256(key)}`);
    },
    /** Ends the connections to the directory, and rejects new ones. */
    cut() {
      isDown = true;
      for (const follower of followers) follower.destroy();
    },
    restore() {
      isDown = false;
    },
    /** Sets the status of `/readyz`: 503 while the cell has no database. */
    setReady(value: boolean) {
      isReady = value;
    },
  };
}
