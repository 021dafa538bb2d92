import { once } from 'node:events';
import { Worker, MessageChannel } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { Duplex } from 'node:stream';
import { DescribedError, errorLine } from '../errors.ts';
import type { DatabaseThreadData, DatabaseThreadMessage } from './worker.ts';

/**
 * Connection to the thread of the embedded database, as a stream for pg. Each write becomes a message, and each message gets one
 * with the response. pg writes whole messages of the protocol, which PGlite requires.
 */
class ThreadStream extends Duplex {
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

/** Heap of new objects of the thread, in MiB. Its objects live as long as one message. */
const YOUNG_GENERATION_MB = 8;

/** The thread of the embedded database, and the connections to it. It has one session, so only one connection is open at a time. */
export class EmbeddedServer {
  readonly #files: DatabaseThreadData;
  #thread: Promise<Worker> | undefined;
  readonly #streams = new Set<ThreadStream>();
  #isClosed = false;

  /**
   * @param folder data directory; undefined for a database in memory
   * @param template archive that PGlite made of a data directory, with which a new database begins
   */
  constructor(folder: string | undefined, template?: string) {
    this.#files = { folder, template };
  }

  /** Returns a connection for pg, with a new session. */
  readonly stream = (): ThreadStream => {
    const stream = new ThreadStream(async (connection) => {
      const thread = await this.open();
      thread.postMessage({ connection } satisfies DatabaseThreadMessage, [connection]);
    });
    this.#streams.add(stream);
    stream.on('close', () => this.#streams.delete(stream));
    return stream;
  };

  /**
   * Starts the thread, which opens the database. After it crashed, the next call starts another one.
   * @throws DescribedError if the files cannot be opened
   */
  open(): Promise<Worker> {
    // A connection that was on its way must not open the files again, for they may belong to another process by then.
    if (this.#isClosed) return Promise.reject(new Error('Connection terminated: the database is closed'));
    this.#thread ??= this.#start();
    return this.#thread;
  }

  async #start(): Promise<Worker> {
    const thread = new Worker(new URL('worker.ts', import.meta.url), {
      workerData: this.#files,
      execArgv: [], // modules that the process loads first concern only its main thread
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    let cause: unknown;
    thread.once('error', (error) => (cause = error));
    thread.once('exit', () => {
      this.#thread = undefined;
      const error = new Error('Connection terminated: the database has stopped', { cause });
      for (const stream of this.#streams) stream.destroy(error);
    });
    const ready = Promise.withResolvers<void>();
    thread.once('message', () => ready.resolve());
    thread.once('exit', () => ready.reject(new DescribedError(`cannot be opened: ${errorLine(cause)}`, { cause })));
    await ready.promise;
    return thread;
  }

  /** Closes the database and ends the thread. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const thread = await this.#thread?.catch(() => undefined); // it could not be opened
    if (thread === undefined) return;
    const ended = once(thread, 'exit');
    thread.postMessage('close' satisfies DatabaseThreadMessage, []);
    await ended;
  }
}
