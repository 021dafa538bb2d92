import { beforeEach, describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { findDocuments } from '../../entities/search/finding.ts';
import { addSearchReaders, claimDocuments, writeDocuments } from '../../entities/search/indexing.ts';
import { indexNext } from '../../procedures/search/job.ts';
import { asOwner, database, sql } from '../support/database/database.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { find, indexAll } from '../support/tenants/search.ts';
import { sealAll } from '../support/tenants/webhooks.ts';

let acme: Awaited<ReturnType<typeof createCompany>>;
let ann: Awaited<ReturnType<typeof createMember>>;
beforeEach(async () => {
  acme = await createCompany();
  ann = await createMember(acme, { name: 'Ann' });
});

const operator = () => new Session(database, operatorPrincipal(acme.id), 'search');

/** Inserts tasks with events, as a batch does. */
const insertTasks = (count: number, title: string) =>
  asOwner(
    (run) =>
      run(
        `insert into task (company_id, framework_id, unique_id, title, created_by_id, updated_by_id)
        select $1, $2, uuid_v7(), $3 || ' ' || i, $4, $4 from generate_series(1, $5::int) i`,
        acme.id,
        acme.framework,
        title,
        acme.apiKey.user.uniqueId,
        count,
      ),
    { company: acme.id, user: acme.apiKey.user.uniqueId },
  );

describe('the documents of a company', () => {
  test('from before the index are made page by page, and until then a search is 503', async () => {
    await insertTasks(450, 'Panda');
    await acme.vendor.create({ name: 'Panda Ltd' });
    await sealAll(acme);
    await sql('delete from search_reader where company_id = $1', acme.id);
    const unavailable = {
      code: 'SERVICE_UNAVAILABLE',
      message: 'The index of the search is being built. Try again shortly.',
    };
    await expect(find(ann.caller, 'panda')).rejects.toMatchObject(unavailable);
    await new Session(database, null, 'search').run(addSearchReaders, {});
    expect(await indexNext(operator())).toBe(true);
    const failure: unknown = await find(ann.caller, 'panda').catch((error: unknown) => error);
    expect(failure).toMatchObject({ ...unavailable, cause: { retryAfter: 5 } });
    // What changes meanwhile is not missed.
    await insertTasks(1, 'Ling-ling');
    await indexAll(acme);
    expect(await find(ann.caller, 'panda 450')).toEqual(['task: Panda 450']);
    expect(await find(ann.caller, 'panda ltd')).toEqual(['vendor: Panda Ltd']);
    expect(await find(ann.caller, 'Ling-ling')).toEqual(['task: Ling-ling 1']);
    expect(await find(ann.caller, 'iso', { type: 'framework' })).toEqual(['framework: ISO 27001']);
    expect(await find(ann.caller, 'ann', { type: 'member' })).toEqual(['member: Ann']);
  });

  test('are left to one process at a time, and to the next one when it was killed', async () => {
    await acme.newTask({ title: 'Panda' });
    await sealAll(acme);
    const killed = (await operator().first(claimDocuments, {})) ?? expect.fail('expected work');
    expect(await indexNext(operator())).toBe(false);
    expect(await find(ann.caller, 'panda')).toEqual([]);
    await sql(`update search_reader set lease_until = now() - interval '1 second' where company_id = $1`, acme.id);
    await indexAll(acme);
    expect(await find(ann.caller, 'panda')).toEqual(['task: Panda']);
    // The killed one was only slow: it has lost its lease and writes nothing.
    const nothing = {
      types: [],
      ids: [],
      frameworks: [],
      readScopes: [],
      changes: [],
      words: [],
      building: null,
      builtId: null,
    };
    const late = {
      ...nothing,
      ...killed,
      goneTypes: ['task' as const],
      goneIds: killed.changed.map(({ id }) => id),
      isLast: true,
    };
    expect(await operator().run(writeDocuments, late)).toEqual([]);
    expect(await find(ann.caller, 'panda')).toEqual(['task: Panda']);
  });

  test('wait before an event that this version does not know', async () => {
    await acme.newTask({ title: 'Panda' });
    await sql(
      `insert into audit_event (company_id, unique_id, occurred_at, user_id, action, resource_type, resource_id, changes, request_id)
       values ($1, uuid_v7(), now(), $2, 'audit.create', 'audit', 'x', '{}', 'test')`,
      acme.id,
      acme.apiKey.user.uniqueId,
    );
    await acme.newTask({ title: 'Later panda' });
    await indexAll(acme);
    expect(await find(ann.caller, 'panda')).toEqual(['task: Panda']);
  });
});

/** Words that make documents as long as those of tasks. */
const FILLING = Array.from({ length: 30 }, (_, index) => `'filling ${index}':1D`).join(' ');

/**
 * Documents of no object: `common` is in all of them, `usual` in every sixth, and `rare` in the ten that changed first. Framework 2 has
 * every hundredth.
 */
const insertDocuments = (count: number) =>
  sql(
    `insert into search_document (company_id, type, object_id, framework_id, scope, changed_at, words)
    select $1::int, 'task', i::text, case when i % 100 = 0 then 2 else 1 end, 'task:read', now() - i * interval '1 second',
      format($2, case when i % 100 = 0 then 2 else 1 end, case when i % 6 = 0 then 'usual' else 'unusual' end,
        case when i > $3::int - 10 then 'rare' else 'other' end)::tsvector
    from generate_series(1, $3::int) i`,
    acme.id,
    `'${acme.id} #%s':1D '${acme.id} common':1D '${acme.id} %s':1D '${acme.id} %s':1A ${FILLING}`,
    count,
  );

test('frequent words are found in what changed last, rare ones everywhere, and those of a framework too', async () => {
  const count = 7000;
  await insertDocuments(count);
  const search = async (words: string[], frameworks: number[] | null = null) => {
    const session = new Session(database, { ...operatorPrincipal(acme.id), frameworks }, 'search');
    return (await session.run(findDocuments, { types: ['task', 'vendor'], words })).flatMap(({ id }) =>
      id === null ? [] : Number(id),
    );
  };
  const numbers = (from: number, to: number, step = 1) =>
    Array.from({ length: (to - from) / step + 1 }, (_, index) => from + index * step);
  expect(await search(['com'])).toEqual(numbers(1, 1000));
  expect(await search(['rar', 'common'])).toEqual(numbers(count - 9, count));
  expect(await search(['common'], [2])).toEqual(numbers(100, count, 100));
  expect(await search(['common', 'nothing'])).toEqual([]);
  // Another company has the same words.
  const rival = await createCompany();
  const session = new Session(database, operatorPrincipal(rival.id), 'search');
  expect(await session.run(findDocuments, { types: ['task'], words: ['common'] })).toEqual([
    { ready: true, type: null, id: null },
  ]);
});

test('a frequent word is found without the index of words, also in a table that was never analyzed', async () => {
  await insertDocuments(20_000);
  const counted = await asOwner(
    async (run) => {
      await run(`update pg_class set reltuples = -1, relpages = 0 where oid = 'search_document'::regclass`);
      const scans = async () =>
        (
          await run<{ scans: number }>(
            `select pg_stat_get_xact_numscans('search_document_words'::regclass)::int as scans`,
          )
        )[0]?.scans ?? expect.fail('expected a number');
      const before = await scans();
      const found = await run(
        `select from find_documents(array['task'], array['task:read'], null, array['usual'], 1000)`,
      );
      return { found: found.length, scans: (await scans()) - before };
    },
    { company: acme.id },
  );
  expect(counted).toEqual({ found: 1000, scans: 0 });
});
