import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from '../http/listen.ts';

/** A span in OTLP/JSON. */
interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code: number };
}

interface TraceExport {
  resourceSpans: {
    resource: { attributes: ReceivedSpan['attributes'] };
    scopeSpans: { spans: ReceivedSpan[] }[];
  }[];
}

/** Starts an OTLP collector that stores the received traces. */
export async function startOtlpCollector() {
  const batches: TraceExport[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const batch = (await json(request)) as TraceExport;
    if (request.url === '/v1/traces') batches.push(batch);
    response.setHeader('Content-Type', 'application/json').end('{}');
  };
  const server = createServer((request, response) => void receive(request, response));
  const { url, stop } = await listen(server);
  return {
    url,
    spans: () =>
      batches.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    /** Resource attributes of all batches. */
    resources: () =>
      batches.flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ resource }) => resource.attributes)),
    /** All batches as text. */
    text: () => JSON.stringify(batches),
    stop,
  };
}
