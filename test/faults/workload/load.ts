import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { sendRequest, callManagement } from './http-client.ts';
import { companyMarker, findMarkers, outcomeForStatus } from '../checks/oracle.ts';
import { seededRandom } from './random.ts';
import type { SeededRandom } from './random.ts';
import { nextRequest } from './requests.ts';
import type { Resource } from './requests.ts';
import type { AttemptResult, SentRequest, Operation, OperationLog } from './operation-log.ts';

export interface Company {
  id: number;
  key: string;
  framework: number;
}

/** A company with a framework and a key, all of whose names bear its marker. */
export async function createTargetCompany(url: string, token: string): Promise<Company> {
  const { id } = await callManagement<{ id: number }>(url, token, 'company.create', { name: 'Company' });
  const name = `Name ${companyMarker(id)}`;
  const framework = await callManagement<{ id: number }>(url, token, 'framework.create', { name }, id);
  const { key } = await callManagement<{ key: string }>(url, token, 'apiKey.create', { name }, id);
  return { id, key, framework: framework.id };
}

interface LoadOptions {
  /** Where to ask: looked at before each request, as the service may move. */
  url: () => string;
  operationLog: OperationLog;
  companies: readonly Company[];
  clients: number;
  seed: number;
  /** Names the requests: no two loads share it. */
  name: string;
}

/** Milliseconds that a client rests between requests; after those that came to nothing twice as long each time. */
const PAUSE_MS = 4;
const MAX_PAUSE_MS = 320;

/** Clients that read and write as fast as they are answered, each its own resources, and write down what they see. */
export class LoadGenerator {
  readonly #options: LoadOptions;
  readonly #agent = new Agent({ keepAlive: true });
  #stopped = false;
  #requestCount = 0;
  #clients: Promise<unknown> = Promise.resolve();
  /** Requests that had no answer at all. */
  readonly withoutResponse: AttemptResult[] = [];
  /** When writes were acknowledged. */
  readonly #acknowledgedAt: number[] = [];
  /** By company, what was last made there: others try to reach it. */
  readonly #latestResources = new Map<number, Resource>();

  constructor(options: LoadOptions) {
    this.#options = options;
    const { clients, companies, seed } = options;
    this.#clients = Promise.all(
      Array.from({ length: clients }, (_, no) => {
        const company = companies[no % companies.length];
        const other = companies[(no + 1) % companies.length];
        if (company === undefined || other === undefined) throw new Error('a load needs companies');
        return this.#runClient(company, other, seededRandom(seed + no));
      }),
    );
  }

  /** Writes that were acknowledged so far. */
  get acknowledgedWrites(): number {
    return this.#acknowledgedAt.length;
  }

  /** Resolves when so many more writes are acknowledged. */
  async waitForWrites(writes: number): Promise<void> {
    const goal = this.acknowledgedWrites + writes;
    while (this.acknowledgedWrites < goal && !this.#stopped) await wait(5);
  }

  /** Milliseconds from then until a write was acknowledged; undefined when none is within `patience`. */
  async timeToNextWrite(since: number, timeoutMs: number): Promise<number | undefined> {
    while (performance.now() - since < timeoutMs) {
      const first = this.#acknowledgedAt.findLastIndex((at) => at < since) + 1;
      const at = this.#acknowledgedAt[first];
      if (at !== undefined) return at - since;
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

  async #runClient(company: Company, other: Company, chance: SeededRandom): Promise<void> {
    const owned: Resource[] = [];
    let pauseMs = PAUSE_MS;
    while (!this.#stopped) {
      const op = `${this.#options.name}-${String((this.#requestCount += 1)).padStart(6, '0')}`;
      const sent = nextRequest(
        op,
        { company, otherCompany: other, owned, foreignResource: this.#latestResources.get(other.id) },
        chance,
      );
      const came = await sendAttempt(this.#options, company.key, sent, 1, this.#agent);
      updateOwned(owned, sent, came);
      if (typeof came.status === 'string') this.withoutResponse.push(came);
      const newest = owned.at(-1);
      if (newest !== undefined) this.#latestResources.set(company.id, newest);
      if (came.outcome === 'acknowledged' && sent.action !== 'read') this.#acknowledgedAt.push(came.receivedAtMs);
      pauseMs = came.outcome === 'unknown' ? Math.min(2 * pauseMs, MAX_PAUSE_MS) : PAUSE_MS;
      await wait(pauseMs * (0.5 + chance.next() / 2));
    }
  }
}

/** Whom the others leave alone: what may have been changed is not changed again before it is known. */
function updateOwned(owned: Resource[], sent: SentRequest, { outcome, resource }: AttemptResult): void {
  const at = owned.findIndex(({ id }) => id === sent.resource);
  if (sent.action === 'create' && outcome === 'acknowledged' && resource !== undefined)
    owned.push({ type: sent.resourceType === 'task' ? 'task' : 'vendor', id: resource });
  else if (at >= 0 && (sent.action === 'delete' || (sent.action === 'update' && outcome !== 'acknowledged')))
    owned.splice(at, 1);
}

/** Sends a request once, between what it writes down before and after. */
async function sendAttempt(
  { url, operationLog: witness }: Pick<LoadOptions, 'url' | 'operationLog'>,
  key: string,
  sent: SentRequest,
  attemptNumber: number,
  agent?: Agent,
): Promise<AttemptResult> {
  if (attemptNumber === 1) await witness.write({ sent });
  const start = performance.now();
  const came = await sendRequest(`${url()}${sent.path}`, {
    method: sent.method,
    headers: {
      ...sent.headers,
      'X-API-Key': key,
      'X-Request-Id': `${sent.operationId}.${attemptNumber}`,
      ...(sent.hasIdempotencyKey && { 'Idempotency-Key': sent.operationId }),
    },
    body: sent.body,
    ...(agent !== undefined && { agent }),
  }).then(
    ({ status, headers, text }) => {
      const code = headers['x-error-code'];
      const resource = /"uniqueId":"([0-9a-f-]{36})"/.exec(text)?.[1];
      const foreign = findMarkers(text).filter((marker) => marker !== companyMarker(sent.company));
      return {
        outcome: outcomeForStatus(status, typeof code === 'string' ? code : undefined),
        status,
        ...(sent.action === 'create' && resource !== undefined && { resource }),
        ...(foreign.length > 0 && { foreignMarkers: foreign }),
      };
    },
    (error: Error) => ({ outcome: 'unknown' as const, status: error.message }),
  );
  const at = performance.now();
  const result: AttemptResult = {
    operationId: sent.operationId,
    attempt: attemptNumber,
    receivedAtMs: at,
    durationMs: at - start,
    ...came,
  };
  await witness.write({ came: result });
  return result;
}

/** Attempts that a request gets after the fault is over. */
const MAX_ATTEMPTS = 20;
/** How many are repeated at once. */
const MAX_CONCURRENT = 8;

/** Repeats what is unknown and has an Idempotency-Key until it is answered; each must be. */
export async function retryUnknown(
  options: Pick<LoadOptions, 'url' | 'operationLog' | 'companies'>,
  unknown: readonly Operation[],
): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const remaining = unknown.values();
  async function repeat(): Promise<void> {
    for (const { request: sent, attempts: came } of remaining) {
      const key = options.companies.find(({ id }) => id === sent.company)?.key ?? '';
      for (let attemptNumber = came.length + 1; attemptNumber <= came.length + MAX_ATTEMPTS; attemptNumber++) {
        if ((await sendAttempt(options, key, sent, attemptNumber, agent)).outcome !== 'unknown') break;
        await wait(200);
      }
    }
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, repeat));
  agent.destroy();
}
