import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { InvalidResponseError, RequestGuard } from '../../server/outbound/guarded-request.ts';
import { startDnsServer } from '../support/servers/dns-server.ts';
import { startHostilePeer } from '../support/servers/hostile-peer.ts';
import type { Behavior } from '../support/servers/hostile-peer.ts';

const guard = new RequestGuard(() => 'any');
const reason = new Error('the deadline of the caller');

/** Sends a request, and reads its body. @returns the body or the error */
async function exchange(url: string, signal: AbortSignal, by = guard): Promise<unknown> {
  const received = by.send(new URL(url), { method: 'POST', headers: {}, body: '{}', signal }).then(text);
  return Promise.race([received.catch((error: unknown) => error), wait(60_000, 'it did not end', { ref: false })]);
}

test.each<[Behavior, unknown]>([
  ['switches protocols', new InvalidResponseError()],
  ['switches protocols and sends bytes', new InvalidResponseError()],
  ['switches protocols without saying to which', new InvalidResponseError()],
  ['switches protocols after a 100', new InvalidResponseError()],
  ['sends the status 000', new InvalidResponseError()],
  ['sends the status 999', new InvalidResponseError()],
  ['sends 100 without end', new InvalidResponseError()],
  ['sends 102 without end', new InvalidResponseError()],
  ['sends 103 without end', new InvalidResponseError()],
  ['sends no HTTP', expect.objectContaining({ code: 'HPE_INVALID_CONSTANT' })],
  ['sends headers without end', expect.objectContaining({ code: 'HPE_HEADER_OVERFLOW' })],
  ['closes the connection', expect.objectContaining({ code: 'ECONNRESET' })],
  ['resets the connection', expect.objectContaining({ code: 'ECONNRESET' })],
  ['closes within the headers', expect.objectContaining({ code: 'ECONNRESET' })],
  ['sends a body and keeps the connection', 'body'],
])('a request to a peer that %s ends without a deadline, and its connection is closed', async (behavior, expected) => {
  const peer = await startHostilePeer(behavior);
  expect(await exchange(peer.url, new AbortController().signal)).toEqual(expected);
  await expect.poll(peer.openConnections).toBe(0);
  expect(peer.connections()).toBe(1);
});

describe('the signal ends a request and closes its connection', () => {
  test.each<Behavior>(['never responds', 'sends headers slowly'])('to a peer that %s', async (behavior) => {
    const peer = await startHostilePeer(behavior);
    const controller = new AbortController();
    const ended = exchange(peer.url, controller.signal);
    await expect.poll(peer.openConnections).toBe(1);
    controller.abort(reason);
    expect(await ended).toBe(reason);
    await expect.poll(peer.openConnections).toBe(0);
  });

  test.each<Behavior>(['accepts a tunnel', 'sends a body slowly', 'sends a body without end'])(
    'to a peer that %s, and an incomplete body is an error',
    async (behavior) => {
      const peer = await startHostilePeer(behavior);
      const controller = new AbortController();
      const signal = controller.signal;
      const response = await guard.send(new URL(peer.url), { method: 'POST', headers: {}, signal });
      const body = text(response);
      controller.abort(reason);
      await expect(body).rejects.toMatchObject({ code: expect.any(String) });
      await expect.poll(peer.openConnections).toBe(0);
    },
  );

  test('when nobody reads a complete response', async () => {
    const peer = await startHostilePeer('sends a body and keeps the connection');
    const controller = new AbortController();
    await guard.send(new URL(peer.url), { method: 'POST', headers: {}, signal: controller.signal });
    controller.abort(reason);
    await expect.poll(peer.openConnections).toBe(0);
  });

  test('during the start of TLS', async () => {
    const peer = await startHostilePeer('never responds');
    const controller = new AbortController();
    const ended = exchange(`https://${peer.host}/`, controller.signal);
    await expect.poll(peer.openConnections).toBe(1);
    controller.abort(reason);
    expect(await ended).toBe(reason);
    await expect.poll(peer.openConnections).toBe(0);
  });

  test('during the resolution of its name', async () => {
    const dns = await startDnsServer({ 'silent.example': [[]] });
    onTestFinished(dns.close);
    const controller = new AbortController();
    const ended = exchange('http://silent.example/', controller.signal, new RequestGuard(() => 'any', dns.resolve));
    await expect.poll(() => dns.queries).toEqual(['silent.example']);
    controller.abort(reason);
    expect(await ended).toBe(reason);
  });

  test('before it starts: then there is no connection', async () => {
    const peer = await startHostilePeer('never responds');
    expect(await exchange(peer.url, AbortSignal.abort(reason))).toBe(reason);
    expect(peer.connections()).toBe(0);
  });
});
