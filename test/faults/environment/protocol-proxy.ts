import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { ProtocolParser } from './protocol-messages.ts';
import type { ProtocolMessage } from './protocol-messages.ts';

/** A moment on the wire between the service and PostgreSQL. */
export interface ProtocolPoint {
  name: string;
  matches: (message: ProtocolMessage) => boolean;
  /** Whether the message at which it is still passes, or nothing from there on. */
  forwardsMessage: boolean;
}

interface ProxiedConnection {
  service: Socket;
  database: Socket;
  /** Whether a point was reached on it, after which nothing passes. */
  isBlocked: boolean;
}

/** The way of the service to its PostgreSQL, on which every message is seen, and which can be cut or fall silent. */
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
    const wire = new ProtocolProxy(target);
    await once(wire.#server.listen(0, '127.0.0.1'), 'listening');
    return wire;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Calls back when that point comes, before anything else happens; nothing passes on that line afterwards. */
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

  /** Cuts every line that is open. */
  resetConnections(): void {
    for (const line of this.#connections) {
      line.service.resetAndDestroy();
      line.database.resetAndDestroy();
    }
  }

  /** From now on nothing comes through, and nobody is told; as a firewall does that forgets a connection. */
  pause(): void {
    for (const { service, database } of this.#connections) for (const socket of [service, database]) socket.pause();
    this.#isPaused = true;
  }

  /** What was held back goes on. */
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
    const line = { service, database, isBlocked: false };
    this.#connections.add(line);
    const messages = new ProtocolParser();
    this.#forward(line, service, database, (bytes) => messages.parseClient(bytes));
    this.#forward(line, database, service, (bytes) => messages.parseServer(bytes));
    if (this.#isPaused) for (const socket of [service, database]) socket.pause();
    for (const [one, other] of [
      [service, database],
      [database, service],
    ] as const) {
      one.setNoDelay(true);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        other.destroy();
        this.#connections.delete(line);
      });
    }
  }

  #forward(line: ProxiedConnection, from: Socket, to: Socket, read: (bytes: Buffer) => ProtocolMessage[]): void {
    from.on('data', (bytes: Buffer) => {
      for (const message of read(bytes)) {
        if (line.isBlocked) return;
        const breakpoint = this.#breakpoint;
        line.isBlocked = breakpoint?.point.matches(message) === true;
        if (!line.isBlocked || breakpoint === undefined) to.write(message.bytes);
        else {
          this.#breakpoint = undefined;
          if (breakpoint.point.forwardsMessage) to.write(message.bytes, breakpoint.reached);
          else breakpoint.reached();
        }
      }
    });
  }
}

/** Milliseconds within which a point must come: one that never comes would show nothing. */
const POINT_TIMEOUT_MS = 10_000;

/** @throws Error when the point does not come */
export async function waitForPoint(point: Promise<void>): Promise<void> {
  const late = wait(POINT_TIMEOUT_MS, 'late' as const);
  if ((await Promise.race([point, late])) === 'late') throw new Error('the point was not reached');
}
