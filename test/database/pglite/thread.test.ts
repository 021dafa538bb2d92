import { setImmediate } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPglite } from '../../../database/pglite/open.ts';
import type { Database } from '../../../database/database.ts';
import { EmbeddedServer } from '../../../database/pglite/server.ts';
import { joinResponse } from '../../../database/pglite/ready-for-query.ts';
import { defineStatement, pipelinedRead } from '../../../entities/statements/define-statement.ts';
import { temporaryFolder } from '../../support/setup/temporary-folder.ts';

/** A message of PostgreSQL's protocol: type, length with itself, content. */
function message(type: string, content = ''): Buffer {
  const header = Buffer.alloc(5);
  header.write(type);
  header.writeUInt32BE(4 + content.length, 1);
  return Buffer.concat([header, Buffer.from(content)]);
}

describe('the response of the thread', () => {
  const text = (chunks: Buffer[]) => Buffer.from(joinResponse(chunks)).toString('latin1');

  test('keeps every message if none is repeated, however PGlite splits them', () => {
    const bytes = Buffer.concat([
      message('D', 'Z'),
      message('C', 'SELECT 1'),
      message('Z', 'I'),
      message('D'),
      message('Z', 'T'),
    ]);
    expect(text([bytes])).toBe(bytes.toString('latin1'));
    expect(text([bytes.subarray(0, 3), bytes.subarray(3, 11), bytes.subarray(11)])).toBe(bytes.toString('latin1'));
    expect(text([])).toBe('');
  });

  test('has one ReadyForQuery after an error, as that of PostgreSQL has', () => {
    const failed = [message('E', 'SERROR'), message('Z', 'I'), message('Z', 'I')];
    const next = [message('D', 'row'), message('Z', 'I')];
    const expected = [message('E', 'SERROR'), message('Z', 'I'), message('D', 'row'), message('Z', 'I')];
    expect(text([...failed, ...next])).toBe(Buffer.concat(expected).toString('latin1'));
    expect(text([...failed, ...failed])).toBe(
      Buffer.concat([...expected.slice(0, 2), ...expected.slice(0, 2)]).toString('latin1'),
    );
  });
});

describe('the embedded database', async () => {
  const folder = await temporaryFolder();
  let database: Database;
  beforeAll(async () => {
    database = await openPglite(folder);
    await database.query('test.create', 'create table note (id int primary key, text text)', []);
  });
  afterAll(() => database.close());

  const insert = defineStatement<{ id: number }, { id: number }>(
    'test.insert',
    ({ id }) => `insert into note values (${id}, 'x') returning id`,
  );
  const ids = async () =>
    (await database.query<{ id: number }>('test.ids', 'select id from note order by id', [])).map(({ id }) => id);

  test('gives each of many concurrent statements its own result, failed ones included', async () => {
    const quotient = (divisor: number) =>
      database.query<{ result: number }>('test.divide', 'select 60 / $1::int as result', [divisor]);
    const results = await Promise.allSettled([1, 0, 2, 3, 0, 0, 4, 5].map(quotient));
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value[0]?.result : result.status))).toEqual([
      60,
      'rejected',
      30,
      20,
      'rejected',
      'rejected',
      15,
      12,
    ]);
  });

  test('rolls a failed transaction back, and the next one sees nothing of it', async () => {
    const failing = database.transaction(async (runner) => {
      await runner.run(insert, { id: 1 }, {});
      await runner.run(insert, { id: 1 }, {});
    });
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    expect(await ids()).toEqual([]);
  });

  test('rolls back a transaction that reaches its deadline, in a new session', async () => {
    await database.query('test.set', `set application_name = 'before'`, []);
    const sleep = defineStatement<object, object>('test.sleep', 'select pg_sleep(2)');
    const late = database.transaction(
      async (runner) => {
        await runner.run(insert, { id: 2 }, {});
        await runner.run(sleep, {}, {});
      },
      { deadline: performance.now() + 1200 },
    );
    await expect(late).rejects.toMatchObject({ code: 'unavailable' });
    await expect.poll(() => ids().catch(() => undefined)).toEqual([]);
    const [row] = await database.query<{ name: string }>(
      'test.name',
      `select current_setting('application_name') as name`,
      [],
    );
    expect(row?.name).toBe('');
  });

  test('runs a transaction while nothing else runs between its statements', async () => {
    const other: Promise<unknown>[] = [];
    await database.transaction(async (runner) => {
      await runner.run(insert, { id: 3 }, {});
      other.push(ids());
      await runner.run(insert, { id: 4 }, {});
    });
    expect(await Promise.all(other)).toEqual([[3, 4]]);
  });

  test('grants a write its turn between reads that never pause', async () => {
    const first = pipelinedRead('test.first', 'select id from note limit 1');
    const READS_BEFORE = 500;
    const MAX_READS = 5000;
    const state = { reads: 0, written: false };
    // The readers are out of step, so that a read is always in flight.
    const read = async (pauses: number) => {
      while (!state.written && state.reads < MAX_READS) {
        state.reads += 1;
        await database.run(first, {}, {});
        for (let pause = 0; pause < pauses; pause++) await setImmediate();
      }
    };
    const readers = Array.from({ length: 12 }, (_, number) => read(number % 7));
    while (state.reads < READS_BEFORE) await setImmediate();
    await database.run(insert, { id: 5 }, {}).then(() => (state.written = true));
    await Promise.all(readers);
    // About 40; up to 4,500 if pipelined reads keep the connection.
    expect(state.reads - READS_BEFORE).toBeLessThan(300);
  });

  test('works again after its thread has ended unexpectedly', async () => {
    await database.close();
    const server = new EmbeddedServer(folder);
    const connect = async () => {
      const client = new Client({ stream: server.stream, user: 'postgres', database: 'postgres' });
      client.on('error', () => {});
      await client.connect();
      return client;
    };
    const first = await connect();
    await first.query('insert into note values (6)');
    const running = first.query('select count(*) from generate_series(1, 20000000)');
    await Promise.all([expect(running).rejects.toThrow(/^Connection terminated/), (await server.open()).terminate()]);
    const second = await connect();
    expect((await second.query('select id from note where id = 6')).rows).toEqual([{ id: 6 }]);
    await second.query('delete from note where id = 6');
    await second.end();
    await server.close();
    database = await openPglite(folder);
  });

  test('does not open its files again for a connection that begins while it is closed', async () => {
    await database.close();
    const server = new EmbeddedServer(folder);
    await server.close();
    const client = new Client({ stream: server.stream, user: 'postgres', database: 'postgres' });
    client.on('error', () => {});
    await expect(client.connect()).rejects.toThrow('the database is closed');
    database = await openPglite(folder);
  });

  test('keeps rows after it was closed and opened again', async () => {
    await database.close();
    database = await openPglite(folder);
    expect(await ids()).toEqual([3, 4, 5]);
  });
});
