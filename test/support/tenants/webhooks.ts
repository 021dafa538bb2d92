import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { expect, onTestFinished, vi } from 'vitest';
import { SCOPES } from '../../../entities/api-key/scope.ts';
import { createCaller } from '../../../procedures/index.ts';
import { WebhookSender } from '../../../procedures/webhook/sender.ts';
import type { SendRequest } from '../../../procedures/webhook/sender.ts';
import { createAuthentication } from '../../../server/auth/authenticate.ts';
import { createWebhookClient } from '../../../server/outbound/webhook-client.ts';
import { database, sql } from '../database/database.ts';
import { listen } from '../http/listen.ts';
import { OPERATOR_TOKEN } from './company.ts';
import type { TestCompany } from './company.ts';
import { seal } from './feed.ts';
import { services } from './member.ts';

export interface ReceivedRequest {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: { type: string; timestamp: string; sequence: number | null; data: Record<string, unknown> };
}

/** Responds to a request. A receiver that does nothing never responds. */
type Respond = (response: ServerResponse, request: ReceivedRequest) => void;

/** Starts a receiver on this machine, until the end of the test. It responds 204 by default. */
export async function startReceiver(respond: Respond = (response) => response.writeHead(204).end()) {
  const requests: ReceivedRequest[] = [];
  const current = { respond };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { url = '', headers } = request;
      const received = { path: url, headers, text, body: JSON.parse(text) as ReceivedRequest['body'] };
      requests.push(received);
      current.respond(response, received);
    });
  });
  const { url, stop } = await listen(server);
  onTestFinished(stop);
  return {
    url: `${url}/hook`,
    requests,
    /** Changes the response to later requests. */
    respondWith: (next: Respond) => void (current.respond = next),
    ids: () => requests.map(({ headers }) => String(headers['webhook-id'])),
    types: () => requests.map(({ body }) => body.type),
    sequences: () => requests.map(({ body }) => body.sequence).toSorted((one, other) => Number(one) - Number(other)),
  };
}

const authenticate = createAuthentication(database, OPERATOR_TOKEN);

/** Creates a key with every scope, and a caller with the services that webhooks need. */
export async function createWebhookKey(
  { manage }: Pick<TestCompany, 'manage'>,
  restrictions: { frameworks?: number[]; scopes?: (typeof SCOPES)[number][] } = {},
) {
  const { key, ...apiKey } = await manage.apiKey.create({ name: 'Hooks', scopes: [...SCOPES], ...restrictions });
  return { key, apiKey, caller: await webhookCaller(key) };
}

/** Creates a caller for a key, with the services that webhooks need. */
export async function webhookCaller(key: string) {
  const credentials = { headers: { 'x-api-key': key }, address: '127.0.0.1', requestId: 'webhook-test' };
  const { context } = await authenticate.apiKey(credentials);
  return createCaller({ ...context, services, session: context.session.withoutDeadline() });
}

const client = createWebhookClient(true);

/** Creates a sender, as each process of the service has one. It stops with the test. */
export function createSender(send: SendRequest = client.send) {
  if (services.encryption === undefined) throw new Error('services: expected an encryption');
  const errors: unknown[] = [];
  const sender = new WebhookSender(database, {
    encryption: services.encryption,
    send,
    onError: (error) => errors.push(error),
  });
  onTestFinished(async () => {
    await sender.stop();
    expect(errors).toEqual([]);
  });
  return sender;
}

/** Seals every event of a company. Open transactions of other tests delay it. */
export async function sealAll({ id }: Pick<TestCompany, 'id'>): Promise<void> {
  const unsealed = async () => {
    await seal({ id });
    const [row] = await sql<{ count: number }>(
      `select count(*)::int as count from audit_event e where e.company_id = $1
       and not exists (select from audit_seal s where s.company_id = e.company_id and s.event_id = e.id)`,
      id,
    );
    return row?.count;
  };
  await vi.waitUntil(async () => (await unsealed()) === 0, { timeout: 120_000, interval: 50 });
}

/** Seals the events of a company, and sends what is due, until nothing is. */
export async function deliver(company: Pick<TestCompany, 'id'>, sender = createSender()): Promise<void> {
  await sealAll(company);
  while (await sender.runSlice(company.id)) await sender.idle();
}

/** Makes the pending deliveries of a company due, as the passage of time does. */
export const makeDue = ({ id }: Pick<TestCompany, 'id'>) =>
  sql('update webhook_delivery set next_attempt_at = now() where company_id = $1 and next_attempt_at is not null', id);
