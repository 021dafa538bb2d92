import { createServer, request } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { FILES_PATH } from '../../../../server/move/route.ts';
import { listen } from '../../../support/http/listen.ts';

/** When a call of a move is interrupted: before the cell gets it, while the cell handles it, or before the caller gets the response. */
export type Moment = 'request' | 'handling' | 'response';

/** Proxy in front of a cell, through which `company move` reaches it. */
export interface Gate {
  url: string;
  /** Calls that passed, by name, with the milliseconds that the cell took for the first one. */
  calls: Map<string, number>;
  /** Interrupts the next call with a name: runs the action at the moment, and resets the connection. */
  interrupt(call: string, moment: Moment, action: () => Promise<void>): void;
}

/** `company.moveRead` for a procedure, `GET file` for the bytes of a file. */
function nameOf({ method, url = '' }: IncomingMessage): string {
  return url.startsWith(`${FILES_PATH}/`) ? `${method} file` : url.replace(/^\/trpc\/management\.|\?.*$/g, '');
}

export async function startGate(cellUrl: string): Promise<Gate & { stop: () => void }> {
  const calls = new Map<string, number>();
  let next: { call: string; moment: Moment; action: () => Promise<void> } | undefined;

  /** Sends a call on. @returns its response with the whole body */
  function forward(incoming: IncomingMessage): Promise<(response: ServerResponse) => void> {
    const { method, url, headers } = incoming;
    const { promise, resolve, reject } = Promise.withResolvers<(response: ServerResponse) => void>();
    const sent = request(`${cellUrl}${url}`, { method, headers }, (received) => {
      const chunks: Buffer[] = [];
      received.on('data', (chunk: Buffer) => chunks.push(chunk));
      received.on('error', reject);
      received.on('end', () =>
        resolve((response) =>
          response.writeHead(received.statusCode ?? 500, received.headers).end(Buffer.concat(chunks)),
        ),
      );
    });
    sent.on('error', reject);
    incoming.pipe(sent);
    return promise;
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = nameOf(incoming);
    const interrupted = next?.call === name ? next : undefined;
    if (interrupted !== undefined) next = undefined;
    if (interrupted?.moment !== 'request') {
      const startedAt = performance.now();
      const handled = forward(incoming);
      if (interrupted?.moment === 'handling') {
        await Promise.race([wait((calls.get(name) ?? 0) / 2), handled.catch(() => {})]);
      } else {
        const respond = await handled;
        if (!calls.has(name)) calls.set(name, performance.now() - startedAt);
        if (interrupted === undefined) return respond(response);
      }
    }
    await interrupted?.action();
    incoming.socket.destroy();
  }

  const server = createServer((incoming, response) => {
    void handle(incoming, response).catch(() => incoming.socket.destroy());
  });
  const { url, stop } = await listen(server);
  return { url, calls, stop, interrupt: (call, moment, action) => void (next = { call, moment, action }) };
}
