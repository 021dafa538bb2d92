import { setTimeout as wait } from 'node:timers/promises';
import { createTargetCompany } from '../../faults/workload/load.ts';
import { finalOutcome } from '../../faults/workload/operation-log.ts';
import { seededRandom } from '../../faults/workload/random.ts';
import type { SeededRandom } from '../../faults/workload/random.ts';
import { callManagement } from '../../../support/http/client.ts';
import { LoadClient } from './client.ts';
import type { Workplace } from './client.ts';
import { FeedFollower } from './feed.ts';
import { operationOf } from './history.ts';
import type { FeedItem, History } from './history.ts';
import { Sender } from './sender.ts';

/** Clients, the follower of the change feed of each company included. */
const CLIENTS = 20;
/** Pause of a client between requests, so that the load leaves room on the machine. */
const PAUSE_MS = { min: 40, max: 160 };
/** Longest time until the feed has the last acknowledged change. */
const FEED_TIMEOUT_MS = 30_000;

interface LoadOptions {
  /** Unique prefix of the operation ids. */
  name: string;
  seed: number;
  companies: number;
  /** URL of the process that creates the companies. */
  managementUrl: string;
  /** Time after which a request is given up, longer than every outage. */
  maxWaitMs: number;
}

/** Clients of new companies that send mixed requests to all processes until they are stopped. */
export class Load {
  readonly companies: readonly Workplace[];
  readonly #sender: Sender;
  readonly #clients: LoadClient[] = [];
  readonly #followers: FeedFollower[];
  readonly #running: Promise<unknown>[];
  #isStopped = false;

  private constructor(
    sender: Sender,
    companies: readonly Workplace[],
    keys: readonly string[],
    name: string,
    seed: number,
  ) {
    this.#sender = sender;
    this.companies = companies;
    this.#followers = companies.map((company) => new FeedFollower(sender, company, `${name}-feed${company.id}`));
    this.#running = keys.map((key, index) => {
      const random = seededRandom(seed + index);
      const client = new LoadClient(sender, at(companies, index), key, random, `${name}-c${index}`);
      this.#clients.push(client);
      return this.#run(client, random);
    });
    this.#running.push(...this.#followers.map((follower) => follower.follow(() => this.#isStopped)));
  }

  /** Creates companies and a key for each client, and starts the clients. */
  static async start(urls: readonly string[], options: LoadOptions): Promise<Load> {
    const { name, seed, managementUrl: url } = options;
    const sender = new Sender(urls, options.maxWaitMs);
    const companies: Workplace[] = [];
    while (companies.length < options.companies)
      companies.push(await createWorkplace(sender, url, name, companies.length));
    const keys: string[] = [];
    while (keys.length < CLIENTS - companies.length) {
      const { id } = at(companies, keys.length);
      keys.push((await callManagement<{ key: string }>(url, 'apiKey.create', { name: 'Client' }, id)).key);
    }
    return new Load(sender, companies, keys, name, seed);
  }

  /** Stops the clients when their writes are acknowledged, and reads the feeds to the end. */
  async stop(): Promise<History> {
    this.#isStopped = true;
    await Promise.all(this.#running);
    const end = performance.now() + FEED_TIMEOUT_MS;
    const expected = this.#acknowledgedByCompany();
    await Promise.all(
      this.#followers.map((follower, index) => {
        const missing = expected.get(at(this.companies, index).id) ?? new Set<string>();
        const isDone = (items: readonly FeedItem[]) =>
          performance.now() > end || missing.difference(operationsIn(items)).size === 0;
        return follower.follow(isDone);
      }),
    );
    this.#sender.close();
    return {
      operations: this.#sender.operations,
      ownReads: this.#clients.flatMap(({ ownReads }) => ownReads),
      feeds: new Map(this.#followers.map(({ items }, index) => [at(this.companies, index).id, items])),
    };
  }

  async #run(client: LoadClient, random: SeededRandom): Promise<void> {
    while (!this.#isStopped) {
      await client.step();
      await wait(PAUSE_MS.min + random.next() * (PAUSE_MS.max - PAUSE_MS.min));
    }
  }

  #acknowledgedByCompany(): Map<number, Set<string>> {
    const writes = this.#sender.operations.filter(
      (operation) => operation.request.action !== 'read' && finalOutcome(operation) === 'acknowledged',
    );
    const byCompany = Map.groupBy(writes, ({ request }) => request.company);
    return new Map(
      [...byCompany].map(([company, all]) => [company, new Set(all.map(({ request }) => request.operationId))]),
    );
  }
}

const operationsIn = (items: readonly FeedItem[]): Set<string> =>
  new Set(items.map(({ requestId }) => operationOf(requestId)));

function at<T>(values: readonly T[], index: number): T {
  const value = values[index % values.length];
  if (value === undefined) throw new Error('expected at least one value');
  return value;
}

async function createWorkplace(sender: Sender, url: string, name: string, index: number): Promise<Workplace> {
  const company = await createTargetCompany(url);
  const operationId = `${name}-shared${index}`;
  const response = await sender.send(
    {
      operationId,
      company: company.id,
      method: 'POST',
      path: '/external/smart-inventory/vendor/new',
      body: { name: operationId },
      action: 'create',
      resourceType: 'vendor',
      hasIdempotencyKey: true,
      isContended: false,
    },
    company.key,
  );
  if (response?.status !== 201) throw new Error(`the load cannot start: ${response?.status} ${response?.text}`);
  const { uniqueId: id } = JSON.parse(response.text) as { uniqueId: string };
  return { ...company, shared: { type: 'vendor', id } };
}
