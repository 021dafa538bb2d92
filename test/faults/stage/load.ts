import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { ask, manage } from './ask.ts';
import { markerOf, markersIn, outcomeOfStatus } from './oracle.ts';
import { chanceOf } from './random.ts';
import type { Chance } from './random.ts';
import { nextRequest } from './requests.ts';
import type { Owned } from './requests.ts';
import type { Came, Sent, Told, Witness } from './witness.ts';

export interface Company {
  id: number;
  key: string;
  framework: number;
}

/** A company with a framework and a key, all of whose names bear its marker. */
export async function foundCompany(url: string, token: string): Promise<Company> {
  const { id } = await manage<{ id: number }>(url, token, 'company.create', { name: 'Company' });
  const name = `Name ${markerOf(id)}`;
  const framework = await manage<{ id: number }>(url, token, 'framework.create', { name }, id);
  const { key } = await manage<{ key: string }>(url, token, 'apiKey.create', { name }, id);
  return { id, key, framework: framework.id };
}

interface Options {
  /** Where to ask: looked at before each request, as the service may move. */
  url: () => string;
  witness: Witness;
  companies: readonly Company[];
  clients: number;
  seed: number;
  /** Names the requests: no two loads share it. */
  name: string;
}

/** Milliseconds that a client rests between requests; after those that came to nothing twice as long each time. */
const REST = 4;
const LONGEST_REST = 320;

/** Clients that read and write as fast as they are answered, each its own resources, and write down what they see. */
export class Load {
  readonly #options: Options;
  readonly #agent = new Agent({ keepAlive: true });
  #stopped = false;
  #numbered = 0;
  #clients: Promise<unknown> = Promise.resolve();
  /** Requests that had no answer at all. */
  readonly unanswered: Came[] = [];
  /** When writes were acknowledged. */
  readonly #successes: number[] = [];
  /** By company, what was last made there: others try to reach it. */
  readonly #made = new Map<number, Owned>();

  constructor(options: Options) {
    this.#options = options;
    const { clients, companies, seed } = options;
    this.#clients = Promise.all(
      Array.from({ length: clients }, (_, no) => {
        const company = companies[no % companies.length];
        const other = companies[(no + 1) % companies.length];
        if (company === undefined || other === undefined) throw new Error('a load needs companies');
        return this.#client(company, other, chanceOf(seed + no));
      }),
    );
  }

  /** Writes that were acknowledged so far. */
  get acknowledged(): number {
    return this.#successes.length;
  }

  /** Resolves when so many more writes are acknowledged. */
  async more(writes: number): Promise<void> {
    const goal = this.acknowledged + writes;
    while (this.acknowledged < goal && !this.#stopped) await wait(5);
  }

  /** Milliseconds from then until a write was acknowledged; undefined when none is within `patience`. */
  async successAfter(then: number, patience: number): Promise<number | undefined> {
    while (performance.now() - then < patience) {
      const first = this.#successes.findLastIndex((at) => at < then) + 1;
      const at = this.#successes[first];
      if (at !== undefined) return at - then;
      await wait(5);
    }
    return undefined;
  }

  /** Ends when all requests that were sent have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#clients;
    this.#agent.destroy();
  }

  async #client(company: Company, other: Company, chance: Chance): Promise<void> {
    const owned: Owned[] = [];
    let rest = REST;
    while (!this.#stopped) {
      const op = `${this.#options.name}-${String((this.#numbered += 1)).padStart(6, '0')}`;
      const sent = nextRequest(op, { company, other, owned, stranger: this.#made.get(other.id) }, chance);
      const came = await attempt(this.#options, company.key, sent, 1, this.#agent);
      settle(owned, sent, came);
      if (typeof came.status === 'string') this.unanswered.push(came);
      const newest = owned.at(-1);
      if (newest !== undefined) this.#made.set(company.id, newest);
      if (came.outcome === 'acknowledged' && sent.does !== 'read') this.#successes.push(came.at);
      rest = came.outcome === 'unknown' ? Math.min(2 * rest, LONGEST_REST) : REST;
      await wait(rest * (0.5 + chance.next() / 2));
    }
  }
}

/** Whom the others leave alone: what may have been changed is not changed again before it is known. */
function settle(owned: Owned[], sent: Sent, { outcome, resource }: Came): void {
  const at = owned.findIndex(({ id }) => id === sent.resource);
  if (sent.does === 'create' && outcome === 'acknowledged' && resource !== undefined)
    owned.push({ type: sent.type === 'task' ? 'task' : 'vendor', id: resource });
  else if (at >= 0 && (sent.does === 'delete' || (sent.does === 'update' && outcome !== 'acknowledged')))
    owned.splice(at, 1);
}

/** Sends a request once, between what it writes down before and after. */
async function attempt(
  { url, witness }: Pick<Options, 'url' | 'witness'>,
  key: string,
  sent: Sent,
  number: number,
  agent?: Agent,
): Promise<Came> {
  if (number === 1) await witness.write({ sent });
  const start = performance.now();
  const came = await ask(`${url()}${sent.path}`, {
    method: sent.method,
    headers: {
      ...sent.headers,
      'X-API-Key': key,
      'X-Request-Id': `${sent.op}.${number}`,
      ...(sent.isOnce && { 'Idempotency-Key': sent.op }),
    },
    body: sent.body,
    ...(agent !== undefined && { agent }),
  }).then(
    ({ status, headers, text }) => {
      const code = headers['x-error-code'];
      const resource = /"uniqueId":"([0-9a-f-]{36})"/.exec(text)?.[1];
      const foreign = markersIn(text).filter((marker) => marker !== markerOf(sent.company));
      return {
        outcome: outcomeOfStatus(status, typeof code === 'string' ? code : undefined),
        status,
        ...(sent.does === 'create' && resource !== undefined && { resource }),
        ...(foreign.length > 0 && { foreign }),
      };
    },
    (error: Error) => ({ outcome: 'unknown' as const, status: error.message }),
  );
  const at = performance.now();
  const line: Came = { op: sent.op, attempt: number, at, took: at - start, ...came };
  await witness.write({ came: line });
  return line;
}

/** Attempts that a request gets after the fault is over. */
const ATTEMPTS = 20;
/** How many are repeated at once. */
const AT_ONCE = 8;

/** Repeats what is unknown and has an Idempotency-Key until it is answered; each must be. */
export async function repeatUnknown(
  options: Pick<Options, 'url' | 'witness' | 'companies'>,
  unknown: readonly Told[],
): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const left = unknown.values();
  async function repeat(): Promise<void> {
    for (const { sent, came } of left) {
      const key = options.companies.find(({ id }) => id === sent.company)?.key ?? '';
      for (let number = came.length + 1; number <= came.length + ATTEMPTS; number++) {
        if ((await attempt(options, key, sent, number, agent)).outcome !== 'unknown') break;
        await wait(200);
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, repeat));
  agent.destroy();
}
