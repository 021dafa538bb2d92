import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** What one server bears. */
export interface ConnectionLimits {
  /** Connections at once. */
  maxConnections: number;
  /** Milliseconds for which a client may take nothing of an answer that waits for it. */
  stallTimeout: number;
}

/**
 * The connections of a server, and how long they are borne. Those on which nothing is asked (idle ones, and those that are
 * slow to ask) make room for new ones, the oldest of them first: so whoever comes gets in, however many only stay.
 */
export class ConnectionTracker {
  readonly #limits: ConnectionLimits;
  /**
   * All of them, with their answers that are under way: a client may send on before it has been answered. Nothing comes or
   * goes here with a request: V8 keeps what was in a Map that changes much until it next collects everything, and with an
   * answer all that belonged to its request (docs/performance.md).
   */
  readonly #connections = new Map<Duplex, ServerResponse[]>();
  /** Those that have none, in the order in which they fell quiet. */
  readonly #idle = new Set<Socket>();
  /** How many there have been. */
  acceptedCount = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  add(socket: Socket): void {
    this.acceptedCount += 1;
    if (this.#connections.size >= this.#limits.maxConnections) {
      const [oldest = socket] = this.#idle;
      this.#idle.delete(oldest);
      oldest.destroy();
    }
    if (socket.destroyed) return;
    this.#connections.set(socket, []);
    this.#idle.add(socket);
    socket.once('close', () => {
      this.#idle.delete(socket);
      this.#connections.delete(socket);
    });
  }

  /**
   * Begins what was asked once all that was asked before it on its connection is answered, if that still takes an answer then:
   * the last one may have closed it, and what nobody is told of must not be done (RFC 9112, section 9.6).
   */
  enqueue(socket: Socket, response: ServerResponse, start: () => void): void {
    this.#idle.delete(socket);
    const responses = this.#connections.get(socket) ?? [];
    const previous = responses.at(-1);
    responses.push(response);
    response.once('close', () => this.#responseClosed(socket, response));
    if (previous === undefined) {
      if (socket.writable) start();
      return;
    }
    // No more is read meanwhile: whoever asks faster than he is answered would fill the memory. Not at once, as Node
    // resumes a connection whenever it has taken in a request.
    process.nextTick(() => {
      if (responses.length > 1) socket.pause();
    });
    previous.once('close', () => {
      if (responses.at(-1) === response) socket.resume();
      if (socket.writable) start();
    });
  }

  #responseClosed(socket: Socket, response: ServerResponse): void {
    const responses = this.#connections.get(socket);
    if (responses === undefined) return;
    responses.splice(responses.indexOf(response), 1);
    if (responses.length === 0 && !socket.destroyed) this.#idle.add(socket);
  }

  /** Answers that are under way, in the order of their requests. */
  pendingResponses(socket: Duplex): ServerResponse[] {
    return this.#connections.get(socket)?.filter(({ writableFinished }) => !writableFinished) ?? [];
  }

  /** Closes a connection without traffic for long: an idle one, or one whose client does not read what was written. */
  handleTimeout(socket: Socket): void {
    if (this.#idle.has(socket) || socket.writableLength > 0) socket.destroy();
  }
}
