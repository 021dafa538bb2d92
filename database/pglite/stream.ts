import { Duplex } from 'node:stream';
import { MessageChannel } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';

/**
 * Connection to the thread of the embedded database, as a stream for pg. Each write becomes a message, and each message gets one
 * with the response. pg writes whole messages of the protocol, which PGlite requires.
 */
export class ThreadStream extends Duplex {
  readonly #open: (connection: MessagePort) => Promise<void>;
  #port: MessagePort | undefined;

  /** @param open gives the thread its end of the connection */
  constructor(open: (connection: MessagePort) => Promise<void>) {
    super();
    this.#open = open;
  }

  /** Called by pg, like the methods of `net.Socket` below. */
  connect(): this {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on('message', (response: Uint8Array) => this.push(response));
    this.#open(port2).then(
      () => this.emit('connect'),
      (error: Error) => this.destroy(error),
    );
    return this;
  }

  // These have no effect on a port.
  readonly setNoDelay = (): this => this;
  readonly setKeepAlive = (): this => this;
  readonly ref = (): this => this;
  readonly unref = (): this => this;

  override _read(): void {}

  override _writev(chunks: readonly { chunk: Uint8Array }[], done: () => void): void {
    const request = new Uint8Array(chunks.reduce((length, { chunk }) => length + chunk.length, 0));
    let length = 0;
    for (const { chunk } of chunks) {
      request.set(chunk, length);
      length += chunk.length;
    }
    this.#port?.postMessage(request, [request.buffer]);
    done();
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#port?.close();
    done(error);
  }
}
