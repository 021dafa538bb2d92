import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listen } from '../http/listen.ts';

const HEAD = 'HTTP/1.1 200 OK\r\n';

/** Writes text until the peer closes the connection, as fast as it is read. */
function flood(socket: Socket, text: string): void {
  const chunk = text.repeat(Math.ceil(16_384 / text.length));
  const write = (): void => {
    while (socket.writable && socket.write(chunk));
  };
  socket.on('drain', write);
  write();
}

/** Writes text each 10 ms until the peer closes the connection. */
function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 10);
  socket.on('close', () => clearInterval(timer));
}

/** Behaviors of a peer when the first bytes of a connection have arrived: a request, or the start of TLS. */
const BEHAVIORS = {
  'never responds': () => {},
  'switches protocols': (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
  'switches protocols and sends bytes': (socket) =>
    flood(socket, 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'),
  'switches protocols without saying to which': (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  'switches protocols after a 100': (socket) =>
    socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Go\r\nConnection: Upgrade\r\nUpgrade: a\r\n\r\n'),
  'accepts a tunnel': (socket) => socket.write('HTTP/1.1 200 Connection established\r\n\r\n'),
  'sends the status 000': (socket) => socket.write('HTTP/1.1 000 None\r\n\r\n'),
  'sends the status 999': (socket) => socket.write('HTTP/1.1 999 Much\r\n\r\n'),
  'sends no HTTP': (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'),
  'closes the connection': (socket) => socket.end(),
  'resets the connection': (socket) => socket.resetAndDestroy(),
  'closes within the headers': (socket) => socket.end(`${HEAD}Content-`),
  'sends 100 without end': (socket) => flood(socket, 'HTTP/1.1 100 Continue\r\n\r\n'),
  'sends 102 without end': (socket) => flood(socket, 'HTTP/1.1 102 Processing\r\n\r\n'),
  'sends 103 without end': (socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
  'sends headers without end': (socket) => {
    socket.write(HEAD);
    flood(socket, 'A: b\r\n');
  },
  'sends headers slowly': (socket) => {
    socket.write(HEAD);
    drip(socket, 'A: b\r\n');
  },
  'sends a body without end': (socket) => {
    socket.write(`${HEAD}\r\n`);
    flood(socket, 'body');
  },
  'sends a body slowly': (socket) => {
    socket.write(`${HEAD}\r\n`);
    drip(socket, 'body');
  },
  'sends a body and keeps the connection': (socket) => socket.write(`${HEAD}Content-Length: 4\r\n\r\nbody`),
} satisfies Record<string, (socket: Socket) => unknown>;

export type Behavior = keyof typeof BEHAVIORS;

export const ALL_BEHAVIORS = Object.keys(BEHAVIORS) as Behavior[];

/** Starts a server on this machine that misbehaves, until the end of the test. */
export async function startHostilePeer(behavior: Behavior) {
  const sockets = new Set<Socket>();
  const current = { connections: 0 };
  const server = createServer((socket) => {
    current.connections += 1;
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => {}));
    socket.once('data', () => BEHAVIORS[behavior](socket)).resume();
  });
  const { port, url, stop } = await listen(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    stop();
  });
  return {
    host: `127.0.0.1:${port}`,
    url: `${url}/`,
    connections: () => current.connections,
    openConnections: () => sockets.size,
    /** Closes one of the connections. */
    closeOne: () => sockets.values().next().value?.destroy(),
  };
}
