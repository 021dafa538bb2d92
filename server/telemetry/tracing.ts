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
import type { StatementObserver } from '../../database/statement-observer.ts';
import type { RequestState } from '../http/error-handler.ts';

const SERVICE_NAME = 'compliance-api';
/** Milliseconds that a stop of the service waits for the last spans to be sent. */
const SHUTDOWN_TIMEOUT_MS = 1500;
/** Milliseconds after which spans are sent, however few there are. */
const EXPORT_INTERVAL_MS = 2000;

const noop = () => {};

/** Makes a span of each request and of each of its statements, and sends them on. */
export interface Tracing {
  middleware: Middleware<RequestState>;
  statementObserver: StatementObserver;
  /** @param within milliseconds that it waits for the last spans to be sent */
  stop(within?: number): Promise<void>;
}

/**
 * Traces go to an OTLP endpoint, of which the environment may say more, as OpenTelemetry has it. A trace that the caller has begun
 * (`traceparent`) is continued, and is sent if he says so.
 * @param sampleRatio of the traces begun here, 0 to 1, that are made
 * @param redact removes secrets from text: `traceparent` and `tracestate` are sent on, and are ignored if they contain one
 */
export function startTracing(
  endpoint: string,
  sampleRatio: number,
  log: Logger,
  redact: (text: string) => string,
): Tracing {
  const warn = (message: string) => log.warn(message);
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
  /** The span of the request that runs. */
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
    async stop(within = SHUTDOWN_TIMEOUT_MS) {
      const flushed = provider.shutdown().then(() => true);
      const timedOut = wait(within, false, { ref: false });
      if (!(await Promise.race([flushed, timedOut]).catch(() => false))) log.warn('the last traces were not sent');
    },
  };
}
