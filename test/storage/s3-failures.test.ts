import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { S3Store } from '../../server/storage/s3.ts';
import { ALL_BEHAVIORS, startHostilePeer } from '../support/servers/hostile-peer.ts';
import { findFreePort, listen } from '../support/http/listen.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { newKey, readBytes, spooledFile, storedIds } from '../support/storage/files.ts';
import { s3Settings } from '../support/storage/s3-servers.ts';

const folder = await temporaryFolder();
const TIMEOUTS = { stallMs: 300, responseMs: 1500 };
const unavailable = (cause: string | RegExp) => ({
  code: 'unavailable',
  message: 'The file storage is unavailable. Try again shortly.',
  cause: { message: typeof cause === 'string' ? cause : expect.stringMatching(cause) },
});

/** Starts a server that behaves as a test wants, and a store in it. */
async function startServer(respond: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    void respond(request, response);
  });
  const { url, stop } = await listen(server);
  return { url, requests, stop, store: new S3Store(s3Settings(url, 'id', 'the-secret'), TIMEOUTS) };
}

describe('the store in S3 is 503', () => {
  test('if nothing listens', async () => {
    const store = new S3Store(s3Settings(`http://127.0.0.1:${await findFreePort()}`, 'id', 'the-secret'));
    const noServer = unavailable(/ECONNREFUSED/);
    await expect(store.put(newKey(), await spooledFile(folder, 10))).rejects.toMatchObject(noServer);
    await expect(readBytes(store, newKey(), 10)).rejects.toMatchObject(noServer);
    await expect(store.delete(newKey())).rejects.toMatchObject(noServer);
    await expect(storedIds(store)).rejects.toMatchObject(noServer);
  });

  test('if it fails twice, and after a put it removes what may have been stored', async () => {
    const { store, requests, stop } = await startServer((request, response) => {
      request.resume();
      request.on('end', () => response.writeHead(request.method === 'DELETE' ? 204 : 500).end('<Code>Internal</Code>'));
    });
    const key = newKey();
    await expect(store.put(key, await spooledFile(folder, 10))).rejects.toMatchObject(
      unavailable('S3: PUT: 500 Internal'),
    );
    await expect.poll(() => requests.map(({ method }) => method)).toEqual(['PUT', 'PUT', 'DELETE']);
    await expect(readBytes(store, key, 10)).rejects.toMatchObject(unavailable('S3: GET: 500 Internal'));
    stop();
  });

  test('if it accepts a request and says nothing, without a second attempt', async () => {
    const { store, requests, stop } = await startServer(() => {});
    const startedAt = performance.now();
    const stalled = unavailable('S3: no byte for 300 ms');
    await expect(readBytes(store, newKey(), 10)).rejects.toMatchObject(stalled);
    await expect(store.delete(newKey())).rejects.toMatchObject(stalled);
    await expect(store.put(newKey(), await spooledFile(folder, 20_000_000))).rejects.toMatchObject(stalled);
    expect(requests.filter(({ method }) => method !== 'DELETE')).toHaveLength(2);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    stop();
  });

  test('if it takes a file a byte at a time', async () => {
    const { store, stop } = await startServer((request) => {
      const timer = setInterval(() => request.read(1), 100);
      request.on('close', () => clearInterval(timer));
      request.on('error', () => {});
    });
    await expect(store.put(newKey(), await spooledFile(folder, 20_000_000))).rejects.toMatchObject(
      unavailable(/^S3: (?:PUT: no response in time|no byte for 300 ms)$/),
    );
    stop();
  });

  test('if it stops in the middle of a file; a slow reader is not such a stop', async () => {
    const { store, stop } = await startServer((request, response) => {
      response.writeHead(206, { 'Content-Length': '500000' });
      response.write(Buffer.alloc(request.url?.endsWith('1') === true ? 500_000 : 200_000));
    });
    const key = { company: 1, uniqueId: '01990000-0000-7000-8000-000000000000' };
    await expect(readBytes(store, key, 500_000)).rejects.toMatchObject(unavailable('S3: no byte for 300 ms'));
    let received = 0;
    const whole = { ...key, uniqueId: '01990000-0000-7000-8000-000000000001' };
    for await (const chunk of store.read(whole, { start: 0, end: 499_999 })) {
      if (received === 0) await new Promise((resolve) => setTimeout(resolve, 1000));
      received += chunk.length;
    }
    expect(received).toBe(500_000);
    stop();
  });

  test('if the connection ends in the middle of a file', async () => {
    const { store, stop } = await startServer((request, response) => {
      response.writeHead(206, { 'Content-Length': '500000' });
      response.write(Buffer.alloc(1000), () => request.socket.destroy());
    });
    await expect(readBytes(store, newKey(), 500_000)).rejects.toMatchObject({ code: 'unavailable' });
    stop();
  });

  test('for a redirect, which it does not follow', async () => {
    const elsewhere = await startServer((_, response) => response.end());
    const { store, stop } = await startServer((request, response) => {
      request.resume();
      response.writeHead(307, { Location: elsewhere.url }).end();
    });
    await expect(store.put(newKey(), await spooledFile(folder, 10))).rejects.toMatchObject(unavailable('S3: PUT: 307'));
    await expect(readBytes(store, newKey(), 10)).rejects.toMatchObject(unavailable('S3: GET: 307'));
    expect(elsewhere.requests).toEqual([]);
    stop();
    elsewhere.stop();
  });

  test('for a page of another server, and for a list without end', async () => {
    const { store, stop } = await startServer((request, response) => {
      if (request.url?.includes('list-type') === true) response.end(Buffer.alloc(5_000_000, 'x'));
      else response.writeHead(404).end('<html>Not found</html>');
    });
    await expect(readBytes(store, newKey(), 10)).rejects.toMatchObject(unavailable('S3: GET: 404'));
    await expect(storedIds(store)).rejects.toMatchObject(unavailable('S3: GET: expected a shorter response'));
    stop();
  });

  test.for(ALL_BEHAVIORS.filter((behavior) => behavior !== 'sends a body and keeps the connection'))(
    'if it %s: no call waits for it',
    async (behavior) => {
      const { url, openConnections } = await startHostilePeer(behavior);
      const store = new S3Store(s3Settings(url.replace(/\/$/, ''), 'id', 'the-secret'), TIMEOUTS);
      const file = await spooledFile(folder, 10);
      const calls = {
        read: readBytes(store, newKey(), 10),
        delete: store.delete(newKey()),
        list: storedIds(store),
        put: store.put(newKey(), file),
      };
      const results = await Promise.all(
        Object.entries(calls).map(([name, call]) =>
          call.then(
            () => [name, 'succeeds'],
            (error: unknown) => [name, error],
          ),
        ),
      );
      expect(results).toMatchObject(Object.keys(calls).map((name) => [name, unavailable(/./)]));
      await expect.poll(openConnections).toBe(0);
    },
  );

  test('if it sends fewer or more bytes than the range has, without saying how many', async () => {
    let body = 'x'.repeat(10);
    const { store, stop } = await startServer((_, response) => response.writeHead(206).end(body));
    expect(await readBytes(store, newKey(), 10)).toHaveLength(10);
    for (body of ['', 'x'.repeat(9), 'x'.repeat(11)])
      await expect(readBytes(store, newKey(), 10)).rejects.toMatchObject(
        unavailable('S3: GET: expected the bytes of the range'),
      );
    stop();
  });

  test('for a list that begins again, does not say how it continues, or is none', async () => {
    const page = (more: string) =>
      `<ListBucketResult><Key>production/files/1/${newKey().uniqueId}</Key><IsTruncated>true</IsTruncated>${more}</ListBucketResult>`;
    let count = 0;
    const token = () => `<NextContinuationToken>${(count += 1)}</NextContinuationToken>`;
    const again = page(token());
    let pages: () => string = () => again;
    const { store, stop } = await startServer((_, response) => response.end(pages()));
    const otherKeys = unavailable('S3: GET: expected other keys in the next page of a list');
    await expect(storedIds(store)).rejects.toMatchObject(otherKeys);
    pages = () => page('');
    await expect(storedIds(store)).rejects.toMatchObject(otherKeys);
    pages = () => `<ListBucketResult><IsTruncated>true</IsTruncated>${token()}</ListBucketResult>`;
    await expect(storedIds(store)).rejects.toMatchObject(otherKeys);
    pages = () => '<html>Welcome</html>';
    await expect(storedIds(store)).rejects.toMatchObject(unavailable('S3: GET: expected a list'));
    stop();
  });

  test('for calls in progress and later ones when the process stops', async () => {
    const { url, requests, stop } = await startServer((request, response) => {
      if (request.method === 'GET') response.writeHead(206, { 'Content-Length': '10' }).write('x');
    });
    const store = new S3Store(s3Settings(url, 'id', 'the-secret')); // with the timeouts of the service
    const stops = unavailable('S3: the process stops');
    const download = store.read(newKey(), { start: 0, end: 9 });
    await download.next();
    const calls = [download.next(), store.delete(newKey())];
    await expect.poll(() => requests.length).toBe(2);
    store.end();
    const results = await Promise.allSettled(calls);
    expect(results).toMatchObject(calls.map(() => ({ status: 'rejected', reason: stops })));
    await expect(store.delete(newKey())).rejects.toMatchObject(stops);
    expect(requests).toHaveLength(2);
    stop();
  });

  test('if the received file is gone', async () => {
    const { store, stop } = await startServer((request) => request.resume());
    const file = { ...(await spooledFile(folder, 10)), path: `${folder}/none` };
    await expect(store.put(newKey(), file)).rejects.toMatchObject(unavailable(/ENOENT/));
    stop();
  });
});

test('the store in S3 signs the length and the SHA-256 of a file, and the session token', async () => {
  const { url, stop, requests } = await startServer((request, response) => {
    request.resume();
    request.on('end', () => response.end());
  });
  const store = new S3Store({ ...s3Settings(`${url}/api`, 'id', 'the-secret'), sessionToken: 'the-token' }, TIMEOUTS);
  const file = await spooledFile(folder, 100_000);
  const key = newKey(5);
  await store.put(key, file);
  const [request] = requests;
  expect(request?.url).toBe(`/api/evidence/production/files/5/${key.uniqueId}`);
  expect(request?.headers).toMatchObject({
    'content-length': '100000',
    'x-amz-content-sha256': file.sha256,
    'x-amz-security-token': 'the-token',
    authorization: expect.stringMatching(
      /^AWS4-HMAC-SHA256 Credential=id\/\d{8}\/us-east-1\/s3\/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token, Signature=[\da-f]{64}$/,
    ),
  });
  expect(JSON.stringify(request?.headers)).not.toContain('the-secret');
  stop();
});
