import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Limits for the connections of one server. */
export interface ConnectionLimits {
  /** Maximum number of open connections. */
  maxConnections: number;
  /** Milliseconds without progress after which a connection with unread response data is closed. */
  stallTimeout: number;
}

/**
 * Tracks open connections and closes idle or stalled ones. At the limit, a new connection replaces the one that has been
 * without a request longest. Clients that only hold connections open therefore cannot lock others out.
 */
export class ConnectionTracker {
  readonly #limits: ConnectionLimits;
  /**
   * Open connections with their pending responses, more than one if the client pipelines requests. Entries change once per
   * connection, never per request. V8 retains deleted entries of a frequently changed Map until the next full garbage
   * collection. A retained response would keep its whole request in memory (bench/README.md).
   */
  readonly #connections = new Map<Duplex, ServerResponse[]>();
  /** Connections without a pending response, longest idle first. */
  readonly #idle = new Set<Socket>();
  /** Connections accepted since the start. */
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
   * Starts a request after all earlier requests of its connection have their responses. Does not start it if an earlier
   * response closed the connection: a request whose response cannot be sent must not be processed (RFC 9112, section 9.6).
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
    // Pauses reading meanwhile, so that pipelined requests do not fill the memory. The pause is deferred to the next tick,
    // because Node resumes the socket after it has parsed a request.
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

  /** Unfinished responses, in the order of their requests. */
  pendingResponses(socket: Duplex): ServerResponse[] {
    return this.#connections.get(socket)?.filter(({ writableFinished }) => !writableFinished) ?? [];
  }

  /** Closes a connection after a socket timeout if it is idle, or resets it if its client does not read the response. */
  handleTimeout(socket: Socket): void {
    if (this.#idle.has(socket)) socket.destroy();
    else if (socket.writableLength > 0) socket.resetAndDestroy();
  }

  /** Resets the connections with a part of a response, which a client of HTTP/1.0 would take for the whole after a mere close. */
  resetUnfinished(): void {
    for (const connection of this.#connections.keys())
      for (const { headersSent, socket } of this.pendingResponses(connection))
        if (headersSent) socket?.resetAndDestroy();
  }
}
