import { once } from 'node:events';
import { AggregatorRegistry } from 'prom-client';
import { BadSetting, urlOf } from './config.ts';
import type { Numbers } from './metrics.ts';
import { createServer } from './node-http.ts';

const PATH = '/metrics';
/** Who asks is a program of the operator's, and asks now and then. */
const LIMITS = { maxHeaderSize: 8192, headersTimeout: 5000, requestTimeout: 5000 };
const CONNECTIONS = 20;

/** A place apart from the service where its numbers are told, as Prometheus reads them. */
export interface MetricsEndpoint {
  url: string;
  stop(): Promise<void>;
}

/**
 * @param numbers what each process counts; they are told as one
 * @throws BadSetting where it cannot listen
 */
export async function serveMetrics(
  { port, host }: { port: number; host: string },
  numbers: () => Promise<Numbers[]>,
): Promise<MetricsEndpoint> {
  const server = createServer(LIMITS, (request, response) => {
    if (request.url?.split('?')[0] !== PATH) {
      response.writeHead(404).end();
      return;
    }
    const told = async () => {
      const all = AggregatorRegistry.aggregate(await numbers());
      response.setHeader('Content-Type', all.contentType).end(await all.metrics());
    };
    told().catch(() => response.writeHead(500).end());
  });
  server.maxConnections = CONNECTIONS;
  server.listen({ port, host });
  await once(server, 'listening').catch((cause: Error) => {
    throw new BadSetting(`METRICS_HOST, METRICS_PORT: ${cause.message}`, { cause });
  });
  const address = server.address();
  return {
    url: `${urlOf({ host, port: typeof address === 'object' && address !== null ? address.port : port })}${PATH}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await Promise.resolve();
    },
  };
}
