import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { DiagLogLevel, ROOT_CONTEXT, SpanKind, SpanStatusCode, diag, trace } from '@opentelemetry/api';
import type { TextMapGetter, Context as TraceContext } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { StatementObserver } from '../../database/statement-runner.ts';
import type { RequestState } from '../http/request-state.ts';

const SERVICE_NAME = 'compliance-api';
/** Maximum number of milliseconds that a shutdown waits for the last spans to be exported. */
const SHUTDOWN_TIMEOUT_MS = 1500;
/** Maximum number of milliseconds between the end of a span and its export. */
const EXPORT_INTERVAL_MS = 2000;

const noop = () => {};

/** Creates a span for each request and each of its statements, and exports them. */
export interface Tracing {
  middleware: Middleware<RequestState>;
  statementObserver: StatementObserver;
  /** @param timeoutMs maximum wait for the export of the last spans */
  stop(timeoutMs?: number): Promise<void>;
}

/**
 * Starts tracing with export to an OTLP endpoint. OpenTelemetry also reads its other environment variables. A trace of the
 * client (`traceparent`) is continued, and is exported if its sampled flag is set. https://www.w3.org/TR/trace-context/
 * @param sampleRatio share, 0 to 1, of the traces started here that are sampled
 * @param redact removes secrets from text. A `traceparent` or `tracestate` header that contains a secret is ignored
 */
export function startTracing(
  endpoint: string,
  sampleRatio: number,
  log: Logger,
  redact: (text: string) => string,
): Tracing {
  const warn = (message: string) => log.warn({ detail: message }, 'tracing: OpenTelemetry reported a problem');
  diag.setLogger({ error: warn, warn, info: noop, debug: noop, verbose: noop }, DiagLogLevel.WARN);
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': SERVICE_NAME }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: EXPORT_INTERVAL_MS })],
  });
  const tracer = provider.getTracer(SERVICE_NAME);
  const propagator = new W3CTraceContextPropagator();
  const headers: TextMapGetter<IncomingHttpHeaders> = {
    keys: Object.keys,
    get(carrier, name) {
      const value = String(carrier[name] ?? '');
      return redact(value) === value ? carrier[name] : undefined;
    },
  };
  /** Trace context with the span of the current request. */
  const activeContext = new AsyncLocalStorage<TraceContext>();

  return {
    middleware(ctx, next) {
      const parent = propagator.extract(ROOT_CONTEXT, ctx.req.headers, headers);
      const span = tracer.startSpan(ctx.method, { kind: SpanKind.SERVER }, parent);
      ctx.state.traceId = span.spanContext().traceId;
      if (!span.isRecording()) return next();
      ctx.res.once('close', () => {
        const { route, requestId, principal } = ctx.state;
        const status = ctx.res.statusCode;
        if (route !== undefined) span.updateName(`${ctx.method} ${route}`).setAttribute('http.route', route);
        if (principal) span.setAttribute('company', principal.company);
        span.setAttributes({ 'http.request.method': ctx.method, 'http.response.status_code': status, requestId });
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      });
      return activeContext.run(trace.setSpan(parent, span), next);
    },
    statementObserver(name) {
      const request = activeContext.getStore();
      if (request === undefined) return noop;
      const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': name };
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, request);
      return (error) => {
        if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      };
    },
    async stop(timeoutMs = SHUTDOWN_TIMEOUT_MS) {
      const flushed = provider.shutdown().then(() => true);
      const timedOut = wait(timeoutMs, false, { ref: false });
      if (!(await Promise.race([flushed, timedOut]).catch(() => false))) log.warn('tracing: last spans not exported');
    },
  };
}
