import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { sendRequest, callManagement } from '../../../support/http/client.ts';
import { companyMarker, foreignMarkers } from '../../../support/http/markers.ts';
import { outcomeForStatus } from '../checks/oracle.ts';
import { seededRandom } from './random.ts';
import type { SeededRandom } from './random.ts';
import { nextRequest } from './requests.ts';
import type { Company, Resource } from './requests.ts';
import type { AttemptResult, SentRequest, Operation, OperationLog } from './operation-log.ts';

/** Creates a company with a framework and a key, whose names have the marker of the company. */
export async function createTargetCompany(url: string): Promise<Company> {
  const { id } = await callManagement<{ id: number }>(url, 'company.create', { name: 'Company' });
  const name = `Name ${companyMarker(id)}`;
  const framework = await callManagement<{ id: number }>(url, 'framework.create', { name }, id);
  const { key } = await callManagement<{ key: string }>(url, 'apiKey.create', { name }, id);
  return { id, key, framework: framework.id };
}

interface LoadOptions {
  /** URL of the service, read before each request: a fault may route the clients through a proxy. */
  url: () => string;
  operationLog: OperationLog;
  companies: readonly Company[];
  clients: number;
  seed: number;
  /** Prefix of the operation ids, unique among all loads. */
  name: string;
}

/** Pause of a client between requests. It doubles after each request with an unknown outcome. */
const PAUSE_MS = 4;
const MAX_PAUSE_MS = 320;

/** Runs clients that send requests one after another, each with its own resources, and log requests and results. */
export class LoadGenerator {
  readonly #options: LoadOptions;
  readonly #agent = new Agent({ keepAlive: true });
  #stopped = false;
  #requestCount = 0;
  #clients: Promise<unknown> = Promise.resolve();
  /** Attempts that got no response. */
  readonly withoutResponse: AttemptResult[] = [];
  /** Times of the acknowledged writes. */
  readonly #acknowledgedAt: number[] = [];
  /** The latest resource of each company: clients of other companies try to access it. */
  readonly #latestResources = new Map<number, Resource>();

  constructor(options: LoadOptions) {
    this.#options = options;
    const { clients, companies, seed } = options;
    this.#clients = Promise.all(
      Array.from({ length: clients }, (_, index) => {
        const company = companies[index % companies.length];
        const other = companies[(index + 1) % companies.length];
        if (company === undefined || other === undefined) throw new Error('companies: expected at least one');
        return this.#runClient(company, other, seededRandom(seed + index));
      }),
    );
  }

  /** Number of acknowledged writes. */
  get acknowledgedWrites(): number {
    return this.#acknowledgedAt.length;
  }

  /** Resolves after this number of further acknowledged writes. */
  async waitForWrites(writes: number): Promise<void> {
    const goal = this.acknowledgedWrites + writes;
    while (this.acknowledgedWrites < goal && !this.#stopped) await wait(5);
  }

  /** Milliseconds from `since` to the next acknowledged write; undefined if there is none before the timeout. */
  async timeToNextWrite(since: number, timeoutMs: number): Promise<number | undefined> {
    while (performance.now() - since < timeoutMs) {
      const first = this.#acknowledgedAt.findLastIndex((at) => at < since) + 1;
      const at = this.#acknowledgedAt[first];
      if (at !== undefined) return at - since;
      await wait(5);
    }
    return undefined;
  }

  /** Stops the clients and waits for their last responses. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#clients;
    this.#agent.destroy();
  }

  async #runClient(company: Company, otherCompany: Company, random: SeededRandom): Promise<void> {
    const owned: Resource[] = [];
    let pauseMs = PAUSE_MS;
    while (!this.#stopped) {
      const operationId = `${this.#options.name}-${String((this.#requestCount += 1)).padStart(6, '0')}`;
      const request = nextRequest(
        operationId,
        { company, otherCompany, owned, foreignResource: this.#latestResources.get(otherCompany.id) },
        random,
      );
      const result = await sendAttempt(this.#options, company.key, request, 1, this.#agent);
      updateOwned(owned, request, result);
      if (typeof result.status === 'string') this.withoutResponse.push(result);
      const newest = owned.at(-1);
      if (newest !== undefined) this.#latestResources.set(company.id, newest);
      if (result.outcome === 'acknowledged' && request.action !== 'read')
        this.#acknowledgedAt.push(result.receivedAtMs);
      pauseMs = result.outcome === 'unknown' ? Math.min(2 * pauseMs, MAX_PAUSE_MS) : PAUSE_MS;
      await wait(pauseMs * (0.5 + random.next() / 2));
    }
  }
}

/** Updates the resources of a client. Removes a resource after an unknown outcome, as its state is not known. */
function updateOwned(owned: Resource[], request: SentRequest, { outcome, resource }: AttemptResult): void {
  const at = owned.findIndex(({ id }) => id === request.resource);
  if (request.action === 'create' && outcome === 'acknowledged' && resource !== undefined)
    owned.push({ type: request.resourceType === 'task' ? 'task' : 'vendor', id: resource });
  else if (at >= 0 && (request.action === 'delete' || (request.action === 'update' && outcome !== 'acknowledged')))
    owned.splice(at, 1);
}

/** Sends a request once, and logs the request before and the result after. */
async function sendAttempt(
  { url, operationLog }: Pick<LoadOptions, 'url' | 'operationLog'>,
  key: string,
  request: SentRequest,
  attemptNumber: number,
  agent?: Agent,
): Promise<AttemptResult> {
  if (attemptNumber === 1) await operationLog.write({ request });
  const start = performance.now();
  const response = await sendRequest(`${url()}${request.path}`, {
    method: request.method,
    headers: {
      ...request.headers,
      'X-API-Key': key,
      'X-Request-Id': `${request.operationId}.${attemptNumber}`,
      ...(request.hasIdempotencyKey && { 'Idempotency-Key': request.operationId }),
    },
    body: request.body,
    ...(agent !== undefined && { agent }),
  }).then(
    ({ status, headers, text }) => {
      const code = headers['x-error-code'];
      const resource = /"uniqueId":"([0-9a-f-]{36})"/.exec(text)?.[1];
      const foreign = foreignMarkers(text, companyMarker(request.company));
      return {
        outcome: outcomeForStatus(status, typeof code === 'string' ? code : undefined),
        status,
        ...(request.action === 'create' && resource !== undefined && { resource }),
        ...(foreign.length > 0 && { foreignMarkers: foreign }),
      };
    },
    (error: Error) => ({ outcome: 'unknown' as const, status: error.message }),
  );
  const receivedAtMs = performance.now();
  const result: AttemptResult = {
    operationId: request.operationId,
    attempt: attemptNumber,
    receivedAtMs,
    durationMs: receivedAtMs - start,
    ...response,
  };
  await operationLog.write({ attempt: result });
  return result;
}

/** Maximum retries of a request after the fault. */
const MAX_ATTEMPTS = 20;
const MAX_CONCURRENT = 8;

/** Retries requests with an Idempotency-Key until their outcome is known. */
export async function retryUnknown(
  options: Pick<LoadOptions, 'url' | 'operationLog' | 'companies'>,
  unknown: readonly Operation[],
): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const remaining = unknown.values();
  async function retryNext(): Promise<void> {
    for (const { request, attempts } of remaining) {
      const key = options.companies.find(({ id }) => id === request.company)?.key ?? '';
      for (let attemptNumber = attempts.length + 1; attemptNumber <= attempts.length + MAX_ATTEMPTS; attemptNumber++) {
        if ((await sendAttempt(options, key, request, attemptNumber, agent)).outcome !== 'unknown') break;
        await wait(200);
      }
    }
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, retryNext));
  agent.destroy();
}
