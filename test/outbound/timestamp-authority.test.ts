import { hash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createTimestampAuthority as createClient } from '../../server/outbound/timestamp-authority.ts';
import { createTimestampAuthority, startTimestampServer } from '../support/http/timestamp-authority.ts';
import type { TimestampCertificate } from '../support/http/timestamp-authority.ts';

const authority = await createTimestampAuthority();
afterAll(() => authority.remove());

const DATA = '{"product":"a manifest"}\n';
const sha256 = hash('sha256', DATA, 'buffer');

/** Requests a time stamp from a server that responds so. */
async function stamp(respond: Parameters<typeof startTimestampServer>[0], timeoutMs?: number): Promise<Buffer> {
  const { url, stop } = await startTimestampServer(respond);
  onTestFinished(stop);
  return createClient(`${url}/tsa`, timeoutMs).stamp(sha256);
}

test('a time stamp is the response of the authority, which openssl verifies', async () => {
  const response = await stamp(authority.reply);
  await writeFile(authority.path('data'), DATA);
  await writeFile(authority.path('response.tsr'), response);
  const verify = ['ts', '-verify', '-data', 'data', '-in', 'response.tsr', '-CAfile', 'ca.pem'];
  await expect(authority.openssl(...verify)).resolves.toMatchObject({ stdout: expect.stringMatching(/OK/) });
});

test('a request has the media type, a new nonce each time, and asks for the certificate', async () => {
  const queries: Buffer[] = [];
  for (let count = 0; count < 2; count += 1)
    await stamp((query) => {
      queries.push(query);
      return authority.reply(query);
    });
  const texts = queries.map(async (query) => {
    await writeFile(authority.path('sent.tsq'), query);
    return (await authority.openssl('ts', '-query', '-in', 'sent.tsq', '-text')).stdout;
  });
  const [first, second] = [await texts[0], await texts[1]];
  expect(first).toMatch(/Hash Algorithm: sha256[^]*Nonce: 0x4[0-9A-F]{31}\nCertificate required: yes/);
  expect(second).toMatch(/Nonce: 0x4/);
  expect(queries[0]?.equals(queries[1] ?? Buffer.alloc(0))).toBe(false);
  const types: (string | undefined)[] = [];
  await stamp(() => (request, response) => {
    types.push(request.headers['content-type']);
    response.writeHead(500).end();
  }).catch(() => {});
  expect(types).toEqual(['application/timestamp-query']);
});

test.for([
  ['for other data', async () => authority.reply(await authority.query('other')), 'the response is for another digest'],
  [
    'for the same data with another nonce',
    async () => authority.reply(await authority.query(DATA)),
    'the response has another nonce',
  ],
  [
    'for the same data without a nonce',
    async () => authority.reply(await authority.query(DATA, '-no_nonce')),
    'the response has another nonce',
  ],
  ['that is no DER', async () => randomBytes(500), 'the response is malformed'],
  ['that is empty', async () => Buffer.alloc(0), 'the response is malformed'],
] as const)('a response %s is an error', async ([, respond, reason]) => {
  await expect(stamp(respond)).rejects.toThrow(`time stamp: ${reason}`);
});

test('a response that was changed, is cut, or has another certificate is an error', async () => {
  const flip = (response: Buffer, position: number) => {
    response[position] = (response[position] ?? 0) ^ 1;
    return response;
  };
  const change = (position: (response: Buffer) => number) =>
    stamp(async (query) => {
      const response = await authority.reply(query);
      return flip(response, position(response));
    });
  await expect(change((response) => response.length - 1)).rejects.toThrow(
    /time stamp: the (?:signature is invalid|response is malformed)/,
  );
  // The time stands before the nonce and is signed too.
  await expect(change((response) => response.indexOf(new Date().toISOString().slice(0, 4)) + 13)).rejects.toThrow(
    'time stamp: the signature is invalid',
  );
  await expect(stamp(async (query) => (await authority.reply(query)).subarray(0, -20))).rejects.toThrow(
    /time stamp: the response is malformed/,
  );
});

test.for(['uncritical', 'several', 'without'] as const)(
  'a certificate with the usage "%s" is an error',
  async (name: TimestampCertificate) => {
    await expect(stamp((query) => authority.replyAs(query, name))).rejects.toThrow(
      'time stamp: the certificate is not for time stamps only',
    );
  },
);

test('the same content signed anew with the valid certificate is accepted', async () => {
  await expect(stamp((query) => authority.replyAs(query, 'valid'))).resolves.toBeInstanceOf(Buffer);
});

test('a rejected request is an error with its status', async () => {
  // The authority accepts no SHA-1.
  await expect(
    stamp(async () => {
      const query = await authority.query(DATA, '-sha1');
      return authority.reply(query);
    }),
  ).rejects.toThrow('time stamp: the server rejected the request with status 2');
});

test('a status, a redirect, silence, a slow and a long body are errors in time', async () => {
  await expect(stamp(() => (_, response) => response.writeHead(500).end('x'))).rejects.toThrow(
    'time stamp: the server responded 500',
  );
  const redirect = { Location: 'http://127.0.0.1:1/' };
  await expect(stamp(() => (_, response) => response.writeHead(302, redirect).end())).rejects.toThrow(
    'time stamp: no response from the server',
  );
  await expect(stamp(() => () => {}, 200)).rejects.toThrow('time stamp: no response within 0.2 s');
  await expect(stamp(() => (_, response) => response.writeHead(200).write('x'), 200)).rejects.toThrow(
    'time stamp: no response within 0.2 s',
  );
  await expect(stamp(() => (_, response) => response.writeHead(200).end(Buffer.alloc(70_000)))).rejects.toThrow(
    'time stamp: the response has more than 65536 bytes',
  );
  await expect(createClient('http://127.0.0.1:1/').stamp(sha256)).rejects.toThrow(
    'time stamp: no response from the server',
  );
});
