import { hash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../../server/app.ts';
import { HttpServer } from '../../../server/http/server.ts';
import { createLog } from '../../../server/telemetry/log.ts';
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
import type { Service } from '../fuzz/service/service.ts';
import { OPERATOR_TOKEN } from '../../support/tenants/company.ts';
import { database, databaseUrl, sql, tamper } from '../../support/database/database.ts';
import { companyMarker } from '../../support/http/markers.ts';
import { url } from '../../support/http/server.ts';
import { temporaryFolder } from '../../support/setup/temporary-folder.ts';

// `npm run program -- faults` and `npm run program -- fuzz` take minutes. These tests show that their oracles detect planted violations.

describe('the oracle of the fault tests', async () => {
  const folder = await temporaryFolder();
  let operations: Operation[];
  let stored: Snapshot;

  beforeAll(async () => {
    const companies = [await createTargetCompany(url), await createTargetCompany(url)];
    const operationLog = await OperationLog.open(join(folder, 'operations.jsonl'));
    const load = new LoadGenerator({
      url: () => url,
      operationLog,
      companies,
      clients: 4,
      seed: 1,
      name: 'smoke',
    });
    await load.waitForWrites(60);
    await load.stop();
    await operationLog.close();
    operations = await readOperationLog(operationLog.file);
    stored = await takeSnapshot(
      sql,
      companies.map(({ id }) => id),
    );
  });

  const kindsOf = (logged: readonly Operation[], snapshot: Snapshot) => [
    ...new Set(checkConsistency(logged, snapshot, true).map(({ kind }) => kind)),
  ];
  /** The last acknowledged request with this action and resource type. */
  const last = (action: string, type: string) => {
    const operation = operations.findLast(
      (candidate) =>
        candidate.request.action === action &&
        candidate.request.resourceType === type &&
        finalOutcome(candidate) === 'acknowledged',
    );
    if (operation === undefined) throw new Error(`no acknowledged ${action} of a ${type}`);
    return operation;
  };
  const idOf = ({ request, attempts }: Operation) => attempts[0]?.resource ?? request.resource;

  test('finds nothing when there was no fault', () => {
    expect(checkConsistency(operations, stored, true)).toEqual([]);
    expect(stored.tasks.length).toBeGreaterThan(3);
  });

  const violations: [string, string, () => [readonly Operation[], Snapshot]][] = [
    [
      'an acknowledged change that is not stored',
      'lost',
      () => {
        const id = idOf(last('create', 'vendor'));
        const isOther = (row: { unique_id: string }) => row.unique_id !== id;
        const events = stored.events.filter((event) => event.resource_id !== id);
        return [operations, { ...stored, vendors: stored.vendors.filter(isOther), events }];
      },
    ],
    [
      'a row without an audit event',
      'inconsistent',
      () => {
        const id = idOf(last('create', 'task'));
        return [operations, { ...stored, events: stored.events.filter((event) => event.resource_id !== id) }];
      },
    ],
    [
      'an audit event without a row',
      'lost',
      () => {
        const id = idOf(last('create', 'vendor'));
        return [operations, { ...stored, vendors: stored.vendors.filter((row) => row.unique_id !== id) }];
      },
    ],
    [
      'a change that was made twice',
      'inconsistent',
      () => {
        const duplicate = stored.events.find(({ request_id }) =>
          request_id.startsWith(last('update', 'vendor').request.operationId),
        );
        return [operations, { ...stored, events: duplicate ? [...stored.events, duplicate] : [] }];
      },
    ],
    [
      'a row that differs from its audit events',
      'inconsistent',
      () => [operations, { ...stored, tasks: stored.tasks.map((row) => ({ ...row, title: 'Other' })) }],
    ],
    [
      'a version that differs from the number of changes',
      'inconsistent',
      () => [operations, { ...stored, vendors: stored.vendors.map((row) => ({ ...row, version: row.version + 1 })) }],
    ],
    [
      'a task count that differs from the number of tasks',
      'inconsistent',
      () => [
        operations,
        { ...stored, taskCounts: stored.taskCounts.map((count) => ({ ...count, tasks: count.tasks - 1 })) },
      ],
    ],
    [
      'a change without its idempotency record',
      'inconsistent',
      () => {
        const { operationId } = operations.find(
          (operation) => operation.request.hasIdempotencyKey && finalOutcome(operation) === 'acknowledged',
        )?.request ?? { operationId: '' };
        return [
          operations,
          {
            ...stored,
            idempotencyRecords: stored.idempotencyRecords.filter(
              ({ key_hash }) => key_hash !== hash('sha256', operationId),
            ),
          },
        ];
      },
    ],
    [
      'a row that a rejected request wrote',
      'inconsistent',
      () => {
        const created = last('create', 'task');
        const attempts = created.attempts.map((attempt) => ({ ...attempt, outcome: 'rejected' as const, status: 422 }));
        return [operations.with(operations.indexOf(created), { request: created.request, attempts }), stored];
      },
    ],
    [
      'a row with text of another company',
      'cross-tenant',
      () => {
        const [one, other] = new Set(stored.vendors.map(({ company_id }) => company_id));
        const row = stored.vendors.find(({ company_id }) => company_id === one);
        return [operations, { ...stored, vendors: row ? [...stored.vendors, { ...row, company_id: other ?? 0 }] : [] }];
      },
    ],
    [
      'a response with text of another company',
      'cross-tenant',
      () => {
        const created = last('create', 'vendor');
        const attempts = created.attempts.map((attempt) =>
          Object.assign({ foreignMarkers: [companyMarker(0)] }, attempt),
        );
        return [operations.with(operations.indexOf(created), { request: created.request, attempts }), stored];
      },
    ],
  ];

  test.for(violations)('detects %s', ([, kind, plant]) => {
    expect(kindsOf(...plant())).toContain(kind);
  });
});

describe('the oracle of the fuzz tests', async () => {
  const server = new HttpServer(createApp(database, OPERATOR_TOKEN, createLog('silent')).callback());
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  const service: Service = {
    url: address,
    port: Number(new URL(address).port),
    database: databaseUrl === undefined ? 'embedded' : 'PostgreSQL',
    sql,
    loggedErrors: () => [],
    isRunning: () => true,
    stop: () => Promise.resolve(null),
  };
  afterAll(async () => {
    closeConnections();
    await server.stop(0);
  });

  test('detects an unexpected change and text of another company', async () => {
    const [one, other] = [await createMarkedCompany(service), await createMarkedCompany(service)];
    const oracle = await Oracle.create(service, [one, other]);
    const caller = { company: one, key: one.keys.full };
    const listVendors = { method: 'GET', path: '/external/smart-inventory/vendor/list' };
    await oracle.sendAndCheck(listVendors, caller);
    await oracle.sendAndCheck(
      { method: 'POST', path: '/external/smart-inventory/vendor/new', body: { name: 'Cloud' } },
      caller,
    );
    await tamper(`update department set name = 'Other' where company_id = ${other.id}`);
    await expect(oracle.sendAndCheck(listVendors, caller)).rejects.toThrow('changed despite error');
    expect(() => requireNoForeignMarkers(`x ${other.marker}`, one)).toThrow('cross-tenant text');
    expect(() => requireNoForeignMarkers(`x ${one.marker}`, one)).not.toThrow();
  });

  test('predicts the responses of three companies', async () => {
    const budget = { seed: 20_261_121, maxRuns: 4, timeLimitMs: 30_000, path: undefined };
    expect(await modelSuite.run(service, budget)).toBeGreaterThan(0);
  });
});
