import { once } from 'node:events';
import { AggregatorRegistry } from 'prom-client';
import { ConfigError, serverUrl } from '../config/settings.ts';
import type { MetricValues } from './metrics.ts';
import { createServer } from '../http/node-http.ts';

const PATH = '/metrics';
/** Strict limits: the only client is the operator's Prometheus server. */
const SERVER_OPTIONS = { maxHeaderSize: 8192, headersTimeout: 5000, requestTimeout: 5000 };
const MAX_CONNECTIONS = 20;

/** HTTP server for the metrics in the Prometheus text format, on a separate port. */
export interface MetricsServer {
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts the metrics server.
 * @param collect returns the metrics of each process; the response aggregates them
 * @throws ConfigError if it cannot listen
 */
export async function startMetricsServer(
  { port, host }: { port: number; host: string },
  collect: () => Promise<MetricValues[]>,
): Promise<MetricsServer> {
  const server = createServer(SERVER_OPTIONS, (request, response) => {
    if (request.url?.split('?')[0] !== PATH) {
      response.writeHead(404).end();
      return;
    }
    const respond = async () => {
      const aggregated = AggregatorRegistry.aggregate(await collect());
      response.setHeader('Content-Type', aggregated.contentType).end(await aggregated.metrics());
    };
    respond().catch(() => response.writeHead(500).end());
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen({ port, host });
  await once(server, 'listening').catch((cause: Error) => {
    throw new ConfigError(`METRICS_HOST, METRICS_PORT: ${cause.message}`, { cause });
  });
  const address = server.address();
  return {
    url: `${serverUrl({ host, port: typeof address === 'object' && address !== null ? address.port : port })}${PATH}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await Promise.resolve();
    },
  };
}
