import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ComplianceClient } from '../../clients/typescript/src/index.ts';
import { openTestRateLimits, startApp } from '../support/http/app.ts';
import { createCompany } from '../support/tenants/company.ts';

test('a burst of one call more than the limit succeeds, after the wait that the server asks for', async ({
  onTestFinished,
}) => {
  const acme = await createCompany();
  let refused = 0;
  // Nothing comes back until the server has refused a call, so that it does refuse one. Then a second has passed.
  const rateLimits = await openTestRateLimits(600, { now: () => (refused === 0 ? 0 : 1000) });
  const { url, stop } = await startApp({ rateLimits });
  onTestFinished(stop);
  const client = new ComplianceClient({
    baseUrl: url,
    apiKey: acme.key,
    fetch: async (request, init) => {
      const response = await fetch(request, init);
      if (response.status !== 429) return response;
      expect(response.headers.get('Retry-After')).toBe('1');
      refused++;
      return response;
    },
  });
  const calls = Array.from({ length: 601 }, () => client.rest.GET('/external/api-key/whoami'));
  const statuses = (await Promise.all(calls)).map(({ response }) => response.status);
  expect(statuses).toEqual(Array.from({ length: 601 }, () => 200));
  expect(refused).toBe(1);
});

describe('a call that gets 429 with "Retry-After: 59"', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** A client of a server that refuses the first calls. */
  function clientOf({ refusals, timeoutMs }: { refusals: number; timeoutMs?: number }) {
    const sentAt: number[] = [];
    const start = Date.now();
    const client = new ComplianceClient({
      baseUrl: 'http://127.0.0.1:3000',
      ...(timeoutMs !== undefined && { timeoutMs }),
      fetch: () => {
        sentAt.push((Date.now() - start) / 1000);
        return Promise.resolve(
          sentAt.length <= refusals
            ? Response.json(
                { error: 'later' },
                { status: 429, headers: { 'Retry-After': '59', 'X-Error-Code': 'rate_limited' } },
              )
            : Response.json({ uniqueId: 'x' }),
        );
      },
    });
    return { client, sentAt };
  }

  test('does not count the waits for its deadline', async () => {
    const { client, sentAt } = clientOf({ refusals: 3 });
    const call = client.vendors.get('x');
    await vi.advanceTimersByTimeAsync(3 * 59_000);
    expect(await call).toMatchObject({ uniqueId: 'x' });
    expect(sentAt).toEqual([0, 59, 118, 177]);
  });

  test('ends with the response when it has waited for 5 minutes more', async () => {
    const { client, sentAt } = clientOf({ refusals: Infinity });
    const error = client.vendors.get('x').catch((thrown: unknown) => thrown);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(await error).toMatchObject({ name: 'ApiError', status: 429, code: 'rate_limited' });
    expect(sentAt).toEqual([0, 59, 118, 177, 236, 295, 354]);
  });

  test('keeps a deadline that the program has set, for the client or the call', async () => {
    for (const [options, callOptions] of [
      [{ timeoutMs: 60_000 }, {}],
      [{}, { timeoutMs: 60_000 }],
    ] as const) {
      const { client, sentAt } = clientOf({ refusals: Infinity, ...options });
      const error = client.vendors.get('x', callOptions).catch((thrown: unknown) => thrown);
      await vi.advanceTimersByTimeAsync(600_000);
      expect(await error).toMatchObject({ status: 429 });
      expect(sentAt).toEqual([0, 59]);
    }
  });
});
