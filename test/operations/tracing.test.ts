import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createLog } from '../../server/telemetry/log.ts';
import { startTracing } from '../../server/telemetry/tracing.ts';
import { startApp } from '../support/http/app.ts';
import { startOtlpCollector } from '../support/servers/otlp-collector.ts';
import { startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import type { ServiceProcess } from '../support/servers/service-process.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { findFreePort } from '../support/http/listen.ts';

const VENDORS = '/external/smart-inventory/vendor';
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT_SPAN_ID = 'b7ad6b7169203331';
const SPAN_KIND_SERVER = 2;
const SPAN_KIND_CLIENT = 3;

/** Allows for a busy machine. Only a test that hangs reaches the timeout. */
const LONG = { timeout: 110_000 };
vi.setConfig({ testTimeout: 120_000 });

/** Module that makes a process print the URLs of the modules it loads, if they match. */
const moduleLoadHook = (name: RegExp) => {
  const hook = `import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      const resolved = next(name, context);
      if (${String(name)}.test(resolved.url)) process.stderr.write('loads ' + resolved.url + '\\n');
      return resolved;
    } });`;
  return `data:text/javascript,${encodeURIComponent(hook)}`;
};

const folder = await temporaryFolder();

describe('with a collector', () => {
  let service: ServiceProcess;
  let key: string;
  let received: Awaited<ReturnType<typeof startOtlpCollector>>;
  beforeAll(async () => {
    received = await startOtlpCollector();
    service = await startServiceProcess({
      DATA_DIR: join(folder, 'traced'),
      OTEL_EXPORTER_OTLP_ENDPOINT: `${received.url}/`,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    key = /svc_sk_live_\w{46}/.exec(service.output)?.[0] ?? '';
  });
  afterAll(async () => {
    await stopServiceProcess(service, 'SIGKILL');
    received.stop();
  });

  const send = (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
    fetch(`${service.url}${path}`, { ...init, headers: { 'X-API-Key': key, ...headers } });
  const named = (name: string, traceId?: string) =>
    received.spans().filter((span) => span.name === name && (traceId === undefined || span.traceId === traceId));
  const valueOf = (span: ReturnType<typeof named>[number] | undefined, name: string) =>
    Object.values(span?.attributes.find((attribute) => attribute.key === name)?.value ?? {})[0];

  test('a trace of the client continues in the spans of the request and its statements', async () => {
    const traceparent = `00-${TRACE_ID}-${PARENT_SPAN_ID}-01`;
    const headers = { traceparent, 'Content-Type': 'application/json', 'X-Request-Id': 'traced' };
    const created = await send(`${VENDORS}/new`, headers, {
      method: 'POST',
      body: JSON.stringify({ name: 'Secret name' }),
    });
    expect(created.status).toBe(201);
    await expect.poll(() => named(`POST ${VENDORS}/new`, TRACE_ID), LONG).toHaveLength(1);
    const [request] = named(`POST ${VENDORS}/new`, TRACE_ID);
    expect(request).toMatchObject({ parentSpanId: PARENT_SPAN_ID, kind: SPAN_KIND_SERVER });
    expect(valueOf(request, 'http.route')).toBe(`${VENDORS}/new`);
    expect(valueOf(request, 'http.response.status_code')).toBe(201);
    expect(valueOf(request, 'requestId')).toBe('traced');
    const spans = received.spans();
    const statements = spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId);
    expect(statements.map(({ name }) => name)).toContain('vendor.insert');
    for (const statement of statements) {
      expect(statement).toMatchObject({ kind: SPAN_KIND_CLIENT, traceId: TRACE_ID });
      // The collector receives spans in the order in which they end. Their timestamps are too coarse to compare.
      expect(spans.indexOf(statement)).toBeLessThan(spans.findIndex(({ spanId }) => spanId === request?.spanId));
    }
    const resources = received.resources().map((attribute) => [attribute.key, Object.values(attribute.value)[0]]);
    expect(Object.fromEntries(resources)).toMatchObject({
      'service.name': 'compliance-api',
      'deployment.environment.name': 'test',
    });
  });

  test('a request without a trace starts one, and its log line contains the trace id', async () => {
    await send(`${VENDORS}/list`, { 'X-Request-Id': 'started-here' });
    await expect.poll(() => named(`GET ${VENDORS}/list`), LONG).toHaveLength(1);
    const [request] = named(`GET ${VENDORS}/list`);
    expect(request?.parentSpanId ?? '').toBe('');
    // The log line and the span arrive independently.
    const line = () => /^.*started-here.*(?=\n)/m.exec(service.output)?.[0] ?? '{}';
    await expect.poll(() => JSON.parse(line()) as unknown, LONG).toMatchObject({ traceId: request?.traceId });
  });

  test('an unsampled trace of the client is not exported, and a malformed one is replaced', async () => {
    const unsampled = TRACE_ID.replace('0af', '1af');
    await send(`${VENDORS}/list`, { traceparent: `00-${unsampled}-${PARENT_SPAN_ID}-00` });
    const before = named(`GET ${VENDORS}/list`).length;
    await send(`${VENDORS}/list`, { traceparent: `00-${TRACE_ID}-0000-01, 00-nonsense` });
    await expect.poll(() => named(`GET ${VENDORS}/list`), LONG).toHaveLength(before + 1);
    expect(received.spans().filter(({ traceId }) => traceId === unsampled)).toEqual([]);
  });

  test('spans contain no ids, keys or bodies, and statements outside requests have no spans', async () => {
    const missing = '019a0000-0000-7000-8000-000000000000';
    // A collector would store both headers.
    const traceparent = `00-${TRACE_ID.replace('0af', '2af')}-${PARENT_SPAN_ID}-01`;
    await send(`${VENDORS}/${missing}/item`, { traceparent, tracestate: `vendor=${key}` });
    await expect.poll(() => named(`GET ${VENDORS}/{vendor}/item`), LONG).toHaveLength(1);
    const text = received.text();
    for (const secret of [key.slice(0, 20), missing, 'Secret name']) expect(text).not.toContain(secret);
    expect(named('audit.unsealed-companies')).toEqual([]);
  });

  test('a shutdown exports the last spans, or logs that it could not', async () => {
    await send('/external/task/framework/1/list');
    expect(await stopServiceProcess(service)).toBe(0);
    const path = 'GET /external/task/framework/{framework}/list';
    const ended = () => named(path).length === 1 || service.output.includes('tracing: last spans not exported');
    await expect.poll(ended, LONG).toBe(true);
  });
});

test('a shutdown with enough time exports the last spans', async () => {
  const received = await startOtlpCollector();
  const tracing = startTracing(received.url, 1, createLog('silent'), (text) => text);
  const app = await startApp({ traceMiddleware: tracing.middleware });
  await app.ask('/healthz');
  await app.stop();
  await tracing.stop(LONG.timeout);
  expect(received.spans()).toMatchObject([{ name: 'GET /healthz' }]);
  received.stop();
});

test('an unavailable collector does not affect requests, and is logged', async () => {
  const service = await startServiceProcess({
    DATA_DIR: join(folder, 'away'),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await findFreePort()}`,
  });
  const key = /svc_sk_live_\w{46}/.exec(service.output)?.[0] ?? '';
  for (let request = 0; request < 5; request++) {
    const response = await fetch(`${service.url}${VENDORS}/list`, { headers: { 'X-API-Key': key } });
    expect([response.status, await response.text()]).toEqual([200, '[]']);
  }
  expect(await stopServiceProcess(service)).toBe(0);
  await expect
    .poll(() => service.output, LONG)
    .toMatch(/^\{"level":40,.*(tracing: last spans not exported|ECONNREFUSED)/m);
});

test('the sample ratio applies to traces started here, not to sampled traces of clients', async () => {
  const received = await startOtlpCollector();
  const service = await startServiceProcess({
    DATA_DIR: join(folder, 'shared'),
    OTEL_EXPORTER_OTLP_ENDPOINT: received.url,
    OTEL_TRACES_SAMPLER_ARG: '0',
  });
  for (const headers of [{}, {}, { traceparent: `00-${TRACE_ID}-${PARENT_SPAN_ID}-01` }]) {
    expect((await fetch(`${service.url}/healthz`, { headers })).status).toBe(200);
  }
  await expect.poll(() => received.spans(), LONG).not.toEqual([]);
  expect(await stopServiceProcess(service)).toBe(0);
  expect(received.spans()).toMatchObject([{ name: 'GET /healthz', traceId: TRACE_ID }]);
  received.stop();
});

test('OpenTelemetry is loaded only with an OTLP endpoint, and prom-client only with METRICS_PORT', async () => {
  const service = await startServiceProcess(
    { DATA_DIR: join(folder, 'bare') },
    moduleLoadHook(/node_modules\/(@opentelemetry|prom-client)/),
  );
  const key = /svc_sk_live_\w{46}/.exec(service.output)?.[0] ?? '';
  expect((await fetch(`${service.url}${VENDORS}/list`, { headers: { 'X-API-Key': key } })).status).toBe(200);
  expect((await fetch(`${service.url}/openapi.json`)).status).toBe(200);
  expect(service.output.match(/^loads .*$/gm)).toBeNull();
  expect(await stopServiceProcess(service)).toBe(0);
  const measured = await startServiceProcess(
    { DATA_DIR: join(folder, 'bare'), METRICS_PORT: '0' },
    moduleLoadHook(/node_modules\/(@opentelemetry|prom-client)\/(?!api\/)/),
  );
  await expect.poll(() => measured.output, LONG).toMatch(/^loads .*prom-client/m);
  expect(measured.output).not.toMatch(/^loads .*@opentelemetry/m);
  expect(await stopServiceProcess(measured)).toBe(0);
});
