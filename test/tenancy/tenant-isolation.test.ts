import { beforeAll, describe, expect, test } from 'vitest';
import { isDeepStrictEqual } from 'node:util';
import { getInputOutputParsers } from 'trpc-to-openapi';
import { z } from 'zod';
import { entities } from '../../entities/index.ts';
import { Framework } from '../../entities/framework.ts';
import { MAX_ID } from '../../entities/ids.ts';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { OPERATOR } from '../../entities/user.ts';
import { Vendor } from '../../entities/vendor.ts';
import { appRouter, createCaller } from '../../procedures/index.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { asOwner, database, sql } from '../support/database/database.ts';

// Two companies with equal data. One company calls every procedure with ids of the other.
let acme: CompanyWithIds;
let rival: CompanyWithIds;

type CompanyWithIds = TestCompany & { ids: Record<string, unknown> };

async function createCompanyWithIds(name: string): Promise<CompanyWithIds> {
  const created = await createCompany(name);
  const vendor = await created.vendor.create({ name: `Vendor of ${name}` });
  const task = await created.newTask({ title: `Task of ${name}` });
  const { framework, department, gap } = created;
  const ids = {
    vendor: vendor.uniqueId,
    taskUniqueId: task.uniqueId,
    framework,
    departmentId: department,
    gaps: [gap],
    frameworks: [framework],
  };
  return { ...created, ids };
}

beforeAll(async () => {
  acme = await createCompanyWithIds('Acme');
  rival = await createCompanyWithIds('Rival');
});

/** Id for the inputs `id` and `uniqueId`, by router. */
const IDS_BY_PROCEDURE: Record<string, (owner: CompanyWithIds) => unknown> = {
  'management.framework': ({ framework }) => framework,
  'management.department': ({ department }) => department,
  'management.gap': ({ gap }) => gap,
  'management.apiKey': ({ apiKey }) => apiKey.uniqueId,
};

/** Values for inputs that reference nothing. Each new input is added here or has a referenced id below. */
const PLAIN_VALUES: Record<string, unknown> = {
  active: false,
  enabled: false,
  expiresAt: '2999-01-01T00:00:00Z',
  cidrs: ['127.0.0.0/8'],
  dueDate: '2026-12-31',
  startDate: '2026-01-01',
  labels: ['other'],
  limit: 10,
  cursor: undefined,
  asOf: undefined,
  // Filters of the audit log match nothing if their value does not exist: see audit-log.test.ts.
  resourceType: undefined,
  resourceId: undefined,
  actor: undefined,
  action: undefined,
  since: undefined,
  until: undefined,
  head: undefined,
  // Filters of lists: see task-list.test.ts and vendor-list.test.ts.
  label: undefined,
  dueBefore: undefined,
  dueAfter: undefined,
  updatedSince: undefined,
  q: undefined,
};

/** Filters with an id. They match nothing if the id belongs to another company. */
const FILTERS = new Set(['task.list departmentId']);

const procedures = Object.entries(
  appRouter._def.procedures as unknown as Record<string, Parameters<typeof getInputOutputParsers>[0]>,
);

function referenceFields(path: string): string[] {
  const procedure = procedures.find(([name]) => name === path)?.[1];
  const shape = procedure === undefined ? {} : inputShape(procedure);
  return Object.keys(shape).filter((field) => isReference(field, shape[field]));
}

function inputShape(procedure: Parameters<typeof getInputOutputParsers>[0]): Record<string, unknown> {
  const inputParser: unknown = getInputOutputParsers(procedure).inputParser;
  const schema = inputParser instanceof z.ZodOptional ? inputParser.unwrap() : inputParser;
  if (!(schema instanceof z.ZodObject)) throw new Error('expected an input schema that is an object');
  return schema.shape;
}

function referencedId(path: string, field: string, owner: CompanyWithIds): unknown {
  const idByName = owner.ids[field];
  const id =
    field === 'id' || field === 'uniqueId'
      ? IDS_BY_PROCEDURE[path.split('.').slice(0, 2).join('.')]?.(owner)
      : idByName;
  if (id === undefined) throw new Error(`${path}: expected an entry for ${field} in this test`);
  return id;
}

/** Reads all stored rows of a company. */
const storedRows = (of: TestCompany) =>
  Promise.all(
    ['company_user', 'api_key', 'framework', 'department', 'gap', 'task', 'vendor', 'audit_event'].map((table) =>
      sql(`select to_jsonb(t) from ${table} t where company_id = $1 order by to_jsonb(t)::text`, of.id),
    ),
  );

async function callProcedure(path: string, input: Record<string, unknown>, caller: CompanyWithIds): Promise<unknown> {
  const context = path.startsWith('management.')
    ? {
        caller: 'operator' as const,
        session: new Session(database, operatorPrincipal(caller.id), 'tenancy'),
      }
    : {
        caller: 'apiKey' as const,
        session: new Session(
          database,
          { ...operatorPrincipal(caller.id), user: caller.apiKey.user, key: caller.apiKey.uniqueId },
          'tenancy',
        ),
      };
  const called: unknown = path
    .split('.')
    .reduce<unknown>(
      (at, name) => Reflect.get(Object(at), name),
      createCaller({ requestId: 'tenancy', address: null, ...context }),
    );
  if (typeof called !== 'function') throw new Error(`${path} is not a procedure`);
  return called(input);
}

describe('resources of another company are not found and do not change', () => {
  // Companies belong to the operator, whichever company a request names.
  const companyProcedures = procedures.filter(([path]) => !path.startsWith('management.company.'));
  const cases = companyProcedures.flatMap(([path]) => referenceFields(path).map((field) => ({ path, field })));

  test('every procedure with references is covered', () => {
    const covered = new Set(cases.map(({ path }) => path));
    const others = ofCompanies.map(([path]) => path).filter((path) => !covered.has(path));
    for (const path of others) expect(path).toMatch(/\.(?:list|page|create|whoami|verify)$/);
    expect(cases.length).toBeGreaterThan(20);
  });

  test.for(cases)('$path with the $field of another company', async ({ path, field }) => {
    const procedure = procedures.find(([name]) => name === path)?.[1];
    const shape = procedure === undefined ? {} : inputShape(procedure);
    const own = Object.keys(shape).map((name) => [
      name,
      isReference(name, shape[name]) ? referencedId(path, name, acme) : plainValue(name, shape[name]),
    ]);
    const input = Object.fromEntries([...own, [field, referencedId(path, field, rival)]]);
    const before = await storedRows(rival);
    const ownBefore = await storedRows(acme);
    const result = await callProcedure(path, input, acme).then(
      (output) => ({ output }),
      (error: unknown) => error,
    );
    if (FILTERS.has(`${path} ${field}`)) expect(result).toEqual({ output: { total: 0, items: [], nextCursor: null } });
    else {
      const isBodyReference = ['departmentId', 'gaps', 'frameworks'].includes(field);
      expect(result).toMatchObject({ code: isBodyReference ? 'UNPROCESSABLE_CONTENT' : 'NOT_FOUND' });
    }
    expect(String(result)).not.toMatch(/Rival/);
    expect(isDeepStrictEqual(await storedRows(rival), before)).toBe(true);
    expect(isDeepStrictEqual(await storedRows(acme), ownBefore)).toBe(true);
  });

  test('no list contains them', async () => {
    const lists = procedures.filter(([path]) => /\.(list|page)$/.test(path) && path !== 'management.company.list');
    for (const [path] of lists) {
      const input = path === 'task.list' ? { framework: acme.framework, limit: 100 } : {};
      const output = await callProcedure(
        path,
        path.startsWith('management.') && path !== 'management.audit.list' ? (undefined as never) : input,
        acme,
      );
      expect(JSON.stringify(output)).not.toMatch(/Rival/);
    }
    expect(lists.length).toBeGreaterThanOrEqual(7);
  });
});

describe('an entity manager without a principal', () => {
  const owned = entities.filter(({ name }) => name !== 'Company' && name !== 'Secret');

  test.for(owned.map((entity) => ({ entity, name: entity.name })))('cannot read $name', async ({ entity }) => {
    const em = await database.entityManager();
    await expect(em.find<object>(entity, {})).rejects.toThrow(`No arguments provided for filter 'company'`);
    await expect(em.count<object>(entity)).rejects.toThrow(`No arguments provided for filter 'company'`);
  });

  test('cannot write', async () => {
    const em = await database.entityManager();
    em.create(Framework, { company: acme.id, name: 'x' });
    await expect(em.flush()).rejects.toThrow('violates row-level security policy');
  });
});

describe('an entity manager of one company', () => {
  const em = () => new Session(database, operatorPrincipal(acme.id), 'tenancy').unitOfWork();

  test('writes no row of another company, even without reading it first', async () => {
    const before = await storedRows(rival);
    const uniqueId = String(rival.ids['vendor']);
    const byReference = await em();
    byReference.assign(byReference.getReference(Vendor, [rival.id, uniqueId]), { name: 'Overwritten' });
    await expect(byReference.flush()).rejects.toThrow('optimistic lock');
    expect(await (await em()).nativeUpdate(Vendor, { uniqueId }, { name: 'Overwritten' })).toBe(0);
    expect(await (await em()).nativeDelete(Vendor, { uniqueId })).toBe(0);
    for (const unseen of [
      `update vendor set name = 'x' where company_id = ${rival.id}`,
      `delete from vendor where company_id = ${rival.id}`,
      `update department set company_id = ${acme.id} where company_id = ${rival.id}`,
    ]) {
      const touched = (await em()).transactional((inner) => inner.execute(`${unseen} returning company_id`));
      expect(await touched).toEqual([]);
    }
    for (const pushed of [
      `update department set company_id = ${rival.id} where company_id = ${acme.id}`,
      `insert into framework (company_id, name) values (${rival.id}, 'x')`,
    ]) {
      const crossed = (await em()).transactional((inner) => inner.execute(pushed));
      await expect(crossed).rejects.toThrow('violates row-level security policy');
    }
    // The audit trigger rejects the same writes by the owner, which bypasses row-level security.
    for (const forced of [
      `update vendor set name = 'x' where company_id = ${rival.id}`,
      `delete from vendor where company_id = ${rival.id}`,
      `update department set company_id = ${acme.id} where company_id = ${rival.id}`,
      `update department set company_id = ${rival.id} where company_id = ${acme.id}`,
      `insert into framework (company_id, name) values (${rival.id}, 'x')`,
    ]) {
      const done = asOwner((run) => run(forced), { company: acme.id, user: OPERATOR.uniqueId });
      await expect(done).rejects.toThrow('the row belongs to another company');
    }
    expect(await storedRows(rival)).toEqual(before);
  });

  test.for([
    ['framework_id', 'framework', '42501'], // not into another framework of the company either
    ['department_id', 'departmentId', '23503'],
    ['gaps', 'gaps', '23503'],
  ] as const)('cannot set %s of a task to an id of another company', async ([column, field, code]) => {
    const id = rival.ids[field];
    const pointed = (await em()).transactional((inner) =>
      inner.execute(`update task set ${column} = ?, updated_by_id = ? where company_id = ? and unique_id = ?`, [
        column === 'gaps' ? `{${String(id)}}` : id,
        OPERATOR.uniqueId,
        acme.id,
        acme.ids['taskUniqueId'],
      ]),
    );
    await expect(pointed).rejects.toMatchObject({ code });
  });
});
