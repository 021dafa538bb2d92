import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { awaitServer } from '../../database/postgresql/await-server.ts';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { connectOwner } from '../../database/postgresql/owner.ts';
import { ConfigError, loadSettings } from '../../server/config/settings.ts';
import { requireOwnerServer, requireServers } from '../../server/process/require-servers.ts';
import { databaseUrl } from '../support/database/database.ts';
import { startPartitionProxy } from '../support/database/partition-proxy.ts';
import { listen } from '../support/http/listen.ts';
import { createOwnedDirectory, hasPostgreSql, postgresUser, startPostgreSql } from '../support/servers/postgresql.ts';
import type { PostgreSqlServer } from '../support/servers/postgresql.ts';

const HBA = `
hostssl all encrypted 127.0.0.1/32 trust
host all protected 127.0.0.1/32 scram-sha-256
host all postgres 127.0.0.1/32 trust
`;

describe.runIf(databaseUrl !== undefined && hasPostgreSql)(
  'the first connection to a PostgreSQL with TLS (PostgreSQL only; skipped without initdb)',
  () => {
    let folder: string;
    let server: PostgreSqlServer;
    beforeAll(async () => {
      folder = await createOwnedDirectory('tls');
      for (const name of ['server', 'other']) {
        const files = ['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.crt`)];
        const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
        execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, ...subject], {
          ...postgresUser(),
          stdio: 'ignore',
        });
      }
      const hbaFile = join(folder, 'pg_hba.conf');
      await writeFile(hbaFile, HBA);
      const [certificate, key] = [join(folder, 'server.crt'), join(folder, 'server.key')];
      server = await startPostgreSql({ ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key, hba_file: hbaFile });
      await server.sql('create role encrypted superuser login');
      await server.sql(`create role protected login password 'right'`);
    });
    afterAll(async () => {
      await server.remove();
      await rm(folder, { recursive: true });
    });

    /** URL of the server with other parts. */
    const urlWith = (parts: { user?: string; host?: string; database?: string; query?: string }) => {
      const url = new URL(server.url);
      const { user = url.username, host = url.hostname, database = 'postgres', query = '' } = parts;
      return `postgresql://${user}@${host}:${url.port}/${database}${query}`;
    };
    const verified = (name: string) => `?sslmode=verify-full&sslrootcert=${join(folder, `${name}.crt`)}`;

    /** URL of the server behind a proxy that waits before it connects. */
    async function slowUrl(delayMs: number): Promise<string> {
      const proxy = createServer((client) => {
        const connection = connect(Number(new URL(server.url).port), '127.0.0.1');
        for (const socket of [client, connection]) socket.on('error', () => {});
        setTimeout(() => client.pipe(connection).pipe(client), delayMs);
      });
      const { port, stop } = await listen(proxy);
      onTestFinished(stop);
      return Object.assign(new URL(server.url), { port }).href;
    }

    /** Waits for the servers of the settings. @returns the log lines */
    async function start(environment: Record<string, string>, lines: string[] = []): Promise<string[]> {
      const log = pino({ base: null }, { write: (line) => void lines.push(line) });
      await requireServers(loadSettings(environment), { log });
      return lines;
    }

    test.for([
      ['no sslmode', '', false],
      ['disable', '?sslmode=disable', false],
      ['require', '?sslmode=require', true],
    ] as const)('is encrypted as sslmode says: %s', async ([, query, isEncrypted]) => {
      const database = await openPostgreSql(urlWith({ query }));
      onTestFinished(() => database.close());
      const text = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';
      expect(await database.query('test.tls', text, [])).toEqual([{ ssl: isEncrypted }]);
    });

    test('and each further one for migrations, notifications and erasing are encrypted and verified', async () => {
      const url = urlWith({ user: 'encrypted', query: verified('server') });
      expect(await start({ DATABASE_URL: url, DATABASE_REPLICA_URLS: url })).toEqual([]);
      const database = await openPostgreSql(url);
      onTestFinished(() => database.close());
      await database.migrate();
      await database.start();
      const listening = `select count(*)::int as number from pg_stat_activity where query ~* '^listen' and usename = 'encrypted'`;
      await expect.poll(() => server.sql(listening)).toEqual([{ number: 1 }]);
      const owner = await connectOwner(url);
      await owner.close();
    });

    test.for([
      ['an authority that is not known', () => urlWith({ query: '?sslmode=verify-full' }), /^self-signed certificate/],
      ['another name', () => urlWith({ host: 'localhost', query: verified('server') }), /does not match certificate's/],
      [
        'another authority',
        () => urlWith({ query: verified('other') }),
        /^self-signed certificate.*\(sslrootcert names/,
      ],
      [
        'a missing file',
        () => urlWith({ query: verified('no') }),
        /^sslrootcert: expected a file that can be read: ENOENT/,
      ],
      ['a role that must encrypt', () => urlWith({ user: 'encrypted' }), /^no pg_hba.conf entry .*\(sslmode=require/],
      ['a wrong password', () => urlWith({ user: 'protected:wrong' }), /^password authentication failed for user/],
      ['no password', () => urlWith({ user: 'protected' }), /\(the URL has no password\)$/],
      ['a missing database', () => urlWith({ database: 'nowhere' }), /^database "nowhere" does not exist$/],
    ] as const)('ends the start at once, in one line, for %s', async ([, url, reason]) => {
      const lines: string[] = [];
      const error: unknown = await start({ DATABASE_URL: url() }, lines).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(ConfigError);
      const [, line = ''] = /^DATABASE_URL: (.*)$/.exec(String(error).replace('Error: ', '')) ?? [];
      expect(line).toMatch(reason);
      expect(lines).toEqual([]); // no other attempt
    });

    test('ends the start with the name of another setting, if it is that of a replica or of the owner', async () => {
      const nowhere = urlWith({ database: 'nowhere' });
      await expect(start({ DATABASE_URL: server.url, DATABASE_REPLICA_URLS: nowhere })).rejects.toThrow(
        /^DATABASE_REPLICA_URLS: database "nowhere" does not exist$/,
      );
      await expect(requireOwnerServer(nowhere, { log: pino({ enabled: false }) })).rejects.toThrow(
        /^MIGRATION_DATABASE_URL: database "nowhere" does not exist$/,
      );
    });

    test('is tried again while the server is unreachable and starts', async () => {
      await server.stop();
      const lines: string[] = [];
      const starting = start({ DATABASE_URL: server.url }, lines);
      await expect.poll(() => lines.join('')).toContain('database: unreachable, it is tried again');
      await server.start();
      await starting;
      expect(lines).toHaveLength(1);
    });

    test('to a replica may fail', async () => {
      const lines = await start({
        DATABASE_URL: server.url,
        DATABASE_REPLICA_URLS: 'postgresql://postgres@127.0.0.1:1/postgres',
      });
      expect(lines).toEqual([expect.stringContaining('a replica is unreachable')]);
    });

    test('may take as long as connect_timeout says, at the start and later', async () => {
      const proxy = await startPartitionProxy(server.url);
      onTestFinished(() => proxy.stop());
      proxy.cut();
      const startedAt = performance.now();
      await expect(awaitServer(`${proxy.url}?connect_timeout=1`, { patienceMs: 0 })).rejects.toThrow('timeout expired');
      expect(performance.now() - startedAt).toBeLessThan(5000);
      const database = await openPostgreSql(`${await slowUrl(1500)}?connect_timeout=4`);
      onTestFinished(() => database.close());
      expect(await database.query('test.slow', 'select 1 as one', [])).toEqual([{ one: 1 }]);
      const impatient = await openPostgreSql(await slowUrl(1500));
      onTestFinished(() => impatient.close());
      await expect(impatient.query('test.slow', 'select 1 as one', [])).rejects.toMatchObject({ code: 'unavailable' });
    });
  },
);
