import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { databaseUrl } from '../support/database/database.ts';
import { startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import type { ServiceProcess } from '../support/servers/service-process.ts';
import { createCompany } from '../support/tenants/company.ts';
import { VENDORS } from '../support/tenants/imports.ts';
import type { ImportItem } from '../support/tenants/imports.ts';

const ROWS = 3000;
let service: ServiceProcess | undefined;
const start = async () =>
  (service = await startServiceProcess({ DATABASE_URL: databaseUrl ?? '', OPERATOR_TOKEN: 'x'.repeat(40) }));
afterAll(async () => {
  if (service !== undefined) await stopServiceProcess(service);
});

// Needs a database that outlives the killed process.
describe.runIf(databaseUrl !== undefined)('an import whose process is killed', () => {
  test.for(['', '&strict=true'])(
    'continues after a restart, and every row is applied once %s',
    { timeout: 240_000 },
    async (query) => {
      const acme = await createCompany();
      let { url } = await start();
      const body = `externalId,name\r\n${Array.from({ length: ROWS }, (_, index) => `${index},V${index}\r\n`).join('')}`;
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
        if (service !== undefined) await stopServiceProcess(service, 'SIGKILL');
        ({ url } = await start());
      }
      expect(await waitFor(Infinity)).toMatchObject({ state: 'done', rows: ROWS, created: ROWS, failed: 0 });
      if (service !== undefined) await stopServiceProcess(service);
      const creations = (await acme.events()).filter(({ action }) => action === 'vendor.create');
      expect(creations.map(({ changes }) => changes['name'])).toEqual(
        Array.from({ length: ROWS }, (_, index) => `V${index}`),
      );
    },
  );
});
