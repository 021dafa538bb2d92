import type { Worker } from 'node:cluster';
import { setTimeout as wait } from 'node:timers/promises';
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import type { Numbers } from './metrics.ts';
import type { ToWorker } from './workers.ts';

/** Milliseconds that a worker gets to tell its numbers; then those count that it told before. */
const PATIENCE = 2000;
/** What only grows. */
const GROWING = new Set(['counter', 'histogram']);

/**
 * What all workers count together. What has grown in a worker that is gone goes on to count, as it was told last: a sum that fell would
 * look like a new beginning, and what was counted before like new.
 */
export class WorkersNumbers {
  readonly #own = new Registry();
  readonly #replaced: Counter;
  readonly #workers: () => Worker[];
  readonly #told = new Map<Worker, Numbers>();
  #gone: Numbers = [];
  #asked = 0;
  readonly #waiting = new Map<number, (numbers: Numbers) => void>();
  /** One thing after another: a worker's numbers are never in two places, or in none. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(workers: () => Worker[]) {
    this.#workers = workers;
    const registers = [this.#own];
    this.#replaced = new Counter({
      name: 'workers_replaced_total',
      help: 'Workers that ended by themselves',
      registers,
    });
    const there = new Gauge({
      name: 'workers',
      help: 'Workers that there are',
      registers: [],
      collect() {
        this.set(workers().length);
      },
    });
    this.#own.registerMetric(there);
  }

  /** Asks all of them. */
  ask(): Promise<Numbers[]> {
    return this.#inTurn(async () => {
      await Promise.all(this.#workers().map((worker) => this.#askOne(worker)));
      return [await this.#own.getMetricsAsJSON(), this.#gone, ...this.#told.values()];
    });
  }

  async #askOne(worker: Worker): Promise<void> {
    const asked = (this.#asked += 1);
    const { promise, resolve } = Promise.withResolvers<Numbers>();
    this.#waiting.set(asked, resolve);
    const question: ToWorker = { asks: asked };
    worker.send(question, () => {}); // a channel that breaks is a worker that ends
    const numbers = await Promise.race([promise, wait(PATIENCE, undefined, { ref: false })]);
    this.#waiting.delete(asked);
    if (numbers !== undefined && this.#workers().includes(worker)) this.#told.set(worker, numbers);
  }

  answered(asked: number, numbers: Numbers): void {
    this.#waiting.get(asked)?.(numbers);
  }

  /** A worker is gone, and will be replaced. */
  left(worker: Worker): void {
    this.#replaced.inc();
    void this.#inTurn(async () => {
      const growing = this.#told.get(worker)?.filter(({ type }) => GROWING.has(String(type))) ?? [];
      this.#gone = await AggregatorRegistry.aggregate([this.#gone, growing]).getMetricsAsJSON();
      this.#told.delete(worker);
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }
}
