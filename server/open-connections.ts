import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** What one server bears. */
export interface Bounds {
  /** Connections at once. */
  connections: number;
  /** Milliseconds for which a client may take nothing of an answer that waits for it. */
  patience: number;
}

/**
 * The connections of a server, and how long they are borne. Those on which nothing is asked (idle ones, and those that are
 * slow to ask) make room for new ones, the oldest of them first: so whoever comes gets in, however many only stay.
 */
export class OpenConnections {
  readonly #bounds: Bounds;
  /**
   * All of them, with their answers that are under way: a client may send on before it has been answered. Nothing comes or
   * goes here with a request: V8 keeps what was in a Map that changes much until it next collects everything, and with an
   * answer all that belonged to its request (docs/performance.md).
   */
  readonly #open = new Map<Duplex, ServerResponse[]>();
  /** Those that have none, in the order in which they fell quiet. */
  readonly #quiet = new Set<Socket>();
  /** How many there have been. */
  came = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  opened(socket: Socket): void {
    this.came += 1;
    if (this.#open.size >= this.#bounds.connections) {
      const [oldest = socket] = this.#quiet;
      this.#quiet.delete(oldest);
      oldest.destroy();
    }
    if (socket.destroyed) return;
    this.#open.set(socket, []);
    this.#quiet.add(socket);
    socket.once('close', () => {
      this.#quiet.delete(socket);
      this.#open.delete(socket);
    });
  }

  /**
   * Begins what was asked once all that was asked before it on its connection is answered, if that still takes an answer then:
   * the last one may have closed it, and what nobody is told of must not be done (RFC 9112, section 9.6).
   */
  asked(socket: Socket, answer: ServerResponse, begin: () => void): void {
    this.#quiet.delete(socket);
    const answers = this.#open.get(socket) ?? [];
    const before = answers.at(-1);
    answers.push(answer);
    answer.once('close', () => this.#answered(socket, answer));
    if (before === undefined) {
      if (socket.writable) begin();
      return;
    }
    // No more is read meanwhile: whoever asks faster than he is answered would fill the memory. Not at once, as Node
    // resumes a connection whenever it has taken in a request.
    process.nextTick(() => {
      if (answers.length > 1) socket.pause();
    });
    before.once('close', () => {
      if (answers.at(-1) === answer) socket.resume();
      if (socket.writable) begin();
    });
  }

  #answered(socket: Socket, answer: ServerResponse): void {
    const answers = this.#open.get(socket);
    if (answers === undefined) return;
    answers.splice(answers.indexOf(answer), 1);
    if (answers.length === 0 && !socket.destroyed) this.#quiet.add(socket);
  }

  /** Answers that are under way, in the order of their requests. */
  answersOn(socket: Duplex): ServerResponse[] {
    return this.#open.get(socket)?.filter(({ writableFinished }) => !writableFinished) ?? [];
  }

  /** Closes a connection without traffic for long: an idle one, or one whose client does not read what was written. */
  timedOut(socket: Socket): void {
    if (this.#quiet.has(socket) || socket.writableLength > 0) socket.destroy();
  }
}
