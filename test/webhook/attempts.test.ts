import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { RequestListener } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { MAX_ERROR_LENGTH } from '../../entities/webhook/delivery.ts';
import { createWebhookClient, DeliveryError, toDeliveryError } from '../../server/outbound/webhook-client.ts';
import { startDnsServer } from '../support/servers/dns-server.ts';
import { startCountingServer } from '../support/servers/secret-scanner.ts';

const client = createWebhookClient(true);
/** A client whose attempts end early. */
const impatientClient = createWebhookClient(true, { timeoutMs: 200 });

const neverAborted = () => new AbortController().signal;
const attempt = (url: string, signal = neverAborted()) => ({ url, headers: {}, body: '{}', signal });

async function startReceiver(listener: RequestListener) {
  const receiver = await startCountingServer(listener);
  onTestFinished(receiver.close);
  return receiver;
}

/** Starts a server that is not HTTP. @returns its host and port */
async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket.on('error', () => {})));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('an attempt is a POST with the headers and the body as given, on a connection of its own', async () => {
  const requests: unknown[] = [];
  const receiver = await startReceiver((request, response) => {
    const { method, url, headers, socket } = request;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push({ method, url, headers, body: Buffer.concat(chunks).toString(), port: socket.remotePort });
      response.writeHead(204).end();
    });
  });
  const headers = { 'content-type': 'application/json', 'webhook-id': 'msg_1' };
  const url = `${receiver.url}?a=b#fragment`;
  for (let index = 0; index < 2; index += 1)
    expect(await client.send({ url, headers, body: '{"name":"ü"}', signal: neverAborted() })).toEqual({
      status: 204,
      retryAfterMs: undefined,
    });
  const expected = {
    method: 'POST',
    url: '/keys?a=b',
    headers: { ...headers, host: new URL(url).host, 'content-length': '13', connection: 'close' },
    body: '{"name":"ü"}',
  };
  expect(requests).toEqual([
    { ...expected, port: expect.any(Number) },
    { ...expected, port: expect.any(Number) },
  ]);
});

test.each([200, 301, 404, 410, 500, 599])('the status of a response is returned: %i', async (status) => {
  const receiver = await startReceiver((_, response) => response.writeHead(status).end('x'));
  expect(await client.send(attempt(receiver.url))).toEqual({ status, retryAfterMs: undefined });
});

test.each([
  ['0', 0],
  ['120', 120_000],
  ['99999999999999999999', Number.MAX_SAFE_INTEGER],
  ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ['Mon, 23 Nov 2026 12:00:30 GMT', 30_000],
  ['Mon, 23 Nov 2026 11:00:00 GMT', 0],
  ['Monday, 23-Nov-26 12:01:00 GMT', 60_000],
  ['-1', undefined],
  ['1.5', undefined],
  ['0x10', undefined],
  ['soon', undefined],
  ['soon GMT', undefined],
  ['2026-11-23', undefined],
  ['Mon Nov 23 12:00:30 2026', undefined],
  ['', undefined],
])('Retry-After: %s means %s ms', async (text, expected) => {
  vi.useFakeTimers({ now: new Date('2026-11-23T12:00:00Z'), toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const receiver = await startReceiver((_, response) => response.writeHead(503, { 'Retry-After': text }).end());
  expect(await client.send(attempt(receiver.url))).toEqual({ status: 503, retryAfterMs: expected });
});

test('the connection of a response without an end is closed after 64 KiB, and the status counts', async () => {
  const written = Promise.withResolvers<number>();
  const receiver = await startReceiver(({ socket }, response) => {
    response.writeHead(200);
    const write = (): void => {
      while (response.write('x'.repeat(16 * 1024)));
      response.once('drain', write);
    };
    response.on('close', () => written.resolve(socket.bytesWritten)).on('error', () => {});
    write();
  });
  expect(await client.send(attempt(receiver.url))).toEqual({ status: 200, retryAfterMs: undefined });
  // The kernel takes some MiB beyond what the client reads.
  expect(await written.promise).toBeLessThan(32 * 1024 * 1024);
});

test('the status of a large response counts', async () => {
  const receiver = await startReceiver((_, response) => response.writeHead(202).end('x'.repeat(10_000_000)));
  expect(await client.send(attempt(receiver.url))).toEqual({ status: 202, retryAfterMs: undefined });
});

test('the status counts if the body stalls or breaks', async () => {
  const closed = Promise.withResolvers<void>();
  const stalled = await startReceiver((_, response) => {
    response.on('close', closed.resolve).writeHead(200).write('x');
  });
  expect(await impatientClient.send(attempt(stalled.url))).toMatchObject({ status: 200 });
  await closed.promise;
  const broken = await startReceiver((_, response) => {
    response.writeHead(201, { 'Content-Length': '10' }).write('x', () => response.destroy());
  });
  expect(await client.send(attempt(broken.url))).toMatchObject({ status: 201 });
});

test('an attempt without a response ends at its limit', async () => {
  const closed = Promise.withResolvers<void>();
  const silent = await startReceiver((request) => void request.socket.on('close', closed.resolve));
  const expected = new DeliveryError('no response within 0.2 s');
  await expect(impatientClient.send(attempt(silent.url))).rejects.toEqual(expected);
  await closed.promise;

  const withoutTls = await listen(createTcpServer(() => {}));
  await expect(impatientClient.send(attempt(`https://${withoutTls}/`))).rejects.toEqual(expected);

  const slowHeaders = await listen(
    createTcpServer((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 100 Continue\r\n\r\n'), 10);
      socket.on('close', () => clearInterval(timer));
    }),
  );
  await expect(impatientClient.send(attempt(`http://${slowHeaders}/`))).rejects.toEqual(expected);

  const { resolve, close } = await startDnsServer({ 'silent.example': [[]] });
  onTestFinished(close);
  const unresolved = createWebhookClient(true, { timeoutMs: 200, resolve });
  await expect(unresolved.send(attempt('http://silent.example/'))).rejects.toEqual(expected);
});

test('the caller aborts an attempt before it starts and during it, and gets its own reason', async () => {
  const controller = new AbortController();
  const reason = new Error('the server stops');
  const silent = await startReceiver(() => controller.abort(reason));
  await expect(client.send(attempt(silent.url, controller.signal))).rejects.toBe(reason);
  await expect(client.send(attempt(silent.url, controller.signal))).rejects.toBe(reason);
  expect(silent.requestCount()).toBe(1);
});

/** A certificate for 127.0.0.1 that no authority signed. */
function createCertificate() {
  const [subject, extension] = ['/CN=127.0.0.1', 'subjectAltName=IP:127.0.0.1'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', '-'];
  const pem = execFileSync('openssl', ['req', '-x509', ...key, '-subj', subject, '-addext', extension], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return { key: pem, cert: pem };
}

test('an error names its cause in a few words', async () => {
  let requests = 0;
  const selfSigned = await listen(createHttpsServer(createCertificate(), () => (requests += 1)));
  const plain = await listen(createTcpServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n')));
  const binary = await listen(createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')));
  const closing = await listen(createTcpServer((socket) => socket.once('data', () => socket.destroy())));
  const closed = createTcpServer();
  const free = await listen(closed);
  await new Promise((resolve) => closed.close(resolve));
  const { resolve, close } = await startDnsServer({});
  onTestFinished(close);
  const errorAt = (url: string) =>
    createWebhookClient(true, { resolve })
      .send(attempt(url))
      .catch((error: unknown) => (error instanceof DeliveryError ? error.message : error));
  expect({
    selfSigned: await errorAt(`https://${selfSigned}/`),
    plain: await errorAt(`https://${plain}/`),
    binary: await errorAt(`http://${binary}/`),
    closing: await errorAt(`http://${closing}/`),
    closingTls: await errorAt(`https://${closing}/`),
    free: await errorAt(`http://${free}/`),
    unknown: await errorAt('https://unknown.example/'),
  }).toEqual({
    selfSigned: 'certificate: self-signed',
    plain: 'no TLS connection',
    binary: 'no valid HTTP response',
    closing: 'connection closed',
    closingTls: 'connection closed',
    free: 'connection refused',
    unknown: 'host not found',
  });
  expect(requests).toBe(0);
});

test.each([
  ['CERT_HAS_EXPIRED', 'certificate: expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate: for another host'],
  ['CERT_REVOKED', 'certificate: invalid'],
  ['UNABLE_TO_GET_CRL', 'certificate: invalid'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'no TLS connection'],
  ['HPE_HEADER_OVERFLOW', 'no valid HTTP response'],
  ['ENETUNREACH', 'host unreachable'],
  ['constructor', 'no response'],
])('an error with the code %s shows nothing else', (code, expected) => {
  const { message } = toDeliveryError(Object.assign(new Error('10.0.0.1 '.repeat(100)), { code }));
  expect(message).toBe(expected);
  expect(message.length).toBeLessThanOrEqual(MAX_ERROR_LENGTH);
});
