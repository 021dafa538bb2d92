import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { createResolve } from '../../server/outbound/resolve-name.ts';
import { startDnsServer } from '../support/servers/dns-server.ts';

/** Starts a DNS server, and creates a function that resolves names there. */
async function useDns(zone: Parameters<typeof startDnsServer>[0]) {
  const dns = await startDnsServer(zone);
  onTestFinished(dns.close);
  const resolve = promisify(createResolve({ servers: [dns.address], hostsFile: '/nonexistent' }));
  return { queries: dns.queries, resolve: (name: string) => resolve(name, { all: true }) };
}

test('names without a response delay no other name', async () => {
  const silent = Array.from({ length: 64 }, (_, index) => `silent-${index}.example`);
  const { resolve, queries } = await useDns({
    ...Object.fromEntries(silent.map((name) => [name, [[]]])),
    'good.example': [['93.184.216.34', '1.1.1.1']],
  });
  const ended = { silent: 0 };
  const failed = silent.map((name) =>
    resolve(name).catch(() => {
      ended.silent += 1;
    }),
  );
  await expect.poll(() => new Set(queries).size).toBe(silent.length);
  expect(await resolve('good.example')).toEqual(
    expect.arrayContaining([
      { address: '93.184.216.34', family: 4 },
      { address: '1.1.1.1', family: 4 },
    ]),
  );
  expect(ended.silent).toBe(0);
  await Promise.all(failed);
  expect(ended.silent).toBe(silent.length);
});

test('a name that does not exist is an error with the code ENOTFOUND', async () => {
  const { resolve } = await useDns({});
  await expect(resolve('unknown.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test('the hosts file comes before DNS', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hosts-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const hostsFile = join(folder, 'hosts');
  await writeFile(hostsFile, '# names\n10.0.0.7 Intern.example other # comment\n::1\tip6-localhost\n');
  const dns = await startDnsServer({ 'intern.example': [['1.1.1.1']], 'other.example': [['1.1.1.2']] });
  onTestFinished(dns.close);
  const resolve = promisify(createResolve({ servers: [dns.address], hostsFile }));
  expect(await resolve('intern.example', { all: true })).toEqual([{ address: '10.0.0.7', family: 4 }]);
  expect(await resolve('ip6-localhost.', { all: true })).toEqual([{ address: '::1', family: 6 }]);
  expect(await resolve('other.example', { all: true })).toEqual([{ address: '1.1.1.2', family: 4 }]);
});
