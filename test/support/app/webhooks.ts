import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { sealing } from '../../../procedures/audit/sealing.ts';
import { sending } from '../../../procedures/webhook/jobs.ts';
import { startJob } from '../../../server/jobs/runner.ts';
import { createWebhookClient } from '../../../server/outbound/webhook-client.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { database } from '../database/database.ts';
import { listen } from '../http/listen.ts';
import { services } from '../tenants/member.ts';

/** Runs the jobs that seal the audit log and send webhooks, which may have receivers on this machine. */
export function useWebhookJobs(): void {
  let stops: (() => Promise<void>)[] = [];
  beforeAll(() => {
    const log = createLog('silent');
    const { encryption } = services;
    const { send: sendWebhook } = createWebhookClient(true);
    const dependencies = { database, log, services: { encryption, sendWebhook } };
    stops = [sealing, sending].map((job) => startJob(job, dependencies));
  });
  afterAll(() => Promise.all(stops.map((stop) => stop())));
}

interface ReceivedRequest {
  headers: Record<string, string>;
  body: string;
}

/** Starts a program that receives webhooks. It responds with `response.status`, which a test may change. */
export async function startReceiver(status = 204) {
  const requests: ReceivedRequest[] = [];
  const response = { status, headers: {} };
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as const);
    requests.push({ headers: Object.fromEntries(headers), body: await text(incoming) });
    outgoing.writeHead(response.status, response.headers).end();
  };
  const server = createServer((incoming, outgoing) => {
    void respond(incoming, outgoing);
  });
  const { url, stop } = await listen(server);
  onTestFinished(stop);
  return { url: `${url}/compliance`, requests, response };
}
