import { createServer } from 'node:http';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { UnreachableError, isPublicAddress } from '../../server/outbound/guarded-request.ts';
import { createPublicFetch } from '../../server/outbound/public-fetch.ts';

test.each([
  ['this network', '0.0.0.0', '0.255.255.255'],
  ['private, 10/8', '10.0.0.0', '10.255.255.255'],
  ['shared by providers', '100.64.0.0', '100.127.255.255'],
  ['loopback', '127.0.0.1', '127.255.255.255'],
  ['link-local, with the metadata of clouds', '169.254.0.1', '169.254.169.254'],
  ['private, 172.16/12', '172.16.0.0', '172.31.255.255'],
  ['protocol assignments', '192.0.0.0', '192.0.0.255'],
  ['documentation 1', '192.0.2.0', '192.0.2.255'],
  ['6to4 relays', '192.88.99.0', '192.88.99.255'],
  ['private, 192.168/16', '192.168.0.0', '192.168.255.255'],
  ['benchmarks', '198.18.0.0', '198.19.255.255'],
  ['documentation 2', '198.51.100.0', '198.51.100.255'],
  ['documentation 3', '203.0.113.0', '203.0.113.255'],
  ['multicast', '224.0.0.0', '239.255.255.255'],
  ['reserved and broadcast', '240.0.0.0', '255.255.255.255'],
  ['unspecified, IPv6', '::', '0:0:0:0:0:0:0:0'],
  ['loopback, IPv6', '::1', '0:0:0:0:0:0:0:1'],
  ['IPv4-compatible', '::127.0.0.1', '::8.8.8.8'],
  ['IPv4-mapped', '::ffff:127.0.0.1', '::ffff:8.8.8.8'],
  ['IPv4-mapped in hexadecimal', '::ffff:7f00:1', '0:0:0:0:0:ffff:a9fe:a9fe'],
  ['IPv4-translated', '64:ff9b::7f00:1', '64:ff9b::10.0.0.1'],
  ['IPv4-translated, local', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['discard', '100::', '100::ffff:ffff:ffff:ffff'],
  ['Teredo and protocols', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['documentation, IPv6', '2001:db8::', '2001:DB8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['6to4', '2002::', '2002:7f00:1::1'],
  ['documentation, newer', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['unique local', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['link-local, IPv6', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['site-local', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['multicast, IPv6', 'ff00::', 'ff02::1'],
  ['with a zone', 'fe80::1%eth0', '2a00:1450:4001::1%eth0'],
  ['no address', 'localhost', ''],
  ['other notations', '0x7f000001', '2130706433'],
])('%s is not public', (_, first, last) => {
  expect([first, last].filter(isPublicAddress)).toEqual([]);
});

test.each([
  ['9.255.255.255', '11.0.0.0', '1.1.1.1', '8.8.8.8'],
  ['100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
  ['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0'],
  ['192.0.1.0', '192.0.3.0', '192.88.98.255', '192.88.100.0'],
  ['192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0'],
  ['198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0'],
  ['223.255.255.255', '2001:200::1', '2001:db7:ffff::1', '2001:db9::1'],
  ['2003::1', '2606:4700:4700::1111', '2A00:1450:4001:800::200e', '3ffe::1'],
])('the neighbours of those networks are public: %s, %s, %s, %s', (...addresses) => {
  expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([]);
});

const get = () => ({ method: 'GET', headers: {}, signal: AbortSignal.timeout(10_000) });

/** Starts a server whose connections are counted. */
async function startServer() {
  let connections = 0;
  const server = createServer((_, response) => {
    response.writeHead(302, { Location: '/elsewhere', 'Set-Cookie': ['a=1', 'b=2'] }).end('moved');
  });
  server.on('connection', () => (connections += 1));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { port, connections: () => connections, close: () => server.close() };
}

test('a request to a private address is rejected before a connection is opened, also by name and with https', async () => {
  const server = await startServer();
  const fetchPublic = createPublicFetch(() => false);
  for (const origin of [
    'http://127.0.0.1',
    'https://127.0.0.1',
    'https://localhost',
    'https://[::1]',
    'https://2130706433',
  ])
    await expect(fetchPublic(`${origin}:${server.port}/`, get())).rejects.toThrow(UnreachableError);
  await expect(fetchPublic(`https://localhost:${server.port}/`, get())).rejects.toThrow(
    'localhost: expected a public address',
  );
  await expect(fetchPublic('https://169.254.169.254/latest/meta-data', get())).rejects.toThrow(
    'expected a public address',
  );
  expect(server.connections()).toBe(0);
  server.close();
});

test('in development a request reaches this machine over http, but no other private address', async () => {
  const server = await startServer();
  const fetchLocal = createPublicFetch(() => true);
  for (const host of ['127.0.0.1', 'localhost']) {
    const response = await fetchLocal(`http://${host}:${server.port}/`, get());
    expect(response.status).toBe(302);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(await response.text()).toBe('moved');
  }
  expect(server.connections()).toBe(2);
  for (const url of ['https://10.0.0.1/', 'https://169.254.169.254/'])
    await expect(fetchLocal(url, get())).rejects.toThrow('expected a public address');
  await expect(fetchLocal('http://example.com/', get())).rejects.toThrow('http://example.com: expected https');
  server.close();
});

test('a response that is too large is an error', async () => {
  const server = createServer((_, response) => response.end('x'.repeat(65_537)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  await expect(createPublicFetch(() => true)(`http://127.0.0.1:${port}/`, get())).rejects.toThrow(
    'response: larger than',
  );
  server.closeAllConnections();
  server.close();
});
