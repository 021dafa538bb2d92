import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { ownerUrl } from '../support/database/database.ts';
import { createMigratedDatabase } from '../support/database/migrated-database.ts';
import { startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import type { ServiceProcess } from '../support/servers/service-process.ts';
import { createCompanyIn } from '../support/tenants/company-in-database.ts';
import { VENDORS } from '../support/tenants/imports.ts';
import type { ImportItem } from '../support/tenants/imports.ts';

const ROWS = 3000;
// Needs a database that outlives the killed process, and that no other test uses.
describe.runIf(ownerUrl !== undefined)('an import whose process is killed', () => {
  let scratch: Awaited<ReturnType<typeof createMigratedDatabase>>;
  let service: ServiceProcess | undefined;
  let acme: Awaited<ReturnType<typeof createCompanyIn>>;
  let requirementKey: string;
  const start = async () =>
    (service = await startServiceProcess({
      DATABASE_URL: scratch.serviceUrl,
      MIGRATION_DATABASE_URL: scratch.url,
      OPERATOR_TOKEN: 'x'.repeat(40),
    }));
  const stop = async (signal: NodeJS.Signals) => {
    if (service !== undefined) await stopServiceProcess(service, signal);
    service = undefined;
  };
  beforeAll(async () => {
    scratch = await createMigratedDatabase(ownerUrl ?? '');
    await start();
    const database = await openPostgreSql(scratch.serviceUrl);
    acme = await createCompanyIn(database);
    const scopes = ['task:read', 'requirement:write'] as const;
    ({ key: requirementKey } = await acme.manage.apiKey.create({ name: 'Requirements', scopes: [...scopes] }));
    await database.close();
  });
  afterAll(async () => {
    await stop('SIGKILL');
    await scratch.drop();
  });

  /** Names in the events of created vendors, in the order of the events. */
  const createdNames = async () => {
    const client = new Client({ connectionString: scratch.url });
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      `select changes ->> 'name' as name from audit_event where action = 'vendor.create' order by id`,
    );
    await client.end();
    return rows.map(({ name }) => name);
  };

  test.for(['', '&strict=true'])(
    'continues after a restart, and every row is applied once %s',
    { timeout: 240_000 },
    async (query) => {
      let { url } = service ?? (await start());
      const prefix = query === '' ? 'V' : 'S';
      const before = (await createdNames()).length;
      const body = `externalId,name\r\n${Array.from({ length: ROWS }, (_, index) => `${prefix}${index},${prefix}${index}\r\n`).join('')}`;
      const accepted = await fetch(`${url}${VENDORS}/import?source=erp${query}`, {
        method: 'POST',
        headers: { 'X-API-Key': acme.key, 'Content-Type': 'text/csv' },
        body,
      });
      expect(accepted.status).toBe(202);
      const path = String(accepted.headers.get('location'));
      const read = async () => {
        const response = await fetch(url + path, { headers: { 'X-API-Key': acme.key } });
        return (await response.json()) as ImportItem;
      };
      /** Waits until the import has applied this number of rows or has ended. */
      const waitFor = async (rows: number) => {
        for (;;) {
          const item = await read();
          if (item.created >= rows || !['queued', 'running'].includes(item.state)) return item;
          await wait(5);
        }
      };
      for (const rows of [1, ROWS / 2]) {
        expect(await waitFor(rows)).toMatchObject({ state: 'running' });
        await stop('SIGKILL');
        ({ url } = await start());
      }
      expect(await waitFor(Infinity)).toMatchObject({ state: 'done', rows: ROWS, created: ROWS, failed: 0 });
      expect((await createdNames()).slice(before)).toEqual(
        Array.from({ length: ROWS }, (_, index) => `${prefix}${index}`),
      );
    },
  );

  test.for(['', '?strict=true'])(
    'applies requirements that wait for their parents once %s',
    { timeout: 240_000 },
    async (query) => {
      let { url } = service ?? (await start());
      const headers = { 'X-API-Key': requirementKey, 'Content-Type': 'text/csv' };
      const prefix = query === '' ? 'W' : 'S';
      const level = (name: string, above: string) =>
        Array.from(
          { length: ROWS / 10 },
          (_, index) => `${prefix}${name}${index},Title,${above && `${prefix}${above}${index}`}`,
        );
      // Each level stands before the one above it, so that the file is read three times.
      const rows = [...level('c', 'b'), ...level('b', 'a'), ...level('a', '')];
      const accepted = await fetch(`${url}/external/framework/${acme.framework}/requirement/import${query}`, {
        method: 'POST',
        headers,
        body: ['ref,title,parentRef', ...rows, ''].join('\r\n'),
      });
      expect(accepted.status).toBe(202);
      const path = String(accepted.headers.get('location'));
      const waitFor = async (created: number) => {
        for (;;) {
          const item = (await (await fetch(url + path, { headers })).json()) as ImportItem;
          if (item.created >= created || !['queued', 'running'].includes(item.state)) return item;
          await wait(5);
        }
      };
      for (const part of [0.1, 0.4, 0.5, 0.8]) {
        expect(await waitFor(Math.ceil(part * rows.length))).toMatchObject({ state: 'running' });
        await stop('SIGKILL');
        ({ url } = await start());
      }
      expect(await waitFor(Infinity)).toMatchObject({ state: 'done', created: rows.length, updated: 0, failed: 0 });
      const client = new Client({ connectionString: scratch.url });
      await client.connect();
      const { rows: facts } = await client.query<{ total: number; inOrder: number; once: number; below: number }>(
        `select count(*)::int as total, count(distinct position)::int as "inOrder", count(*) filter (where version = 1)::int as once,
        count(parent)::int as below from requirement where ref like '${prefix}%'`,
      );
      await client.end();
      const total = rows.length;
      expect(facts).toEqual([{ total, inOrder: total, once: total, below: (total * 2) / 3 }]);
    },
  );

  test('and an undo that is killed 20 times undoes every change once', { timeout: 400_000 }, async () => {
    let { url } = service ?? (await start());
    const send = (method: string, path: string, body?: string) =>
      fetch(url + path, {
        method,
        headers: { 'X-API-Key': acme.key, 'Content-Type': 'text/csv' },
        ...(body && { body }),
      });
    const read = async (path: string) => (await (await send('GET', path)).json()) as ImportItem;
    /** Waits until the import has undone or applied this number of objects, or has ended. */
    const waitFor = async (path: string, done: number) => {
      for (;;) {
        const item = await read(path);
        const { created, updated, deleted, state } = item;
        if (created + updated + deleted >= done || !['queued', 'running'].includes(state)) return item;
        await wait(5);
      }
    };
    const importRows = async (rows: readonly string[]) => {
      const body = ['externalId,name', ...rows, ''].join('\r\n');
      const accepted = await send('POST', `${VENDORS}/import?source=undo`, body);
      const path = String(accepted.headers.get('location'));
      expect(await waitFor(path, Infinity)).toMatchObject({ state: 'done', failed: 0 });
      return path;
    };
    const rows = (from: number, prefix: string) =>
      Array.from({ length: ROWS / 2 }, (_, index) => `U${from + index},${prefix}${from + index}`);
    await importRows(rows(0, 'Old '));
    const path = await importRows([...rows(0, 'New '), ...rows(ROWS / 2, 'New ')]);
    const undo = await send('POST', path.replace('/item', '/undo'));
    expect(undo.status).toBe(202);
    const undoPath = String(undo.headers.get('location'));
    const kills = 20;
    for (let kill = 1; kill <= kills; kill++) {
      expect(await waitFor(undoPath, Math.floor((kill * ROWS) / (kills + 10)))).toMatchObject({ state: 'running' });
      await stop('SIGKILL');
      ({ url } = await start());
    }
    const undone = await waitFor(undoPath, Infinity);
    expect(undone).toMatchObject({ state: 'done', deleted: ROWS / 2, updated: ROWS / 2, skipped: 0 });
    const client = new Client({ connectionString: scratch.url });
    await client.connect();
    const { rows: events } = await client.query<{ action: string; times: number; objects: number }>(
      `select e.action, count(*)::int as times, count(distinct e.resource_id)::int as objects from audit_event e
      where e.resource_id in (select x.resource_id from audit_event x
        where x.action = 'vendor.create' and x.changes ->> 'name' ~ '^(Old|New) ')
      group by 1 order by 1`,
    );
    const { rows: names } = await client.query<{ old: number; wrong: number; reserved: number }>(
      `select count(*) filter (where name like 'Old %' and version = 3)::int as old,
        count(*) filter (where name like 'New %')::int as wrong,
        (select count(*)::int from external_id where source = 'undo') as reserved from vendor`,
    );
    await client.end();
    const half = ROWS / 2;
    expect(names).toEqual([{ old: half, wrong: 0, reserved: half }]);
    expect(events.map(({ action, times, objects }) => [action, times, objects])).toEqual([
      ['vendor.create', ROWS, ROWS],
      ['vendor.delete', half, half],
      ['vendor.update', ROWS, half],
    ]);
  });
});
