import { describe, expect, onTestFinished, test } from 'vitest';
import { Database } from '../../database/database.ts';
import { Session } from '../../database/session.ts';
import { MAX_ID } from '../../entities/ids.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { cursorCodec } from '../../procedures/schemas/cursor.ts';
import { asOwner, database, ownerUrl, sql, tamper } from '../support/database/database.ts';
import { stubDriver } from '../support/database/stub-driver.ts';
import { runProgram } from '../support/servers/service-process.ts';
import { operator } from '../support/tenants/company.ts';

/** Far above the ids that other tests get. */
const ID_START = 50_000_000;
const CURSOR_SECRET = Buffer.alloc(32, 7);

/** Applies a setting for one test. */
function startIdsAt(companyIdStart: number): void {
  database.installation.configure({ companyIdStart });
  onTestFinished(() => database.installation.configure({ companyIdStart: 1 }));
}

const createId = async () => (await operator.company.create({ name: 'Acme' })).id;
const drawnNumbers = async () => Number((await sql<{ n: string }>('select last_value as n from company_id_seq'))[0]?.n);

describe('COMPANY_ID_START', () => {
  test('is the smallest id of a company, and ids ascend, also when requests create companies at the same time', async () => {
    const last = await createId();
    startIdsAt(ID_START);
    const ids = await Promise.all(Array.from({ length: 8 }, createId));
    expect(new Set(ids).size).toBe(8);
    expect(Math.min(...ids)).toBeGreaterThanOrEqual(ID_START);
    const next = await createId();
    expect(next).toBeGreaterThan(Math.max(...ids));
    startIdsAt(1);
    expect(await createId()).toBeGreaterThan(last);
  });

  test('skips ids of companies that came from another cell, and those of erased companies', async () => {
    startIdsAt(ID_START);
    const next = ID_START + (await drawnNumbers());
    await tamper(
      `insert into company (id, name) values (${next}, 'Moved'), (${next + 1}, 'Moved')`,
      `insert into erased_company (id, sequence, hash) values (${next + 2}, 1, repeat('0', 64))`,
    );
    onTestFinished(() =>
      tamper(
        `delete from company where id in (${next}, ${next + 1})`,
        `delete from erased_company where id = ${next + 2}`,
      ),
    );
    expect(await createId()).toBe(next + 3);
  });

  // The embedded database has one connection, so nothing else runs during a transaction.
  test.runIf(ownerUrl !== undefined)('skips the id of a company that arrives at the same moment', async () => {
    startIdsAt(ID_START);
    const next = ID_START + (await drawnNumbers());
    const creating = await asOwner(async (run) => {
      await run('set local session_replication_role = replica');
      await run(`insert into company (id, name) values (${next}, 'Moved')`);
      const pending = createId();
      await expect.poll(drawnNumbers).toBe(next + 1 - ID_START);
      return { pending };
    });
    onTestFinished(() => tamper(`delete from company where id = ${next}`));
    expect(await creating.pending).toBe(next + 1);
  });

  test('is named by the error if no id is left', async () => {
    await createId();
    startIdsAt(MAX_ID);
    await expect(operator.company.create({ name: 'Acme' })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: `COMPANY_ID_START: no id is left from ${MAX_ID} on`,
    });
  });
});

describe('CURSOR_SECRET', () => {
  /** List of one company in a cell whose database has this secret. */
  async function listIn(stored: number, cursorSecret?: Buffer) {
    const driver = stubDriver({ 'secret.cursor': () => [{ value: Buffer.alloc(32, stored) }] });
    const cell = new Database(driver);
    cell.installation.configure({ companyIdStart: 1, cursorSecret });
    return cursorCodec(new Session(cell, operatorPrincipal(7), 'test'), 'task.list', {});
  }

  test('makes the cursors of one cell valid in the other', async () => {
    const cursor = (await listIn(1, CURSOR_SECRET)).encode(['position']);
    const other = await listIn(2, CURSOR_SECRET);
    expect(other.decode(cursor)).toEqual(['position']);
    const withoutSetting = await listIn(2);
    expect(() => withoutSetting.decode(cursor)).toThrow('cursor');
  });

  test('keeps the cursors of the cell whose stored secret it is', async () => {
    const cursor = (await listIn(7)).encode(['position']);
    expect((await listIn(2, CURSOR_SECRET)).decode(cursor)).toEqual(['position']);
  });
});

describe('the command cell secrets', () => {
  const cellSecrets = (settings: Record<string, string>) => runProgram('cli/manage.ts', ['cell', 'secrets'], settings);

  test.runIf(ownerUrl !== undefined)('prints the stored secret as a setting, and nothing else', async () => {
    const [row] = await sql<{ secret: string }>(
      `select encode(value, 'base64') as secret from secret where name = 'cursor'`,
    );
    const printed = await cellSecrets({ MIGRATION_DATABASE_URL: ownerUrl ?? '' });
    expect(printed).toMatchObject({ code: 0, stdout: `CURSOR_SECRET=${row?.secret}\n`, stderr: '' });
  });

  test('says in one line that the setting is set, without its value', async () => {
    const settings = { MIGRATION_DATABASE_URL: ownerUrl ?? '', CURSOR_SECRET: CURSOR_SECRET.toString('base64') };
    const stderr = 'CURSOR_SECRET: is already set; use its value in the other cells\n';
    expect(await cellSecrets(settings)).toMatchObject({ code: 1, stdout: '', stderr });
  });

  test('says in one line that cells need PostgreSQL', async () => {
    const stderr = 'DATABASE_URL: required for cells, which need PostgreSQL\n';
    expect(await cellSecrets({})).toMatchObject({ code: 1, stdout: '', stderr });
  });

  test('names the setting in one line if no server is at the address', async () => {
    const failed = await cellSecrets({ MIGRATION_DATABASE_URL: 'postgresql://owner:secret@127.0.0.1:1/d' });
    expect(failed).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^MIGRATION_DATABASE_URL: (?!.*secret).*ECONNREFUSED[^\n]*\n$/),
    });
  });
});
