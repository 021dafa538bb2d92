import { describe, expect } from 'vitest';
import { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { bookkeepingWrite, defineStatement, readStatement } from '../../entities/statements/define-statement.ts';
import { test } from '../support/fixtures/test.ts';
import { database } from '../support/database/database.ts';
import { stubDriver } from '../support/database/stub-driver.ts';

const write = defineStatement('test.write', 'update vendor');
const failingWrite = defineStatement('test.fail', 'update nothing');
const bookkeeping = bookkeepingWrite('test.bookkeeping', 'update webhook_delivery');
const read = readStatement('test.read', 'select');

/** A database without rows, and sessions of companies on it. */
function createSessions() {
  const none = () => [];
  const stub = new Database(
    stubDriver({ [write.name]: none, [bookkeeping.name]: none, [read.name]: none, ready: none }),
  );
  const session = (company: number) => new Session(stub, operatorPrincipal(company), 'test');
  return { session, changed: stub.changedCompanies, root: new Session(stub, null, 'test') };
}

describe('a company is changed after', () => {
  test('a write of it, and not after a read, bookkeeping, a failure or a write without a company', async () => {
    const { session, changed, root } = createSessions();
    await session(1).run(read, {});
    await session(2).run(bookkeeping, {});
    await expect(session(3).run(failingWrite, {})).rejects.toThrow('no rows');
    await root.run(write, {});
    expect(changed.take()).toEqual([]);
    await session(4).run(write, {});
    await session(5).run(write, {});
    await session(4).run(write, {});
    expect(changed.take()).toEqual([4, 5]);
    expect(changed.take()).toEqual([]);
  });

  test('the commit of a transaction, and not before it or after a rollback', async () => {
    const { session, changed } = createSessions();
    await session(1).transaction(async (inside) => {
      await inside.run(write, {});
      await inside.actingAs(operatorPrincipal(2)).run(write, {});
      expect(changed.take()).toEqual([]);
    });
    expect(changed.take()).toEqual([1, 2]);
    const rolledBack = session(3).transaction(async (inside) => {
      await inside.run(write, {});
      await inside.run(failingWrite, {});
    });
    await expect(rolledBack).rejects.toThrow('no rows');
    await session(4).transaction((inside) => inside.run(read, {}));
    expect(changed.take()).toEqual([]);
  });

  test('a unit of work', async ({ acme }) => {
    database.changedCompanies.take();
    await acme.manage.framework.create({ name: 'SOC 2' });
    expect(database.changedCompanies.take()).toEqual([acme.id]);
  });

  test('the call of next, or before it', async () => {
    const { session, changed } = createSessions();
    const first = changed.next();
    await session(1).run(write, {});
    await first;
    await changed.next();
    changed.take();
    const second = changed.next();
    await session(2).run(write, {});
    await second;
    expect(changed.take()).toEqual([2]);
  });
});
