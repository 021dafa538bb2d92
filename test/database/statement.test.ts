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
import { OPERATOR } from '../../entities/company/user.ts';
import { exportedStatements } from '../support/database/statements.ts';
import { stubDriver } from '../support/database/stub-driver.ts';

// Statements and session settings, without a database. Tests in test/tenancy/ test the same on a database.

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

  test('takes the values of the principal only from the session', () => {
    const all = defineStatement<object, never>(
      'x',
      ({ company, user, key, keyFrameworks, request }) => `${company} ${user} ${key} ${keyFrameworks} ${request}`,
    );
    const forged = { company: 8, user: 'u-2', key: 'k-2', keyFrameworks: null, request: 'r-2' };
    expect(all.values(SETTINGS, forged)).toEqual([7, 'u-1', 'k-1', [5], 'r-1']);
    const withoutPrincipal = { company: null, user: null, key: null, keyFrameworks: null, request: null };
    expect(all.values(withoutPrincipal, forged)).toEqual([null, null, null, null, null]);
  });

  test('has the row scope of one company by default', () => {
    const lockKey = ({ id }: { id: string }) => id;
    expect(defineStatement('x', SQL)).toMatchObject({ rowScope: 'company' });
    expect(defineStatement('x', SQL)).not.toHaveProperty('readOnly');
    expect(readStatement('x', SQL)).toMatchObject({ name: 'x', rowScope: 'company', readOnly: true });
    expect(readStatement('x', SQL)).not.toHaveProperty('pipelined');
    expect(pipelinedRead('x', SQL)).toMatchObject({ name: 'x', rowScope: 'company', readOnly: true, pipelined: true });
    expect(batchedWrite('x', SQL, lockKey)).toMatchObject({ name: 'x', rowScope: 'company', lockKey });
    expect(batchedWrite('x', SQL, lockKey)).not.toHaveProperty('readOnly');
    for (const define of [defineStatement, readStatement, pipelinedRead]) {
      expect(define('x', SQL, 'all companies')).toMatchObject({
        rowScope: 'all companies',
        text: defineStatement('x', SQL).text,
      });
    }
  });
});

describe('the session settings of a statement', () => {
  const settings = (bound: ReturnType<typeof bind>['settings']) => {
    const names = [...(bound?.text.matchAll(/set_config\('([\w.]+)', \$(\d), true\)/g) ?? [])];
    // Each setting has a value, so none keeps an earlier one.
    expect(bound?.values).toHaveLength(names.length);
    return Object.fromEntries(names.map(([, name = '', place]) => [name, bound?.values[Number(place) - 1]]));
  };

  test('contain only the company for a read', () => {
    const { settings: bound } = bind(readStatement<object, never>('x', 'select 1'), {}, SETTINGS);
    expect(settings(bound)).toEqual({ 'app.company': '7' });
    expect(bound?.name).toBe('settings.company');
  });

  test('contain the company, user, key and request for a write', () => {
    const { settings: bound } = bind(defineStatement<object, never>('x', 'select 1'), {}, SETTINGS);
    expect(settings(bound)).toEqual({ 'app.company': '7', 'app.user': 'u-1', 'app.key': 'k-1', 'app.request': 'r-1' });
    expect(bound?.name).toBe('settings.principal');
  });

  test('are empty without a principal, so they overwrite earlier settings', () => {
    const none = { 'app.company': '', 'app.user': '', 'app.key': '', 'app.request': '' };
    const write = defineStatement<object, never>('x', 'select 1');
    expect(settings(bind(write, {}, {}).settings)).toEqual(none);
    const others = { company: null, user: undefined, key: {}, request: ['r'] };
    expect(settings(bind(write, {}, others).settings)).toEqual(none);
    expect(settings(bind(readStatement<object, never>('x', 'select 1'), {}, {}).settings)).toEqual({
      'app.company': '',
    });
  });

  test('contain all companies for this row scope, for any principal', () => {
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

test('a bound statement has its values, and its lock key if it is batched', () => {
  const write = batchedWrite<{ id: string }, never>(
    'x',
    ({ id }) => `update x set a = ${id}`,
    ({ id }) => `x ${id}`,
  );
  expect(bind(write, { id: 'i' }, SETTINGS)).toMatchObject({
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
  const PRINCIPAL: Principal = {
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

  function createDatabase() {
    const driver = stubDriver({
      all: () => [{ one: 1 }, { one: 2 }],
      none: () => [],
      'secret.cursor': () => [{ value: Buffer.from('s') }],
    });
    const database = new Database(driver);
    const last = () => driver.calls.at(-1) ?? expect.fail('no statement was run');
    return { driver, database, last };
  }

  test('runs a statement as its principal, independent of names in the input', async () => {
    const { database, last } = createDatabase();
    const session = new Session(database, PRINCIPAL, 'r-1');
    expect(await session.run(ALL, FORGED)).toEqual([{ one: 1 }, { one: 2 }]);
    expect(last().statement.values).toEqual([7, 'u-1', 'k-1', [5], 'r-1']);
    expect(last().statement.settings?.values).toEqual(['7', 'u-1', 'k-1', 'r-1']);
    expect(session.hasPrincipal()).toBe(true);
  });

  test('acts as the operator of a company, without a key', async () => {
    const { database, last } = createDatabase();
    const withoutPrincipal = new Session(database, null, 'r-1');
    await withoutPrincipal.asOperator(9).run(ALL, FORGED);
    expect(last().statement.values).toEqual([9, OPERATOR.uniqueId, null, null, 'r-1']);
    expect(last().statement.settings?.values).toEqual(['9', OPERATOR.uniqueId, '', 'r-1']);
    expect(withoutPrincipal.asOperator(9).principal).toEqual(operatorPrincipal(9));
  });

  test('without a principal has no company', async () => {
    const { database, last } = createDatabase();
    const withoutPrincipal = new Session(database, null, 'r-1');
    await withoutPrincipal.run(ALL, FORGED);
    expect(last().statement.values).toEqual([null, null, null, null, 'r-1']);
    expect(last().statement.settings?.values).toEqual(['', '', '', 'r-1']);
    expect(withoutPrincipal.hasPrincipal()).toBe(false);
  });

  test('keeps its principal in a transaction and without a deadline', async () => {
    const { database, driver, last } = createDatabase();
    const session = new Session(database, PRINCIPAL, 'r-1', { timeoutMs: 1000 });
    const rows = await session.transaction(async (inside) => {
      expect(inside.principal).toBe(PRINCIPAL);
      await expect(inside.unitOfWork()).rejects.toThrow('unit of work: not supported inside a transaction');
      return inside.run(ALL, FORGED);
    });
    expect(rows).toHaveLength(2);
    expect(last().statement.values).toEqual([7, 'u-1', 'k-1', [5], 'r-1']);
    await session.withoutDeadline().run(ALL, FORGED);
    expect(last().statement.values).toEqual([7, 'u-1', 'k-1', [5], 'r-1']);
    expect(session.withoutDeadline().principal).toBe(PRINCIPAL);
    expect(driver.calls).toHaveLength(2);
  });

  test('stays in its transaction without a deadline and as the operator', async () => {
    const { driver } = createDatabase();
    const within: string[] = [];
    const database = new Database({
      ...driver,
      transaction: (work, options) =>
        work((bound) => {
          within.push(bound.name);
          return driver.run(bound, { ...options, write: true });
        }),
    });
    await new Session(database, PRINCIPAL, 'r-1').transaction(async (inside) => {
      for (const one of [inside, inside.withoutDeadline(), inside.asOperator(9)]) await one.run(ALL, {});
    });
    expect(within).toEqual(['all', 'all', 'all']);
  });

  test('returns the first row, or fails without one', async () => {
    const session = new Session(createDatabase().database, PRINCIPAL, 'r-1');
    expect([await session.first(ALL, {}), await session.first(NONE, {})]).toEqual([{ one: 1 }, undefined]);
    expect(await session.one(ALL, {})).toEqual({ one: 1 });
    await expect(session.one(NONE, {})).rejects.toThrow('none: returned no row');
  });

  test('has one deadline for all statements from the first on; without it each has a separate one', async () => {
    const { database, driver } = createDatabase();
    const session = new Session(database, PRINCIPAL, 'r-1', { timeoutMs: 1000 });
    const before = performance.now();
    for (const one of [
      session,
      session,
      session.asOperator(9),
      session.withoutDeadline(),
      new Session(database, PRINCIPAL, 'r'),
    ]) {
      await one.run(ALL, {});
    }
    await session.transaction((inside) => inside.run(ALL, {}));
    const [first = 0, second, operators = 0, withoutDeadline = 0, unbound = 0, transaction] = driver.calls.map(
      ({ deadline: until }) => until,
    );
    const now = performance.now();
    for (const until of [first, operators]) {
      expect(until - before).toBeGreaterThanOrEqual(1000);
      expect(until - now).toBeLessThanOrEqual(1000);
    }
    expect([second, transaction]).toEqual([first, first]);
    for (const until of [withoutDeadline, unbound]) {
      expect(until - before).toBeGreaterThanOrEqual(TIMEOUTS_MS.request);
      expect(until - now).toBeLessThanOrEqual(TIMEOUTS_MS.request);
    }
  });

  test('shares one cursor secret with all sessions of its database', async () => {
    const { database, driver } = createDatabase();
    const [one, other] = [new Session(database, PRINCIPAL, 'r-1'), new Session(database, operatorPrincipal(8), 'r-2')];
    expect(await one.installation.cursorSecret()).toBe(await other.installation.cursorSecret());
    expect(driver.calls).toHaveLength(1);
    expect(driver.calls[0]?.statement).toMatchObject({ name: 'secret.cursor', values: ['cursor'] });
  });
});

test('no two statements have the same name, because a connection prepares each name once', async () => {
  const textsByName = await exportedStatements();
  expect(textsByName.size).toBeGreaterThan(100);
  expect([...textsByName].filter(([, texts]) => texts.size > 1).map(([name]) => name)).toEqual([]);
});
