import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { ProtocolParser } from './protocol-messages.ts';
import type { ProtocolMessage } from './protocol-messages.ts';

/** A point in the protocol between the service and PostgreSQL. */
export interface ProtocolPoint {
  name: string;
  matches: (message: ProtocolMessage) => boolean;
  /** True if the matching message is still forwarded. No later message is. */
  forwardsMessage: boolean;
}

interface ProxiedConnection {
  service: Socket;
  database: Socket;
  /** True once a point is reached: the proxy then forwards no more messages of this connection. */
  isBlocked: boolean;
}

/** A TCP proxy between the service and PostgreSQL. It parses every message, and can reset or stall the connections. */
export class ProtocolProxy {
  readonly #server: Server;
  readonly #target: number;
  readonly #connections = new Set<ProxiedConnection>();
  #breakpoint: { point: ProtocolPoint; reached: () => void } | undefined;
  #isPaused = false;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((service) => this.#accept(service));
  }

  static async open(target: number): Promise<ProtocolProxy> {
    const proxy = new ProtocolProxy(target);
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Calls `act` synchronously when a connection reaches the point, and then blocks that connection. */
  onPoint(point: ProtocolPoint, act: () => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#breakpoint = {
      point,
      reached: () => {
        act();
        resolve();
      },
    };
    return promise;
  }

  /** Resets every open connection. */
  resetConnections(): void {
    for (const connection of this.#connections) {
      connection.service.resetAndDestroy();
      connection.database.resetAndDestroy();
    }
  }

  /** Forwards no more data and closes no connection, like a firewall that has dropped its connection state. */
  pause(): void {
    for (const { service, database } of this.#connections) for (const socket of [service, database]) socket.pause();
    this.#isPaused = true;
  }

  /** Forwards the data again, beginning with the data held back. */
  resume(): void {
    this.#isPaused = false;
    for (const { service, database } of this.#connections) for (const socket of [service, database]) socket.resume();
  }

  close(): void {
    this.resetConnections();
    this.#server.close();
  }

  #accept(service: Socket): void {
    const database = connect(this.#target, '127.0.0.1');
    const connection = { service, database, isBlocked: false };
    this.#connections.add(connection);
    const parser = new ProtocolParser();
    this.#forward(connection, service, database, (bytes) => parser.parseClient(bytes));
    this.#forward(connection, database, service, (bytes) => parser.parseServer(bytes));
    if (this.#isPaused) for (const socket of [service, database]) socket.pause();
    for (const [one, other] of [
      [service, database],
      [database, service],
    ] as const) {
      one.setNoDelay(true);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        other.destroy();
        this.#connections.delete(connection);
      });
    }
  }

  #forward(connection: ProxiedConnection, from: Socket, to: Socket, read: (bytes: Buffer) => ProtocolMessage[]): void {
    from.on('data', (bytes: Buffer) => {
      for (const message of read(bytes)) {
        if (connection.isBlocked) return;
        const breakpoint = this.#breakpoint;
        connection.isBlocked = breakpoint?.point.matches(message) === true;
        if (!connection.isBlocked || breakpoint === undefined) to.write(message.bytes);
        else {
          this.#breakpoint = undefined;
          if (breakpoint.point.forwardsMessage) to.write(message.bytes, breakpoint.reached);
          else breakpoint.reached();
        }
      }
    });
  }
}

/** Maximum time until a connection reaches a point. A point that is never reached would test nothing. */
const POINT_TIMEOUT_MS = 10_000;

/** @throws Error if no connection reaches the point in time */
export async function waitForPoint(point: Promise<void>): Promise<void> {
  const timeout = wait(POINT_TIMEOUT_MS, 'timeout' as const);
  if ((await Promise.race([point, timeout])) === 'timeout') throw new Error('the point was not reached');
}
