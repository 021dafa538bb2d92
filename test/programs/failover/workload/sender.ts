import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { outcomeForStatus } from '../../faults/checks/oracle.ts';
import { sendRequest } from '../../../support/http/client.ts';
import type { HttpResponse } from '../../../support/http/client.ts';
import type { Attempt, LoadOperation, LoadRequest } from './history.ts';

/** Delay before a repetition if no `Retry-After` says another one. */
const RETRY_MS = 500;
/** Response of the cell that a company has left. The router sends the next attempt to the other one. */
const MISDIRECTED = 421;

/** Sends requests to the processes in turn, and records every attempt. */
export class Sender {
  readonly operations: LoadOperation[] = [];
  readonly #urls: readonly string[];
  readonly #maxWaitMs: number;
  readonly #agent = new Agent({ keepAlive: true });
  #sent = 0;

  /** @param maxWaitMs time after which a request is given up, longer than every outage */
  constructor(urls: readonly string[], maxWaitMs: number) {
    this.#urls = urls;
    this.#maxWaitMs = maxWaitMs;
  }

  /**
   * Sends a read once. Repeats a write, with the other process each time, until it is acknowledged or rejected.
   * @returns undefined without such a response
   */
  send(request: LoadRequest, key: string): Promise<HttpResponse | undefined> {
    const operation = { request, attempts: [] };
    this.operations.push(operation);
    return this.#attemptUntilKnown(operation, key);
  }

  /** Sends a write that is acknowledged once more, with the same `Idempotency-Key`. */
  async repeat(request: LoadRequest, key: string): Promise<HttpResponse | undefined> {
    const operation = this.operations.find(({ request: sent }) => sent === request);
    if (operation === undefined) throw new Error(`${request.operationId}: was not sent`);
    return this.#attemptUntilKnown(operation, key);
  }

  async #attemptUntilKnown({ request, attempts }: LoadOperation, key: string): Promise<HttpResponse | undefined> {
    const startedAt = performance.now();
    do {
      const { attempt, response } = await this.#attempt(request, key, attempts.length + 1);
      attempts.push(attempt);
      if (attempt.outcome !== 'unknown') return response;
      if (request.action === 'read') return undefined;
      const retryAfter = Number(response?.headers['retry-after'] ?? RETRY_MS / 1000);
      await wait(retryAfter * 1000);
    } while (performance.now() - startedAt < this.#maxWaitMs);
    return undefined;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #attempt(
    request: LoadRequest,
    key: string,
    attempt: number,
  ): Promise<{ attempt: Attempt; response?: HttpResponse }> {
    const { operationId, method, path, body, hasIdempotencyKey } = request;
    const url = this.#urls[(this.#sent += 1) % this.#urls.length] ?? '';
    const startedAt = performance.now();
    const headers = {
      ...request.headers,
      'X-API-Key': key,
      'X-Request-Id': `${operationId}.${attempt}`,
      ...(hasIdempotencyKey && { 'Idempotency-Key': operationId }),
    };
    const result = await sendRequest(`${url}${path}`, { method, headers, body, agent: this.#agent }).catch(
      (error: Error) => error,
    );
    const receivedAtMs = performance.now();
    const common = { operationId, attempt, receivedAtMs, durationMs: receivedAtMs - startedAt };
    if (result instanceof Error) {
      const noResponse = { outcome: 'unknown' as const, status: result.message, code: undefined, hasRetryAfter: false };
      return { attempt: { ...common, ...noResponse } };
    }
    const { status, headers: received, text } = result;
    const code = received['x-error-code'];
    const errorCode = typeof code === 'string' ? code : undefined;
    const resource = request.action === 'create' ? /"uniqueId":"([0-9a-f-]{36})"/.exec(text)?.[1] : undefined;
    return {
      attempt: {
        ...common,
        outcome: status === MISDIRECTED ? 'unknown' : outcomeForStatus(status, errorCode),
        status,
        code: errorCode,
        hasRetryAfter: received['retry-after'] !== undefined,
        ...(resource !== undefined && { resource }),
      },
      response: result,
    };
  }
}
