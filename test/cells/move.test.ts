import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { abortMove, moveCompany } from '../../cli/move.ts';
import type { Cell } from '../../cli/move.ts';
import { movePlan } from '../../database/move.ts';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { sqlOn } from '../support/database/client.ts';
import type { RunSql } from '../support/database/client.ts';
import { databaseUrl, sql } from '../support/database/database.ts';
import { cellAt, startOtherCell } from '../support/cells/cell.ts';
import { startServer, url as ownUrl } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { createWithEverything } from '../support/fixtures/everything.ts';

const VENDORS = '/external/smart-inventory/vendor';

describe.runIf(databaseUrl !== undefined)('a move between two cells (PostgreSQL only)', () => {
  let other: Awaited<ReturnType<typeof startOtherCell>>;
  let otherSql: RunSql;
  let owner: Client;

  beforeAll(async () => {
    other = await startOtherCell(String(process.env['DATABASE_URL']));
    owner = new Client({ connectionString: other.ownerUrl, options: '-c timezone=UTC' });
    await owner.connect();
    otherSql = sqlOn(owner);
  });
  afterAll(() => owner.end());

  const source = (company: { id: number }) => cellAt(ownUrl, company);
  const target = (company: { id: number }) => cellAt(other.url, company);

  /** Rows of a company by table, without those of sessions. */
  async function contentOf(run: RunSql, { id }: { id: number }): Promise<Record<string, unknown[]>> {
    const content: Record<string, unknown[]> = {};
    for (const { name } of await movePlan()) {
      const rows = await run<{ row: string }>(
        `select (to_jsonb(t) - 'store' - 'last_used_at' - 'candidate' - 'candidate_xid' - 'watermark' - 'vendors_seq')::text as row
        from ${name} t where company_id = $1 order by 1`,
        id,
      );
      content[name] = rows.map(({ row }) => row);
    }
    return content;
  }

  /** Sends a request with the key of a company to a cell. */
  const call = (url: string, { key }: { key: string }, path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, {
      ...init,
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json', ...Object(init.headers) },
    });
  const createVendor = (url: string, company: { key: string }, name: string) =>
    call(url, company, `${VENDORS}/new`, { method: 'POST', body: JSON.stringify({ name }) });

  describe('of a company with rows in every table', () => {
    test('copies every row and file, and the company continues with its ids, versions, entity tags, keys and chain', async () => {
      const company = await createWithEverything('Everything');
      const before = await contentOf(sql, company);
      for (const [name, rows] of Object.entries(before))
        expect(`${name}: ${Math.min(1, rows.length)}`).toBe(`${name}: 1`);
      const { vendors } = await call(ownUrl, company, `${VENDORS}/list`)
        .then((response) => response.json())
        .then((list) => ({ vendors: list }));
      const [earlier] = await sql<{ key: string }>(
        `insert into signing_key (key_id, public_key) values (repeat('k', 43), repeat('p', 43))
         on conflict (key_id) do update set public_key = excluded.public_key returning key_id as key`,
      );
      const moved = await moveCompany(source(company), target(company), company.id);
      // Checkpoints and proofs that an earlier key has signed can be checked in the new cell too.
      expect(await otherSql('select key_id as key from signing_key')).toContainEqual(earlier);
      expect(moved.rows).toMatchObject({
        task: before['task']?.length,
        audit_event: (before['audit_event']?.length ?? 0) + 1,
      });
      const after = await contentOf(otherSql, company);
      const { audit_event: events = [], audit_seal: seals = [], file, ...rest } = after;
      const { audit_event: eventsBefore = [], audit_seal: sealsBefore = [], file: filesBefore, ...restBefore } = before;
      expect(rest).toEqual(restBefore);
      expect(file).toEqual(filesBefore);
      expect(events).toEqual(expect.arrayContaining(eventsBefore));
      expect(seals).toEqual(expect.arrayContaining(sealsBefore));
      expect(await call(other.url, company, `${VENDORS}/list`).then((response) => response.json())).toEqual(vendors);
      const [{ ids } = { ids: 0 }] = await otherSql<{ ids: number }>(
        'select max(id)::float8 as ids from audit_event where company_id = $1',
        company.id,
      );
      expect((await createVendor(other.url, company, 'After the move')).status).toBe(201);
      const added = await otherSql<{ id: number }>(
        'select id::float8 as id from audit_event where company_id = $1 order by id desc limit 1',
        company.id,
      );
      expect(added[0]?.id).toBeGreaterThan(ids);
      const verified = await target(company).call('company.moveRecord', { id: company.id });
      expect(verified).toMatchObject({ state: 'serving', mayWrite: 'this cell' });
      expect(await source(company).call('company.moveRecord', { id: company.id })).toMatchObject({
        state: 'ended',
        mayWrite: 'the other cell',
      });
    });
  });

  describe('that is cut at a step', () => {
    /** A cell that fails at the first call of a procedure: before the request arrives, or after its response is lost. */
    function cutAt(cell: Cell, procedure: string, when: 'request' | 'response'): Cell {
      let isCut = false;
      return {
        ...cell,
        call: async (name, input) => {
          const cuts = !isCut && name === procedure;
          isCut ||= cuts;
          if (cuts && when === 'request') throw new Error('cut');
          const result = await cell.call(name, input);
          if (cuts) throw new Error('cut');
          return result;
        },
      };
    }

    /** True if a cell accepts a write with the key. */
    const isWritable = async (url: string, company: { key: string }) =>
      (await createVendor(url, company, 'Probe')).status === 201;

    const STEPS: ['source' | 'target', string][] = [
      ['source', 'company.moveBegin'],
      ['source', 'company.freeze'],
      ['source', 'company.moveReady'],
      ['target', 'company.arrivalBegin'],
      ['source', 'company.moveRead'],
      ['target', 'company.arrivalRows'],
      ['source', 'company.movePeople'],
      ['target', 'company.arrivalPeople'],
      ['source', 'company.moveSum'],
      ['target', 'company.arrivalFiles'],
      ['target', 'company.arrivalComplete'],
      ['source', 'company.moveSwitch'],
      ['target', 'company.arrivalEnd'],
      ['source', 'company.moveEnd'],
    ];

    for (const [side, procedure] of STEPS)
      for (const lost of ['request', 'response'] as const)
        test(`of ${procedure} by a lost ${lost} never lets both cells write, and can be run again or given up`, async () => {
          const company = await createCompany(`${procedure} ${lost}`);
          await createMember(company);
          await createVendor(ownUrl, company, 'Before the move');
          const [from, to] = [source(company), target(company)];
          const cells = side === 'source' ? [cutAt(from, procedure, lost), to] : [from, cutAt(to, procedure, lost)];
          const [cutSource = from, cutTarget = to] = cells;
          await expect(moveCompany(cutSource, cutTarget, company.id)).rejects.toThrow('cut');
          const writable = [await isWritable(ownUrl, company), await isWritable(other.url, company)];
          expect(writable).not.toEqual([true, true]);
          const isSwitched =
            ['company.arrivalEnd', 'company.moveEnd'].includes(procedure) ||
            (procedure === 'company.moveSwitch' && lost === 'response');
          if (isSwitched) {
            await expect(abortMove(from, company.id, () => to)).rejects.toThrow(/was switched/);
          } else {
            // A failed freeze gives the move up by itself.
            const isUndone = procedure === 'company.moveBegin' || procedure === 'company.freeze';
            expect(writable).toEqual([isUndone, false]);
            // After a lost response the move is run again as it is.
            if (lost === 'request' && !isUndone) {
              await abortMove(from, company.id, () => to);
              expect([await isWritable(ownUrl, company), await isWritable(other.url, company)]).toEqual([true, false]);
              expect(await otherSql('select id from company where id = $1', company.id)).toEqual([]);
            }
          }
          await moveCompany(from, to, company.id);
          expect([await isWritable(ownUrl, company), await isWritable(other.url, company)]).toEqual([false, true]);
        });
  });

  test('shows no row and no person of a company that is not being moved away', async () => {
    const company = await createCompany('Stays');
    const { id } = company;
    for (const [step, input] of [
      ['moveRead', { table: 'vendor', after: null, rows: 1 }],
      ['movePeople', { after: null }],
      ['moveSum', { table: 'vendor' }],
    ] as const)
      await expect(source(company).call(`company.${step}`, { id, ...input })).rejects.toThrow(
        /is not being moved away/,
      );
  });

  describe('is rejected before anything is frozen', () => {
    const isFrozen = async ({ id }: { id: number }) =>
      sql<{ frozen: boolean }>('select frozen_at is not null as frozen from company where id = $1', id);

    test('to the same cell', async () => {
      const company = await createCompany('Same cell');
      await expect(moveCompany(source(company), source(company), company.id)).rejects.toThrow(/^--to: is the cell/);
      expect(await isFrozen(company)).toEqual([{ frozen: false }]);
    });

    test('to a cell that has another company with the id', async () => {
      const company = await createCompany('Occupied');
      await owner.query('begin');
      await owner.query(
        `select set_config('app.company', $1, true), set_config('app.user', '00000000-0000-7000-8000-000000000001', true)`,
        [String(company.id)],
      );
      await owner.query('set local session_replication_role = replica');
      await owner.query(`insert into company (id, name) values ($1, 'Other')`, [company.id]);
      await owner.query('commit');
      await expect(moveCompany(source(company), target(company), company.id)).rejects.toThrow(
        /^company: that cell has/,
      );
      expect(await isFrozen(company)).toEqual([{ frozen: false }]);
    });

    test.each([
      ['secret of cursors', `update secret set value = sha256('x') where name = 'cursor'`, /^CURSOR_SECRET: differs/],
      ['version of the data', `update data_version set data = '9.9.9'`, /^--to: has data of version 9\.9\.9/],
    ])('to a cell with another %s', async (_, change, message) => {
      const company = await createCompany('Rejected');
      const [secret] = await otherSql<{ value: string }>(
        `select encode(value, 'hex') as value from secret where name = 'cursor'`,
      );
      const [version] = await otherSql<{ data: string }>('select data from data_version');
      await owner.query(change);
      const strange = await openPostgreSql(other.ownerUrl);
      try {
        const cell = cellAt(await startServer(strange), company);
        await expect(moveCompany(source(company), cell, company.id)).rejects.toThrow(message);
        expect(await isFrozen(company)).toEqual([{ frozen: false }]);
      } finally {
        await owner.query(`update secret set value = decode($1, 'hex') where name = 'cursor'`, [secret?.value]);
        await owner.query('update data_version set data = $1', [version?.data]);
        await strange.close();
      }
    });
  });
});
