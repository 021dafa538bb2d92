import { describe, expect, test } from 'vitest';
import { getInputOutputParsers } from 'trpc-to-openapi';
import { z } from 'zod';
import { auditedResources, entities } from '../../entities/index.ts';
import { Framework } from '../../entities/reference-data/reference-data.ts';
import { MAX_ID, isUniqueId } from '../../entities/ids.ts';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { OPERATOR } from '../../entities/company/user.ts';
import { Vendor } from '../../entities/vendor/vendor.ts';
import { definitionOf } from '../../procedures/core/declaration/compile.ts';
import type { Caller, Context } from '../../procedures/core/context.ts';
import { appRouter, createCaller } from '../../procedures/index.ts';
import { exampleBody, findOperation, makeObjects, targetOf } from '../support/fixtures/objects.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { INSTALLATION_TABLES, PERSON_TABLES, createPeople } from '../support/tenants/people.ts';
import { services } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';
import { storedRows } from '../support/tenants/samples.ts';
import { runImports } from '../support/tenants/imports.ts';
import { sealAll } from '../support/tenants/webhooks.ts';
import { asOwner, database } from '../support/database/database.ts';

type CompanyWithIds = TestCompany & {
  ids: Record<string, unknown>;
  member: TestMember;
  invitation: string;
  view: string;
};

async function createCompanyWithIds(name: string): Promise<CompanyWithIds> {
  const created = await createCompany(name);
  const { framework, department, gap } = created;
  const { member, ...ofPeople } = await createPeople(created, `Person of ${name}`);
  const objects = await makeObjects(await targetOf(created));
  const ids = {
    ...objects,
    member: member.uniqueId,
    assigneeId: member.uniqueId,
    reviewerId: member.uniqueId,
    ownerId: member.uniqueId,
    mentions: [member.uniqueId],
    author: member.uniqueId,
    replyTo: objects['comment'],
    departmentId: department,
    gaps: [gap],
    vendors: [objects['vendor']],
    requirements: [objects['requirement']],
    frameworks: [framework],
  };
  // Servers of other tests may share the database. Their jobs then find nothing to do here.
  await runImports(created);
  await sealAll(created);
  return { ...created, ids, member, ...ofPeople };
}

// Two companies with the same of everything; every procedure is tried by one on what is the other's.
const acme = await createCompanyWithIds('Acme');
const rival = await createCompanyWithIds('Rival');

/** The id of a company that an input refers to, if the name of the input is ambiguous. */
const IDS_BY_PROCEDURE: Record<string, (owner: CompanyWithIds) => unknown> = {
  'management.framework': ({ framework }) => framework,
  'management.department': ({ department }) => department,
  'management.gap': ({ gap }) => gap,
  'management.apiKey': ({ apiKey }) => apiKey.uniqueId,
  'management.member': ({ member }) => member.uniqueId,
  'management.invitation': ({ invitation }) => invitation,
  'view.get': ({ view }) => view,
  'view.update': ({ view }) => view,
  'view.delete': ({ view }) => view,
};

/** Filters of any resource, which find nothing where what they name is another's. */
const ANY_RESOURCE = new Set(['resourceId', 'parent', 'actor']);

interface JsonSchema {
  type?: string;
  examples?: unknown[];
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
}

const jsonSchemaOf = (schema: unknown): JsonSchema =>
  schema instanceof z.ZodType
    ? (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema)
    : expect.fail('expected a schema');

/** Ids have these bounds in the schema, and integers of paths have none (`entities/fields/schemas.ts`). */
function isId({ type, maximum, maxLength, items, anyOf }: JsonSchema): boolean {
  if (type === 'integer') return maximum === MAX_ID;
  if (type === 'number') return maximum === undefined;
  if (type === 'string') return maxLength === 36;
  return anyOf?.some(isId) ?? (items !== undefined && isId(items));
}

const isReference = (field: string, schema: unknown) => !ANY_RESOURCE.has(field) && isId(jsonSchemaOf(schema));

/** Value of an input that names no resource. Undefined for filters and positions of lists. */
function plainValue(path: string, field: string, schema: unknown): unknown {
  const operation = findOperation(path);
  const body = operation && exampleBody(operation, acme);
  if (typeof body === 'object') return Reflect.get(Object(body), field) ?? acme.ids[field];
  const isOptional = schema instanceof z.ZodType && schema.safeParse(undefined).success;
  if (isOptional && field !== 'limit' && definitionOf(appRouter, path).type === 'query') return undefined;
  const { type, enum: values, minimum, examples } = jsonSchemaOf(schema);
  if (field === 'email') return 'somebody@example.com';
  const byType: Record<string, unknown> = { integer: minimum, boolean: false, string: 'Written by the other' };
  return field === 'ifMatch' ? undefined : (examples?.[0] ?? values?.[0] ?? byType[type ?? '']);
}

/** Fields of a body that refer to something of the company. */
const BODY_REFERENCES = new Set([
  'departmentId',
  'gaps',
  'frameworks',
  'assigneeId',
  'reviewerId',
  'vendors',
  'requirements',
  'ownerId',
  'mentions',
  'replyTo',
  'management.gap.update requirement',
]);

/** Filters, which find nothing where what they name is another's. */
const FILTERS = new Set([
  'task.list departmentId',
  'task.list vendor',
  'task.export departmentId',
  'task.export vendor',
  'task.exportCsv departmentId',
  'task.exportCsv vendor',
  'task.listAll departmentId',
  'task.listAll vendor',
  'task.exportAll departmentId',
  'task.exportAll vendor',
  'task.exportAllCsv departmentId',
  'task.exportAllCsv vendor',
  'management.signIn.list member',
  'comment.listAll author',
]);

const procedures = Object.entries(
  appRouter._def.procedures as unknown as Record<string, Parameters<typeof getInputOutputParsers>[0]>,
);

function referenceFields(path: string): string[] {
  const procedure = procedures.find(([name]) => name === path)?.[1];
  const shape = procedure === undefined ? {} : inputShape(procedure);
  return Object.keys(shape).filter((field) => isReference(field, shape[field]));
}

/** Fields of an input that names `field`: REST operations of a procedure differ in the resource that they are below. */
function shapeWith(path: string, field: string): Record<string, unknown> {
  const operations = definitionOf(appRouter, path).meta.operations ?? [];
  const shapes = operations.flatMap(({ input }) => (input instanceof z.ZodObject ? [input.shape] : []));
  const procedure = procedures.find(([name]) => name === path)?.[1];
  const shape = shapes.find((one) => field in one) ?? (procedure === undefined ? {} : inputShape(procedure));
  // An input with several kinds of parents takes one of them.
  const isOther = (name: string) => PARENTS.has(field) && PARENTS.has(name) && name !== field;
  return Object.fromEntries(Object.entries(shape).filter(([name]) => !isOther(name)));
}
const PARENTS = new Set(['taskUniqueId', 'vendor', 'requirement']);

/** True for a change of what only its author may change: here another caller. */
const isByAuthor = (path: string) =>
  auditedResources.some(
    (resource) => 'access' in resource && resource.access.byAuthor && path === `${resource.type}.update`,
  );

function inputShape(procedure: Parameters<typeof getInputOutputParsers>[0]): Record<string, unknown> {
  const inputParser: unknown = getInputOutputParsers(procedure).inputParser;
  const schema = inputParser instanceof z.ZodOptional ? inputParser.unwrap() : inputParser;
  if (!(schema instanceof z.ZodObject)) throw new Error('an input that is not an object');
  return schema.shape;
}

function referencedId(path: string, field: string, owner: CompanyWithIds): unknown {
  const byName = owner.ids[field];
  const id =
    field === 'id' || field === 'uniqueId' ? IDS_BY_PROCEDURE[path.split('.').slice(0, 2).join('.')]?.(owner) : byName;
  if (id === undefined)
    throw new Error(`${path}: add ${field} to OBJECTS in test/support/fixtures/objects.ts or to IDS_BY_PROCEDURE here`);
  return id;
}

/** Context of a caller of a company. */
function contextOf(caller: Caller, by: CompanyWithIds): Context {
  if (caller === 'member') return by.member.context;
  const user = caller === 'apiKey' ? { user: by.apiKey.user, key: by.apiKey.uniqueId } : {};
  const session = new Session(database, { ...operatorPrincipal(by.id), ...user }, 'tenancy');
  return { requestId: 'tenancy', address: null, caller, session, services };
}

async function callProcedure(path: string, input: unknown, caller: Caller, by: CompanyWithIds): Promise<unknown> {
  const called: unknown = path
    .split('.')
    .reduce<unknown>((at, name) => Reflect.get(Object(at), name), createCaller(contextOf(caller, by)));
  if (typeof called !== 'function') throw new Error(`${path} is not a procedure`);
  return called(input);
}

describe('what another company owns is not found, and stays as it is', () => {
  // Procedures without scopes are the operator's, for all companies. An account belongs to a person, to no company.
  const ofCompanies = procedures.filter(
    ([path]) => definitionOf(appRouter, path).meta.scopes !== undefined && !path.startsWith('account.'),
  );
  const callersOf = (path: string) => definitionOf(appRouter, path).meta.callers ?? [];
  const cases = ofCompanies.flatMap(([path]) =>
    referenceFields(path).flatMap((field) => callersOf(path).map((caller) => ({ path, field, caller }))),
  );

  test('every procedure for one resource is among the cases', () => {
    const covered = new Set(cases.map(({ path }) => path));
    const others = ofCompanies.map(([path]) => path).filter((path) => !covered.has(path));
    for (const path of others)
      // A company has one single sign-on and one set of settings, and is closed and frozen by itself, so their procedures take no id. A key lists its own requests. A state has names, and ids of frameworks, which apply.test.ts checks. An inbox ignores ids of others. A recurrence has dates without a task.
      expect(path).toMatch(
        /^management\.(?:sso|settings)\.|^management\.company\.(?:close|reopen|freeze|unfreeze)$|^overview\.|^inbox\.|^task\.nextDates$|^apiKey\.requests$|^view\.names$|^import\.(?:answers|remember)$|^management\.state\.put$|\.(?:list|listAll|find|page|count|create|whoami|verify|checkpoint|(?:put|get|delete)ByExternalId|batch|import|export|exportCsv)$/,
      );
    expect(cases.length).toBeGreaterThan(50);
  });

  test.for(cases)('$path by $caller with the $field of another', async ({ path, field, caller }) => {
    const shape = shapeWith(path, field);
    const own = Object.keys(shape).map((name) => [
      name,
      isReference(name, shape[name]) ? referencedId(path, name, acme) : plainValue(path, name, shape[name]),
    ]);
    const input = Object.fromEntries([...own, [field, referencedId(path, field, rival)]]);
    const before = await storedRows(rival);
    const mine = await storedRows(acme);
    const result = await callProcedure(path, input, caller, acme).then(
      (output) => ({ output }),
      (error: unknown) => error,
    );
    if (FILTERS.has(`${path} ${field}`)) {
      const none = path.endsWith('Csv') ? { rows: 0 } : { items: [] };
      const total = path.startsWith('task.') ? { total: 0 } : {};
      expect(result).toMatchObject({ output: { ...total, ...none, nextCursor: null } });
    } else {
      const isBodyReference = BODY_REFERENCES.has(field) || BODY_REFERENCES.has(`${path} ${field}`);
      const codeOfReference = isByAuthor(path) ? 'FORBIDDEN' : 'UNPROCESSABLE_CONTENT';
      expect(result).toMatchObject({ code: isBodyReference ? codeOfReference : 'NOT_FOUND' });
    }
    expect(String(result)).not.toMatch(/Rival/);
    expect(await storedRows(rival)).toEqual(before);
    expect(await storedRows(acme)).toEqual(mine);
  });

  test('and no list shows it', async () => {
    const lists = ofCompanies.filter(([path]) => /\.(list|page)$/.test(path));
    const uniqueIds = Object.values(rival.ids).filter((id) => typeof id === 'string' && isUniqueId(id));
    expect(uniqueIds.length).toBeGreaterThanOrEqual(5);
    for (const [path] of lists) {
      const [first = ''] = referenceFields(path);
      const shape = shapeWith(path, first);
      const references = Object.keys(shape).filter(
        (field) => isReference(field, shape[field]) && !FILTERS.has(`${path} ${field}`),
      );
      const input = {
        ...Object.fromEntries(references.map((field) => [field, referencedId(path, field, acme)])),
        ...('limit' in shape && { limit: 100 }),
        ...('view' in shape && { view: 'full' }),
      };
      for (const caller of callersOf(path)) {
        const output = JSON.stringify(await callProcedure(path, input, caller, acme));
        expect(output).not.toMatch(/Rival/);
        for (const id of uniqueIds) expect(output).not.toContain(id);
      }
    }
    expect(lists.length).toBeGreaterThanOrEqual(10);
  });
});

describe('an entity manager without a principal', () => {
  const isIn = ({ name }: { name: string }, tables: readonly string[]) =>
    tables.includes(name.replaceAll(/\B[A-Z]/g, (letter) => `_${letter}`).toLowerCase());
  const owned = entities.filter((entity) => !isIn(entity, ['company', ...INSTALLATION_TABLES, ...PERSON_TABLES]));
  const ofPersons = entities.filter((entity) => isIn(entity, PERSON_TABLES));

  test.for(owned.map((entity) => ({ entity, name: entity.name })))('cannot read $name', async ({ entity }) => {
    const em = await database.entityManager();
    await expect(em.find<object>(entity, {})).rejects.toThrow(`No arguments provided for filter 'company'`);
    await expect(em.count<object>(entity)).rejects.toThrow(`No arguments provided for filter 'company'`);
  });

  test.for(ofPersons.map((entity) => ({ entity, name: entity.name })))('reads no $name', async ({ entity }) => {
    for (const em of [await database.entityManager(), await acme.member.context.session.unitOfWork()]) {
      expect(await em.find<object>(entity, {})).toEqual([]);
      expect(await em.count<object>(entity)).toBe(0);
    }
  });

  test('cannot write', async () => {
    const em = await database.entityManager();
    em.create(Framework, { company: acme.id, name: 'x' });
    await expect(em.flush()).rejects.toThrow('violates row-level security policy');
  });
});

describe('an entity manager of one company', () => {
  const em = () => new Session(database, operatorPrincipal(acme.id), 'tenancy').unitOfWork();

  test('writes no row of another, even without looking', async () => {
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
    // Nor does who is kept out by no policy.
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
    ['framework_id', 'framework', '42501'], // nor into any other
    ['department_id', 'departmentId', '23503'],
    ['gaps', 'gaps', '23503'],
  ] as const)('cannot point a task’s %s into another', async ([column, field, code]) => {
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
