import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Milliseconds between two looks for who does not take his answer. */
const LOOK = 1000;

/** What one server bears. */
export interface Bounds {
  /** Connections at once. */
  connections: number;
  /** Milliseconds for which a client may take nothing of an answer that waits for it. */
  patience: number;
}

/** What a client has taken of what was written to it, and since when no more. */
interface Taken {
  bytes: number;
  since: number;
}

/**
 * The connections of a server, and how long they are borne. Those on which nothing is asked (idle ones, and those that are
 * slow to ask) make room for new ones, the oldest of them first: so whoever comes gets in, however many only stay.
 */
export class OpenConnections {
  readonly #bounds: Bounds;
  /** In the order in which they fell quiet. */
  readonly #quiet = new Set<Socket>();
  /** The others, with their answers that are under way: a client may send on before it has been answered. */
  readonly #answering = new Map<Duplex, ServerResponse[]>();
  readonly #taken = new WeakMap<Duplex, Taken>();
  readonly #clock: NodeJS.Timeout;
  /** How many there have been. */
  came = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
    this.#clock = setInterval(() => this.#cutStuck(), LOOK).unref();
  }

  opened(socket: Socket): void {
    this.came += 1;
    if (this.#quiet.size + this.#answering.size >= this.#bounds.connections) {
      const [oldest = socket] = this.#quiet;
      this.#quiet.delete(oldest);
      oldest.destroy();
    }
    if (socket.destroyed) return;
    this.#quiet.add(socket);
    socket.once('close', () => {
      this.#quiet.delete(socket);
      this.#answering.delete(socket);
    });
  }

  asked(socket: Socket, answer: ServerResponse): void {
    this.#quiet.delete(socket);
    const answers = this.#answering.get(socket);
    if (answers === undefined) this.#answering.set(socket, [answer]);
    else answers.push(answer);
    answer.once('close', () => this.#answered(socket, answer));
  }

  #answered(socket: Socket, answer: ServerResponse): void {
    const answers = this.#answering.get(socket);
    if (answers === undefined) return;
    if (answers.length > 1) {
      answers.splice(answers.indexOf(answer), 1);
      return;
    }
    this.#answering.delete(socket);
    if (!socket.destroyed) this.#quiet.add(socket);
  }

  /** Answers that are under way, in the order of their requests. */
  answersOn(socket: Duplex): ServerResponse[] {
    return this.#answering.get(socket)?.filter(({ writableFinished }) => !writableFinished) ?? [];
  }

  /** Cuts who takes nothing of what waits for him: it is kept in memory for as long. */
  #cutStuck(): void {
    const now = performance.now();
    for (const [socket, [answer]] of this.#answering) {
      if (socket.writableLength === 0) {
        this.#taken.delete(socket);
        continue;
      }
      const bytes = (answer?.socket?.bytesWritten ?? 0) - socket.writableLength;
      const taken = this.#taken.get(socket);
      if (taken?.bytes !== bytes) this.#taken.set(socket, { bytes, since: now });
      else if (now - taken.since >= this.#bounds.patience) socket.destroy();
    }
  }

  stop(): void {
    clearInterval(this.#clock);
  }
}
