import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { Resolve } from '../../server/outbound/resolve-name.ts';
import { createWebhookClient, DeliveryError } from '../../server/outbound/webhook-client.ts';
import { startDnsServer } from '../support/servers/dns-server.ts';
import { startCountingServer } from '../support/servers/secret-scanner.ts';
import { urlInput } from '../../procedures/webhook/schemas.ts';

// No test leaves this machine. Names resolve at a local DNS server, and requests reach servers on 127.0.0.1 only.

const PUBLIC = '93.184.216.34';

/** A server of this machine that no rejected request reaches. */
const victim = await startCountingServer((_, response) => response.end());
afterAll(() => victim.close());
const victimPort = () => new URL(victim.url).port;

const attempt = (url: string) => ({ url, headers: {}, body: '{}', signal: new AbortController().signal });

/** Error of a promise; undefined if it resolves. */
const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

const NOT_PUBLIC = {
  code: 'unprocessable',
  message: 'url: expected a host with public addresses only',
};

/** A literal address, or a name of this machine, needs no resolution. */
const unexpectedLookup: Resolve = (hostname, _, callback) => callback(new Error(`${hostname} was looked up`), []);

async function useDns(zone: Parameters<typeof startDnsServer>[0]) {
  const dns = await startDnsServer(zone);
  onTestFinished(dns.close);
  return dns;
}

test.each([
  ['loopback', '127.0.0.1'],
  ['loopback, another address', '127.255.255.254'],
  ['loopback in decimal', '2130706433'],
  ['loopback in octal', '0177.0.0.1'],
  ['loopback in octal, one number', '017700000001'],
  ['loopback in hexadecimal', '0x7f000001'],
  ['loopback in hexadecimal, four numbers', '0x7f.0x0.0x0.0x1'],
  ['loopback in upper-case hexadecimal', '0X7F.1'],
  ['loopback, two numbers', '127.1'],
  ['loopback, three numbers', '127.0.1'],
  ['loopback with a trailing dot', '127.0.0.1.'],
  ['loopback in full-width digits', '１２７.０.０.１'],
  ['loopback with ideographic full stops', '127。0。0。1'],
  ['loopback in circled digits', '①②⑦.⓪.⓪.①'],
  ['loopback with percent-encoding', '%31%32%37.0.0.1'],
  ['this host', '0'],
  ['this host, four numbers', '0.0.0.0'],
  ['this network', '0.1.2.3'],
  ['private, 10/8', '10.0.0.1'],
  ['private, 172.16/12', '172.31.255.255'],
  ['private, 192.168/16', '192.168.1.1'],
  ['private, 192.168/16 in decimal', '3232235777'],
  ['shared by providers', '100.64.0.1'],
  ['link-local', '169.254.1.1'],
  ['metadata of clouds', '169.254.169.254'],
  ['metadata of clouds in decimal', '2852039166'],
  ['metadata of clouds in octal', '0251.0376.0251.0376'],
  ['metadata of clouds in hexadecimal', '0xa9fea9fe'],
  ['metadata of another cloud', '100.100.100.200'],
  ['protocol assignments', '192.0.0.192'],
  ['documentation', '192.0.2.1'],
  ['6to4 relays', '192.88.99.1'],
  ['benchmarks', '198.18.0.1'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['broadcast in decimal', '4294967295'],
  ['unspecified, IPv6', '[::]'],
  ['loopback, IPv6', '[::1]'],
  ['loopback, IPv6, uncompressed', '[0:0:0:0:0:0:0:1]'],
  ['IPv4-mapped', '[::ffff:127.0.0.1]'],
  ['IPv4-mapped in hexadecimal', '[::ffff:a9fe:a9fe]'],
  ['IPv4-mapped in upper case', '[::FFFF:7F00:1]'],
  ['IPv4-mapped, public', `[::ffff:${PUBLIC}]`],
  ['IPv4-compatible', '[::127.0.0.1]'],
  ['IPv4-translated', '[::ffff:0:127.0.0.1]'],
  ['NAT64', '[64:ff9b::10.0.0.1]'],
  ['NAT64, local', '[64:ff9b:1::1]'],
  ['discard', '[100::1]'],
  ['Teredo', '[2001:0:4136:e378:8000:63bf:3fff:fdd2]'],
  ['documentation, IPv6', '[2001:db8::1]'],
  ['6to4', '[2002:7f00:1::]'],
  ['unique local', '[fd00::1]'],
  ['unique local, metadata of clouds', '[fd00:ec2::254]'],
  ['link-local, IPv6', '[fe80::1]'],
  ['site-local', '[fec0::1]'],
  ['multicast, IPv6', '[ff02::1]'],
  ['a name of this machine', 'localhost'],
  ['a name of this machine in upper case', 'LOCALHOST'],
  ['a name of this machine with a trailing dot', 'localhost.'],
  ['a subdomain of this machine', 'app.localhost'],
  ['a subdomain of this machine with a trailing dot', 'App.Localhost.'],
  ['a name of this machine in full-width letters', 'ｌｏｃａｌｈｏｓｔ'],
])('an address that is not public is an error at the check and at each attempt: %s, %s', async (_, host) => {
  const url = `https://${host}:${victimPort()}/`;
  expect(urlInput.parse(url)).toBe(url);
  const client = createWebhookClient(false, { resolve: unexpectedLookup });
  await expect(client.requirePublicUrl('url', url)).rejects.toMatchObject(NOT_PUBLIC);
  expect(await errorOf(client.send(attempt(url)))).toEqual(new DeliveryError('address is not public'));
  expect(victim.requestCount()).toBe(0);
});

test.each([
  ['an IPv6 address with a zone', 'https://[fe80::1%25eth0]/'],
  ['an IPv6 address with a zone that is not encoded', 'https://[::1%lo]/'],
  ['an IPv6 address without brackets', 'https://::1/'],
  ['five numbers', 'https://127.0.0.0.1/'],
  ['a number beyond 255', 'https://256.0.0.1/'],
  ['a number beyond 32 bits', 'https://4294967296/'],
  ['a name with a forbidden character', 'https://exa<mple.com/'],
  ['a port beyond 65535', 'https://example.com:65536/'],
  ['no host', 'https://'],
  ['no host, but a path', 'https:///example.com'],
  ['no slashes', 'https:example.com'],
  ['backslashes', 'https:\\\\example.com'],
  ['a backslash', 'https://example.com\\.evil.example/'],
  ['no scheme', 'example.com/hook'],
  ['no scheme, with slashes', '//example.com/hook'],
  ['a path', '/hook'],
  ['another scheme', 'ftp://example.com/'],
  ['a file', 'file:///etc/passwd'],
  ['a script', 'javascript:alert(1)'],
  ['a leading space', ' https://example.com/'],
  ['a space', 'https://example.com/a b'],
  ['a line break', 'https://example.com/\nX: 1'],
  ['a control character', 'https://example.com/\u0001'],
  ['more than 2048 characters', `https://example.com/${'a'.repeat(2029)}`],
  ['no text', ''],
])('text that is not an absolute URL is an error of the schema: %s', (_, url) => {
  expect(urlInput.safeParse(url).error?.issues.map(({ message }) => message)).toEqual([
    'expected an http or https URL of at most 2048 characters',
  ]);
});

test.each(['https://user@example.com/', 'https://user:pass@example.com/', 'https://:@example.com/', 'HTTP://@e.com'])(
  'user info in a URL is an error of the schema: %s',
  (url) => {
    expect(urlInput.safeParse(url).error?.issues.map(({ message }) => message)).toEqual([
      'expected a URL without user info',
    ]);
  },
);

test.each([
  'https://example.com',
  'HTTPS://Example.com:8443/a/@b?c=d@e#f',
  'http://example.com/',
  'https://bücher.example/?q=ü',
  `https://example.com/${'a'.repeat(2028)}`,
])('the schema accepts an absolute URL unchanged: %s', (url) => {
  expect(urlInput.parse(url)).toBe(url);
});

test('the check accepts public addresses, and names that resolve to nothing else', async () => {
  const { resolve } = await useDns({
    'public.example': [[PUBLIC, '1.1.1.1']],
    'xn--bcher-kva.example': [[PUBLIC]],
    'silent.example': [[]],
  });
  const { requirePublicUrl } = createWebhookClient(false, { resolve, lookupTimeoutMs: 50 });
  for (const host of [
    PUBLIC,
    '93.184.55074',
    '8.8.8.8',
    '[2606:4700:4700::1111]',
    '[2A00:1450:4001:800::200E]',
    'public.example',
    'PUBLIC.example:8443',
    'bücher.example',
    // These two do not resolve: one is unknown, the other gets no response of the DNS server.
    'unknown.example',
    'silent.example',
  ])
    await expect(requirePublicUrl('url', `https://${host}/hook?a=b#c`)).resolves.toBeUndefined();
});

test('http is an error at the check and at each attempt, also for a public address', async () => {
  const client = createWebhookClient(false, { resolve: unexpectedLookup });
  const url = `http://${PUBLIC}/`;
  await expect(client.requirePublicUrl('target', url)).rejects.toMatchObject({
    code: 'unprocessable',
    message: 'target: expected an https URL',
  });
  expect(await errorOf(client.send(attempt(url)))).toEqual(new DeliveryError('url is not https'));
});

test.each([
  ['one private address', ['10.1.2.3']],
  ['this machine', ['127.0.0.1']],
  ['a public and a private address', [PUBLIC, '127.0.0.1']],
  ['a private and a public address', ['169.254.169.254', PUBLIC]],
])('a name that resolves to %s is an error at the check and at each attempt', async (_, addresses) => {
  const { resolve, queries } = await useDns({ 'hooks.example': [addresses] });
  const client = createWebhookClient(false, { resolve });
  const url = `https://hooks.example:${victimPort()}/`;
  const checkError = await errorOf(client.requirePublicUrl('url', url));
  const attemptError = await errorOf(client.send(attempt(url)));
  expect(checkError).toMatchObject(NOT_PUBLIC);
  expect(attemptError).toEqual(new DeliveryError('address is not public'));
  for (const address of addresses) expect(`${String(checkError)} ${String(attemptError)}`).not.toContain(address);
  expect(queries).toEqual(['hooks.example', 'hooks.example']);
  expect(victim.requestCount()).toBe(0);
});

test('a name that resolves to IPv6 addresses is an error if one is private', async () => {
  const resolve: Resolve = (_, options, callback) => {
    expect(options.all).toBe(true);
    const addresses = ['2606:4700:4700::1111', '::ffff:127.0.0.1'];
    callback(
      null,
      addresses.map((address) => ({ address, family: 6 })),
    );
  };
  const client = createWebhookClient(false, { resolve });
  await expect(client.requirePublicUrl('url', 'https://hooks.example/')).rejects.toMatchObject(NOT_PUBLIC);
  expect(await errorOf(client.send(attempt('https://hooks.example/')))).toEqual(
    new DeliveryError('address is not public'),
  );
});

test('an attempt rejects a name whose addresses changed after the check (DNS rebinding)', async () => {
  const { resolve, queries } = await useDns({ 'hooks.example': [[PUBLIC], ['127.0.0.1']] });
  const client = createWebhookClient(false, { resolve });
  const url = `https://hooks.example:${victimPort()}/`;
  await client.requirePublicUrl('url', url);
  expect(await errorOf(client.send(attempt(url)))).toEqual(new DeliveryError('address is not public'));
  expect(queries).toEqual(['hooks.example', 'hooks.example']);
  expect(victim.requestCount()).toBe(0);
});

test('an attempt resolves a name once, and connects to the address that was checked', async () => {
  const { resolve, queries } = await useDns({ 'hooks.example': [['127.0.0.1'], ['127.0.0.2']] });
  const addresses: (string | undefined)[] = [];
  const receiver = await startCountingServer((request, response) => {
    addresses.push(request.socket.localAddress);
    response.end();
  });
  onTestFinished(receiver.close);
  const client = createWebhookClient(true, { resolve });
  const { status } = await client.send(attempt(`http://hooks.example:${new URL(receiver.url).port}/`));
  expect({ status, queries, addresses }).toEqual({ status: 200, queries: ['hooks.example'], addresses: ['127.0.0.1'] });
});

test('with private addresses allowed, the check accepts each URL without a resolution', async () => {
  const { requirePublicUrl } = createWebhookClient(true, { resolve: unexpectedLookup });
  for (const url of ['http://127.0.0.1:3000/', 'https://10.0.0.1/', 'http://localhost/', 'http://receiver.internal/'])
    await expect(requirePublicUrl('url', url)).resolves.toBeUndefined();
});

test.each([301, 302, 303, 307, 308])('a redirect to a private address is not followed: %i', async (status) => {
  const receiver = await startCountingServer((_, response) =>
    response.writeHead(status, { Location: victim.url }).end(),
  );
  onTestFinished(receiver.close);
  const response = await createWebhookClient(true).send(attempt(receiver.url));
  expect(response).toEqual({ status, retryAfterMs: undefined });
  expect([receiver.requestCount(), victim.requestCount()]).toEqual([1, 0]);
});

test('at most 1,000 accepted URLs are kept; further ones are checked each time', async () => {
  const queries: string[] = [];
  const resolve: Resolve = (name, _, callback) => {
    queries.push(name);
    callback(null, [{ address: PUBLIC, family: 4 }]);
  };
  const client = createWebhookClient(false, { resolve });
  const urls = Array.from({ length: 1100 }, (_, index) => `https://hooks${index}.example/`);
  for (const url of urls) await client.requirePublicUrl('url', url);
  expect(queries).toHaveLength(1100);
  for (const url of urls) await client.requirePublicUrl('url', url);
  expect(queries).toHaveLength(1200);
});
