import { describe, expect, test } from 'vitest';
import { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import {
  ALL_COMPANIES,
  bind,
  pipelinedRead,
  batchedWrite,
  readStatement,
  defineStatement,
} from '../../entities/statements/define-statement.ts';
import { TIMEOUTS_MS } from '../../database/timeouts.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import type { Principal } from '../../entities/principal.ts';
import { OPERATOR } from '../../entities/user.ts';
import { stubDriver } from '../support/database/stub-driver.ts';

// What goes to the database for whom, without a database. tenancy.test.ts and second-wall.test.ts hold it to that.

const SQL = 'select 1 from x';
const SETTINGS = { company: 7, user: 'u-1', key: 'k-1', keyFrameworks: [5], request: 'r-1' };

describe('a statement', () => {
  test('numbers its placeholders in the order of the text, each name once', () => {
    const { name, text, values } = defineStatement<{ a: string; b: number }, never>(
      'x',
      ({ a, b, company }) => `select ${b}::int, ${company}, ${a}, ${b} from x where c = ${company}`,
    );
    expect([name, text]).toEqual(['x', 'select $1::int, $2, $3, $1 from x where c = $2']);
    expect(values(SETTINGS, { a: 'A', b: 2 })).toEqual([2, 7, 'A']);
  });

  test('has placeholders for its input and the session only', () => {
    // @ts-expect-error -- the input has no `uniqueID`
    defineStatement<{ uniqueId: string }, never>('x', ({ uniqueID }) => `select ${uniqueID}`);
    const { text, values } = defineStatement<{ isA: number; _b?: number }, never>(
      'x',
      ({ isA, _b }) => `select ':isA ' || ${isA}::text || ${_b}, '12:30'`,
    );
    expect(text).toBe(`select ':isA ' || $1::text || $2, '12:30'`);
    expect(values({}, { isA: 1 })).toEqual([1, undefined]);
  });

  test('rejects a copy of its placeholders, which would have no names', () => {
    expect(() => defineStatement<{ a: string }, never>('x', ({ a, ...others }) => a + others.company)).toThrow(
      'placeholders: expected access by name',
    );
  });

  test('takes the principal’s values from nowhere but the session', () => {
    const all = defineStatement<object, never>(
      'x',
      ({ company, user, key, keyFrameworks, request }) => `${company} ${user} ${key} ${keyFrameworks} ${request}`,
    );
    const forged = { company: 8, user: 'u-2', key: 'k-2', keyFrameworks: null, request: 'r-2' };
    expect(all.values(SETTINGS, forged)).toEqual([7, 'u-1', 'k-1', [5], 'r-1']);
    const nobody = { company: null, user: null, key: null, keyFrameworks: null, request: null };
    expect(all.values(nobody, forged)).toEqual([null, null, null, null, null]);
  });

  test('meets the rows of one company unless it says otherwise', () => {
    const lockKey = ({ id }: { id: string }) => id;
    expect(defineStatement('x', SQL)).toMatchObject({ rowScope: 'company' });
    expect(defineStatement('x', SQL)).not.toHaveProperty('readOnly');
    expect(readStatement('x', SQL)).toMatchObject({ name: 'x', rowScope: 'company', readOnly: true });
    expect(readStatement('x', SQL)).not.toHaveProperty('pipelined');
    expect(pipelinedRead('x', SQL)).toMatchObject({ name: 'x', rowScope: 'company', readOnly: true, pipelined: true });
    expect(batchedWrite('x', SQL, lockKey)).toMatchObject({ name: 'x', rowScope: 'company', lockKey });
    expect(batchedWrite('x', SQL, lockKey)).not.toHaveProperty('readOnly');
    for (const made of [defineStatement, readStatement, pipelinedRead]) {
      expect(made('x', SQL, 'all companies')).toMatchObject({
        rowScope: 'all companies',
        text: defineStatement('x', SQL).text,
      });
    }
  });
});

describe('before it, its transaction is told', () => {
  const settings = (told: ReturnType<typeof bind>['settings']) => {
    const names = [...(told?.text.matchAll(/set_config\('([\w.]+)', \$(\d), true\)/g) ?? [])];
    // As many values as settings: none of them is left as it was before.
    expect(told?.values).toHaveLength(names.length);
    return Object.fromEntries(names.map(([, name = '', place]) => [name, told?.values[Number(place) - 1]]));
  };

  test('where it only reads, of the company alone', () => {
    const { settings: told } = bind(readStatement<object, never>('x', 'select 1'), {}, SETTINGS);
    expect(settings(told)).toEqual({ 'app.company': '7' });
    expect(told?.name).toBe('settings.company');
  });

  test('where it may write, of who acts as well', () => {
    const { settings: told } = bind(defineStatement<object, never>('x', 'select 1'), {}, SETTINGS);
    expect(settings(told)).toEqual({ 'app.company': '7', 'app.user': 'u-1', 'app.key': 'k-1', 'app.request': 'r-1' });
    expect(told?.name).toBe('settings.principal');
  });

  test('nothing where there is nobody: it overwrites what was told before', () => {
    const none = { 'app.company': '', 'app.user': '', 'app.key': '', 'app.request': '' };
    const write = defineStatement<object, never>('x', 'select 1');
    expect(settings(bind(write, {}, {}).settings)).toEqual(none);
    const others = { company: null, user: undefined, key: {}, request: ['r'] };
    expect(settings(bind(write, {}, others).settings)).toEqual(none);
    expect(settings(bind(readStatement<object, never>('x', 'select 1'), {}, {}).settings)).toEqual({
      'app.company': '',
    });
  });

  test('of every company where its reach is that, whoever asks', () => {
    expect(ALL_COMPANIES).toBe('0');
    for (const session of [{}, SETTINGS]) {
      const every = bind(readStatement<object, never>('x', 'select 1', 'all companies'), {}, session);
      expect(settings(every.settings)).toEqual({ 'app.company': '0' });
      const write = bind(defineStatement<object, never>('x', 'select 1', 'all companies'), {}, session);
      expect(settings(write.settings)).toMatchObject({
        'app.company': '0',
        'app.user': session === SETTINGS ? 'u-1' : '',
      });
    }
  });
});

test('a bound statement has its values, and its place among others where it has one', () => {
  const place = batchedWrite<{ id: string }, never>(
    'x',
    ({ id }) => `update x set a = ${id}`,
    ({ id }) => `x ${id}`,
  );
  expect(bind(place, { id: 'i' }, SETTINGS)).toMatchObject({
    name: 'x',
    text: 'update x set a = $1',
    values: ['i'],
    lockKey: 'x i',
  });
  expect(
    bind(
      defineStatement<{ id: string }, never>('x', ({ id }) => id),
      { id: 'i' },
      SETTINGS,
    ).lockKey,
  ).toBeUndefined();
});

describe('a session', () => {
  const WHO: Principal = {
    ...operatorPrincipal(7),
    user: { uniqueId: 'u-1', name: 'Sync', kind: 'integration' },
    key: 'k-1',
    frameworks: [5],
  };
  const ALL = defineStatement<object, { one: number }>(
    'all',
    ({ company, user, key, keyFrameworks, request }) => `${company} ${user} ${key} ${keyFrameworks} ${request}`,
  );
  const NONE = defineStatement<object, never>('none', 'select 1');
  const FORGED = { company: 8, user: 'u-2', key: 'k-2', keyFrameworks: null, request: 'r-2' };

  function house() {
    const driver = stubDriver({
      all: () => [{ one: 1 }, { one: 2 }],
      none: () => [],
      'secret.cursor': () => [{ value: Buffer.from('s') }],
    });
    const database = new Database(driver);
    const last = () => driver.calls.at(-1) ?? expect.fail('nothing was asked');
    return { driver, database, last };
  }

  test('runs what it is given as its principal, whatever the input names', async () => {
    const { database, last } = house();
    const session = new Session(database, WHO, 'r-1');
    expect(await session.run(ALL, FORGED)).toEqual([{ one: 1 }, { one: 2 }]);
    expect(last().statement.values).toEqual([7, 'u-1', 'k-1', [5], 'r-1']);
    expect(last().statement.settings?.values).toEqual(['7', 'u-1', 'k-1', 'r-1']);
    expect(session.hasPrincipal()).toBe(true);
  });

  test('is the operator’s in a company, with no key', async () => {
    const { database, last } = house();
    const nobody = new Session(database, null, 'r-1');
    await nobody.asOperator(9).run(ALL, FORGED);
    expect(last().statement.values).toEqual([9, OPERATOR.uniqueId, null, null, 'r-1']);
    expect(last().statement.settings?.values).toEqual(['9', OPERATOR.uniqueId, '', 'r-1']);
    expect(nobody.asOperator(9).principal).toEqual(operatorPrincipal(9));
  });

  test('of nobody meets no company', async () => {
    const { database, last } = house();
    const nobody = new Session(database, null, 'r-1');
    await nobody.run(ALL, FORGED);
    expect(last().statement.values).toEqual([null, null, null, null, 'r-1']);
    expect(last().statement.settings?.values).toEqual(['', '', '', 'r-1']);
    expect(nobody.hasPrincipal()).toBe(false);
  });

  test('stays its principal’s inside a transaction, and without hurry', async () => {
    const { database, driver, last } = house();
    const session = new Session(database, WHO, 'r-1', { timeoutMs: 1000 });
    const rows = await session.transaction(async (inside) => {
      expect(inside.principal).toBe(WHO);
      await expect(inside.unitOfWork()).rejects.toThrow('unit of work: not supported inside a transaction');
      return inside.run(ALL, FORGED);
    });
    expect(rows).toHaveLength(2);
    expect(last().statement.values).toEqual([7, 'u-1', 'k-1', [5], 'r-1']);
    await session.withoutDeadline().run(ALL, FORGED);
    expect(last().statement.values).toEqual([7, 'u-1', 'k-1', [5], 'r-1']);
    expect(session.withoutDeadline().principal).toBe(WHO);
    expect(driver.calls).toHaveLength(2);
  });

  test('stays in its transaction without hurry, as the operator’s', async () => {
    const { driver } = house();
    const within: string[] = [];
    const database = new Database({
      ...driver,
      transaction: (work, until) =>
        work((bound) => {
          within.push(bound.name);
          return driver.run(bound, { write: true, deadline: until });
        }),
    });
    await new Session(database, WHO, 'r-1').transaction(async (inside) => {
      for (const one of [inside, inside.withoutDeadline(), inside.asOperator(9)]) await one.run(ALL, {});
    });
    expect(within).toEqual(['all', 'all', 'all']);
  });

  test('gives the first row, or says that there is none', async () => {
    const session = new Session(house().database, WHO, 'r-1');
    expect([await session.first(ALL, {}), await session.first(NONE, {})]).toEqual([{ one: 1 }, undefined]);
    expect(await session.one(ALL, {})).toEqual({ one: 1 });
    await expect(session.one(NONE, {})).rejects.toThrow('none: returned no row');
  });

  test('has one end for all that it runs, from the first on; without hurry each has its own', async () => {
    const { database, driver } = house();
    const session = new Session(database, WHO, 'r-1', { timeoutMs: 1000 });
    const before = performance.now();
    for (const one of [
      session,
      session,
      session.asOperator(9),
      session.withoutDeadline(),
      new Session(database, WHO, 'r'),
    ]) {
      await one.run(ALL, {});
    }
    await session.transaction((inside) => inside.run(ALL, {}));
    const [first = 0, second, operators = 0, unhurried = 0, unbound = 0, transaction] = driver.calls.map(
      ({ deadline: until }) => until,
    );
    const now = performance.now();
    for (const until of [first, operators]) {
      expect(until - before).toBeGreaterThanOrEqual(1000);
      expect(until - now).toBeLessThanOrEqual(1000);
    }
    expect([second, transaction]).toEqual([first, first]);
    for (const until of [unhurried, unbound]) {
      expect(until - before).toBeGreaterThanOrEqual(TIMEOUTS_MS.request);
      expect(until - now).toBeLessThanOrEqual(TIMEOUTS_MS.request);
    }
  });

  test('shares one secret of cursors with all others of its database', async () => {
    const { database, driver } = house();
    const [one, other] = [new Session(database, WHO, 'r-1'), new Session(database, operatorPrincipal(8), 'r-2')];
    expect(await one.cursorSecret()).toBe(await other.cursorSecret());
    expect(driver.calls).toHaveLength(1);
    expect(driver.calls[0]?.statement).toMatchObject({ name: 'secret.cursor', values: ['cursor'] });
  });
});
