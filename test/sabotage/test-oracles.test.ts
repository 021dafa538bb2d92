import { hash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../server/app.ts';
import { HttpServer } from '../../server/http/server.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { LoadGenerator, createTargetCompany } from '../faults/workload/load.ts';
import { checkConsistency } from '../faults/checks/oracle.ts';
import { takeSnapshot } from '../faults/checks/snapshot.ts';
import type { Snapshot } from '../faults/checks/snapshot.ts';
import { OperationLog, finalOutcome, readOperationLog } from '../faults/workload/operation-log.ts';
import type { Operation } from '../faults/workload/operation-log.ts';
import { closeConnections } from '../fuzz/service/http-client.ts';
import { createMarkedCompany } from '../fuzz/service/companies.ts';
import { modelSuite } from '../fuzz/suites/model.ts';
import { Oracle, requireNoForeignMarkers } from '../fuzz/runner/oracle.ts';
import { OPERATOR_TOKEN as SUITES_TOKEN } from '../fuzz/service/service.ts';
import type { Service } from '../fuzz/service/service.ts';
import { OPERATOR_TOKEN } from '../support/tenants/company.ts';
import { database, databaseUrl, sql, tamper } from '../support/database/database.ts';
import { url } from '../support/http/server.ts';

// `npm run test:faults` and `npm run test:fuzz` take minutes. Here their oracles are shown to see what they are for.

describe('what clients have seen, compared with what is stored,', () => {
  let folder: string;
  let told: Operation[];
  let stored: Snapshot;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'oracle-'));
    const companies = [await createTargetCompany(url, OPERATOR_TOKEN), await createTargetCompany(url, OPERATOR_TOKEN)];
    const witness = await OperationLog.open(join(folder, 'operations.jsonl'));
    const load = new LoadGenerator({
      url: () => url,
      operationLog: witness,
      companies,
      clients: 4,
      seed: 1,
      name: 'smoke',
    });
    await load.waitForWrites(60);
    await load.stop();
    await witness.close();
    told = await readOperationLog(witness.file);
    stored = await takeSnapshot(
      (text, values) => sql(text, ...values),
      companies.map(({ id }) => id),
    );
  });
  afterAll(() => rm(folder, { recursive: true }));

  const kindsOf = (witness: readonly Operation[], snapshot: Snapshot) => [
    ...new Set(checkConsistency(witness, snapshot, true).map(({ kind }) => kind)),
  ];
  /** A request of a kind that was acknowledged, and nothing came after it. */
  const last = (does: string, type: string) => {
    const found = told.findLast(
      (one) => one.request.action === does && one.request.resourceType === type && finalOutcome(one) === 'acknowledged',
    );
    if (found === undefined) throw new Error(`nobody did ${does} a ${type}`);
    return found;
  };
  const idOf = ({ request: sent, attempts: came }: Operation) => came[0]?.resource ?? sent.resource;

  test('is in order where nothing went wrong', () => {
    expect(checkConsistency(told, stored, true)).toEqual([]);
    expect(stored.tasks.length).toBeGreaterThan(3);
  });

  const plants: [string, string, () => [readonly Operation[], Snapshot]][] = [
    [
      'a change that was acknowledged and is stored nowhere',
      'lost',
      () => {
        const id = idOf(last('create', 'vendor'));
        const isOther = (row: { unique_id: string }) => row.unique_id !== id;
        const events = stored.events.filter((event) => event.resource_id !== id);
        return [told, { ...stored, vendors: stored.vendors.filter(isOther), events }];
      },
    ],
    [
      'a row without its event',
      'inconsistent',
      () => {
        const id = idOf(last('create', 'task'));
        return [told, { ...stored, events: stored.events.filter((event) => event.resource_id !== id) }];
      },
    ],
    [
      'an event without its row',
      'lost',
      () => {
        const id = idOf(last('create', 'vendor'));
        return [told, { ...stored, vendors: stored.vendors.filter((row) => row.unique_id !== id) }];
      },
    ],
    [
      'a change that was made twice',
      'inconsistent',
      () => {
        const again = stored.events.find(({ request_id }) =>
          request_id.startsWith(last('update', 'vendor').request.operationId),
        );
        return [told, { ...stored, events: again ? [...stored.events, again] : [] }];
      },
    ],
    [
      'a row that is not what its events made it',
      'inconsistent',
      () => [told, { ...stored, tasks: stored.tasks.map((row) => ({ ...row, title: 'Other' })) }],
    ],
    [
      'a version that is not the number of changes',
      'inconsistent',
      () => [told, { ...stored, vendors: stored.vendors.map((row) => ({ ...row, version: row.version + 1 })) }],
    ],
    [
      'a count that is not that of the tasks',
      'inconsistent',
      () => [told, { ...stored, taskCounts: stored.taskCounts.map((one) => ({ ...one, tasks: one.tasks - 1 })) }],
    ],
    [
      'an answer that is not remembered with its change',
      'inconsistent',
      () => {
        const { operationId: op } = told.find(
          (one) => one.request.hasIdempotencyKey && finalOutcome(one) === 'acknowledged',
        )?.request ?? { operationId: '' };
        return [
          told,
          {
            ...stored,
            idempotencyRecords: stored.idempotencyRecords.filter(({ name }) => name !== hash('sha256', op)),
          },
        ];
      },
    ],
    [
      'a trace of what was refused',
      'inconsistent',
      () => {
        const refused = last('create', 'task');
        const came = refused.attempts.map((one) => ({ ...one, outcome: 'rejected' as const, status: 422 }));
        return [told.with(told.indexOf(refused), { request: refused.request, attempts: came }), stored];
      },
    ],
    [
      'a text of another company',
      'cross-tenant',
      () => {
        const [one, other] = new Set(stored.vendors.map(({ company_id }) => company_id));
        const row = stored.vendors.find(({ company_id }) => company_id === one);
        return [told, { ...stored, vendors: row ? [...stored.vendors, { ...row, company_id: other ?? 0 }] : [] }];
      },
    ],
    [
      'an answer with a text of another company',
      'cross-tenant',
      () => {
        const shown = last('create', 'vendor');
        const came = shown.attempts.map((one) => Object.assign({ foreignMarkers: ['⟦company-0⟧'] }, one));
        return [told.with(told.indexOf(shown), { request: shown.request, attempts: came }), stored];
      },
    ],
  ];

  test.for(plants)('shows %s', ([, kind, plant]) => {
    expect(kindsOf(...plant())).toContain(kind);
  });
});

describe('the input suite', async () => {
  const server = new HttpServer(createApp(database, SUITES_TOKEN, createLog('silent')).callback());
  const at = await server.listen({ host: '127.0.0.1', port: 0 });
  const service: Service = {
    url: at,
    port: Number(new URL(at).port),
    database: databaseUrl === undefined ? 'embedded' : 'PostgreSQL',
    sql,
    loggedErrors: () => [],
    isRunning: () => true,
    stop: () => Promise.resolve(null),
  };
  afterAll(async () => {
    closeConnections();
    await server.stop();
  });

  test('sees what changes though nobody asked for it, and whose text is shown to whom', async () => {
    const [one, other] = [await createMarkedCompany(service), await createMarkedCompany(service)];
    const oracle = await Oracle.create(service, [one, other]);
    const by = { company: one, key: one.keys.full };
    const asked = { method: 'GET', path: '/external/smart-inventory/vendor/list' };
    await oracle.sendAndCheck(asked, by);
    await oracle.sendAndCheck(
      { method: 'POST', path: '/external/smart-inventory/vendor/new', body: { name: 'Cloud' } },
      by,
    );
    await tamper(`update department set name = 'Other' where company_id = ${other.id}`);
    await expect(oracle.sendAndCheck(asked, by)).rejects.toThrow('changed despite error');
    expect(() => requireNoForeignMarkers(`x ${other.marker}`, one)).toThrow('cross-tenant text');
    expect(() => requireNoForeignMarkers(`x ${one.marker}`, one)).not.toThrow();
  });

  test('predicts what three companies are answered by turns', async () => {
    const budget = { seed: 20_261_121, maxRuns: 4, timeLimitMs: 30_000, path: undefined };
    expect(await modelSuite.run(service, budget)).toBeGreaterThan(0);
  });
});
