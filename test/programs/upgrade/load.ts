import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { CONNECTION_REFUSED, sendRequest } from '../../support/http/client.ts';
import type { HttpResponse } from '../../support/http/client.ts';
import { seededRandom } from '../faults/workload/random.ts';
import type { SeededRandom } from '../faults/workload/random.ts';
import { mixedRequest } from './requests.ts';
import type { Company, MixedRequest } from './requests.ts';

/** Pause of a client between requests, so that the load leaves room on the machine. */
const PAUSE_MS = { min: 20, max: 80 };
/** Time between two attempts when both processes rejected a request, and the time after which a request has failed. */
const RETRY_MS = 50;
const MAX_WAIT_MS = 30_000;
/** Share of requests for the change feed, among the clients that follow it. */
const FEED_SHARE = 0.3;

/** Counts of the requests that began in a phase. */
export interface PhaseCounts {
  name: string;
  /** True if a process stops or starts in this phase. */
  isRestart: boolean;
  seconds: number;
  requests: number;
  /** Attempts that got 503 with Retry-After, or no connection. The other process got the request then. */
  resent: number;
  /** Longest time from the first attempt to the response. */
  longestMs: number;
  failures: string[];
}

/** Follows the change feed of a company, as a client that must not miss an event. */
interface Follower {
  cursor: string | undefined;
  sequence: number | undefined;
  events: number;
}

/** Clients that send mixed requests to two processes, as through a load balancer. */
export class MixedLoad {
  readonly phases: PhaseCounts[] = [];
  /** Ids of the requests whose changes were acknowledged. */
  readonly acknowledged: string[] = [];
  readonly #urls: readonly string[];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #followers = new Map<Company, Follower>();
  readonly #clients: Promise<unknown>;
  #stopped = false;
  #sent = 0;
  #phase: PhaseCounts = emptyPhase('', false);

  constructor(urls: readonly string[], companies: readonly Company[], clients: number) {
    this.#urls = urls;
    this.#clients = Promise.all(
      Array.from({ length: clients }, (_, index) => {
        const company = companies[index % companies.length];
        if (company === undefined) throw new Error('companies: expected at least one');
        return this.#runClient(company, seededRandom(index), index < companies.length);
      }),
    );
  }

  /** Counts the requests that begin while `work` runs. */
  async during(name: string, isRestart: boolean, work: () => Promise<unknown>): Promise<void> {
    this.#phase = emptyPhase(name, isRestart);
    this.phases.push(this.#phase);
    const startedAt = performance.now();
    await work();
    this.#phase.seconds = (performance.now() - startedAt) / 1000;
    process.stdout.write(`${name}: ${this.#phase.requests} requests, ${this.#phase.failures.length} failed\n`);
  }

  /** Events that followers of the feed received. */
  get events(): number {
    return [...this.#followers.values()].reduce((sum, { events }) => sum + events, 0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#clients;
    this.#agent.destroy();
  }

  async #runClient(company: Company, random: SeededRandom, follows: boolean): Promise<void> {
    while (!this.#stopped) {
      if (follows && random.next() < FEED_SHARE) await this.#readFeed(company);
      else {
        const id = `upgrade-${(this.#sent += 1)}`;
        const request = mixedRequest(company, random, `Text ${id}`);
        const response = await this.#send(company, request, id);
        if (response !== undefined && request.method !== 'GET') this.acknowledged.push(id);
      }
      await wait(PAUSE_MS.min + random.next() * (PAUSE_MS.max - PAUSE_MS.min));
    }
  }

  async #readFeed(company: Company): Promise<void> {
    const follower = this.#followers.get(company) ?? { cursor: undefined, sequence: undefined, events: 0 };
    this.#followers.set(company, follower);
    const query = follower.cursor === undefined ? 'from=now' : `limit=500&cursor=${follower.cursor}`;
    const response = await this.#send(company, { method: 'GET', path: `/external/changes?${query}` }, 'feed');
    if (response === undefined) return;
    const page = JSON.parse(response.text) as { items: { sequence: number }[]; cursor: string };
    for (const { sequence } of page.items) {
      if (follower.sequence !== undefined && sequence !== follower.sequence + 1)
        this.#phase.failures.push(`the feed continues with ${sequence} after ${follower.sequence}`);
      follower.sequence = sequence;
      follower.events += 1;
    }
    follower.cursor = page.cursor;
  }

  /** @returns undefined after a failure */
  async #send({ key }: Company, { method, path, body }: MixedRequest, id: string): Promise<HttpResponse | undefined> {
    const phase = this.#phase;
    const hasKey = method !== 'GET' && path.startsWith('/external/');
    const headers = { 'X-API-Key': key, 'X-Request-Id': id, ...(hasKey && { 'Idempotency-Key': id }) };
    const options = { method, headers, body, agent: this.#agent };
    phase.requests += 1;
    const startedAt = performance.now();
    for (let attempt = 1; ; attempt++) {
      const url = this.#urls[(this.#sent + attempt) % this.#urls.length] ?? '';
      const result = await sendRequest(`${url}${path}`, options).catch((error: Error) => error);
      const elapsedMs = performance.now() - startedAt;
      phase.longestMs = Math.max(phase.longestMs, elapsedMs);
      if (!(result instanceof Error) && result.status < 300) return result;
      if (!mayBeSentAgain(result) || elapsedMs > MAX_WAIT_MS) {
        const reason = result instanceof Error ? result.message : `${result.status} ${result.text.slice(0, 200)}`;
        phase.failures.push(`${method} ${path}, attempt ${attempt}: ${reason}`);
        return undefined;
      }
      phase.resent += 1;
      if (attempt % this.#urls.length === 0) await wait(RETRY_MS);
    }
  }
}

const emptyPhase = (name: string, isRestart: boolean): PhaseCounts => ({
  name,
  isRestart,
  seconds: 0,
  requests: 0,
  resent: 0,
  longestMs: 0,
  failures: [],
});

const mayBeSentAgain = (result: HttpResponse | Error) =>
  result instanceof Error
    ? result.message === CONNECTION_REFUSED
    : result.status === 503 && result.headers['retry-after'] !== undefined;
