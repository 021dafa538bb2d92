import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Messages } from './messages.ts';
import type { Message } from './messages.ts';

/** A moment on the wire between the service and PostgreSQL. */
export interface Point {
  name: string;
  isAt: (message: Message) => boolean;
  /** Whether the message at which it is still passes, or nothing from there on. */
  passes: boolean;
}

interface Line {
  service: Socket;
  database: Socket;
  /** Whether a point was reached on it, after which nothing passes. */
  isOver: boolean;
}

/** The way of the service to its PostgreSQL, on which every message is seen, and which can be cut or fall silent. */
export class Wire {
  readonly #server: Server;
  readonly #target: number;
  readonly #lines = new Set<Line>();
  #aim: { point: Point; reached: () => void } | undefined;
  #isSilent = false;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((service) => this.#join(service));
  }

  static async open(target: number): Promise<Wire> {
    const wire = new Wire(target);
    await once(wire.#server.listen(0, '127.0.0.1'), 'listening');
    return wire;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Calls back when that point comes, before anything else happens; nothing passes on that line afterwards. */
  at(point: Point, act: () => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#aim = {
      point,
      reached: () => {
        act();
        resolve();
      },
    };
    return promise;
  }

  /** Cuts every line that is open. */
  cut(): void {
    for (const line of this.#lines) {
      line.service.resetAndDestroy();
      line.database.resetAndDestroy();
    }
  }

  /** From now on nothing comes through, and nobody is told; as a firewall does that forgets a connection. */
  silence(): void {
    for (const { service, database } of this.#lines) for (const socket of [service, database]) socket.pause();
    this.#isSilent = true;
  }

  /** What was held back goes on. */
  speak(): void {
    this.#isSilent = false;
    for (const { service, database } of this.#lines) for (const socket of [service, database]) socket.resume();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #join(service: Socket): void {
    const database = connect(this.#target, '127.0.0.1');
    const line = { service, database, isOver: false };
    this.#lines.add(line);
    const messages = new Messages();
    this.#carry(line, service, database, (bytes) => messages.ofService(bytes));
    this.#carry(line, database, service, (bytes) => messages.ofDatabase(bytes));
    if (this.#isSilent) for (const socket of [service, database]) socket.pause();
    for (const [one, other] of [
      [service, database],
      [database, service],
    ] as const) {
      one.setNoDelay(true);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        other.destroy();
        this.#lines.delete(line);
      });
    }
  }

  #carry(line: Line, from: Socket, to: Socket, read: (bytes: Buffer) => Message[]): void {
    from.on('data', (bytes: Buffer) => {
      for (const message of read(bytes)) {
        if (line.isOver) return;
        const aim = this.#aim;
        line.isOver = aim?.point.isAt(message) === true;
        if (!line.isOver || aim === undefined) to.write(message.bytes);
        else {
          this.#aim = undefined;
          if (aim.point.passes) to.write(message.bytes, aim.reached);
          else aim.reached();
        }
      }
    });
  }
}

/** Milliseconds within which a point must come: one that never comes would show nothing. */
const COMES = 10_000;

/** @throws Error when the point does not come */
export async function reached(point: Promise<void>): Promise<void> {
  const late = wait(COMES, 'late' as const);
  if ((await Promise.race([point, late])) === 'late') throw new Error('the point was not reached');
}
