import { beforeAll, describe, expect, test } from 'vitest';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { http } from '../support/http/server.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { importFile, runImports } from '../support/tenants/imports.ts';

let acme: TestCompany & { key: string };
let caller: Awaited<ReturnType<typeof callerForKey>>;

beforeAll(async () => {
  const company = await createCompany();
  const { key } = await company.manage.apiKey.create({ name: 'Requirements', scopes: [...SCOPES] });
  acme = { ...company, key };
  caller = await callerForKey(key);
});

const newFramework = async () => (await acme.manage.framework.create({ name: crypto.randomUUID() })).id;
const path = (framework: number, query = '') => `/external/framework/${framework}/requirement/import${query}`;
const csv = (...rows: string[]) => [...rows, ''].join('\r\n');
const importCsv = (framework: number, rows: string[], query = '') =>
  importFile(acme, path(framework, query), csv(...rows));

/** The outline as text: refs with the ref above each and the position, in the order of lists. */
async function outlineOf(framework: number) {
  const { items } = await caller.requirement.export({ framework });
  return items.map(({ ref, parentRef, position }) => `${parentRef ?? ''}/${ref} ${position}`);
}

const byRef = async (framework: number, ref: string) => {
  const { items } = await caller.requirement.list({ framework, limit: 500 });
  return items.find((item) => item.ref === ref);
};

describe('an import of requirements', () => {
  test('matches rows by ref, ignoring case, and changes only what a row sends', async () => {
    const framework = await newFramework();
    const first = await importCsv(framework, ['ref,title,justification', 'A.5.1,Policies,Needed', 'A.5.2,Roles,']);
    expect(first).toMatchObject({ kind: 'requirement', framework, state: 'done', created: 2, failed: 0 });
    const second = await importCsv(framework, ['ref,title', 'a.5.1,Policies and rules', 'A.5.2,Roles']);
    expect(second).toMatchObject({ created: 0, updated: 1, unchanged: 1 });
    expect(await byRef(framework, 'A.5.1')).toMatchObject({
      title: 'Policies and rules',
      justification: 'Needed',
      version: 2,
    });
  });

  test('updates a ref that comes twice, and needs a title for a new one only', async () => {
    const framework = await newFramework();
    const item = await importCsv(framework, ['ref,title', 'A,One', 'a,Two', 'A,', 'B,']);
    expect(item).toMatchObject({ created: 1, updated: 1, unchanged: 1, failed: 1 });
    expect(item.errors).toEqual([{ row: 4, line: 5, field: 'title', value: null, error: 'title: required' }]);
    expect(await byRef(framework, 'A')).toMatchObject({ title: 'Two' });
  });

  test.each(['', '?strict=true'])('takes a parent before or after its row (%s)', async (query) => {
    const framework = await newFramework();
    const rows = ['ref,title,parentRef', 'A.1.1,Deep,a.1', 'A.1,Middle,A', 'A,Top,', 'B,Lost,Z', 'A.1.2,Twice,A.1'];
    const item = await importCsv(framework, query === '' ? rows : rows.filter((row) => !row.startsWith('B')), query);
    expect(item).toMatchObject({ state: 'done', created: 4, updated: 0, failed: query === '' ? 1 : 0 });
    if (query === '')
      expect(item.errors).toEqual([
        {
          row: 4,
          line: 5,
          field: 'parentRef',
          value: 'Z',
          error: 'parentRef: expected the ref of a requirement of the framework; found "Z"',
        },
      ]);
    // Numbered in the order of the file, also the rows that waited. Each has one event.
    const last = query === '' ? 5 : 4;
    expect(await outlineOf(framework)).toEqual(['A.1/A.1.1 1', 'A/A.1 2', '/A 3', `A.1/A.1.2 ${last}`]);
    const { items } = await caller.requirement.list({ framework });
    expect(items.map(({ version }) => version)).toEqual([1, 1, 1, 1]);
  });

  test('numbers new rows from the highest position on, unless the file has positions', async () => {
    const framework = await newFramework();
    await caller.requirement.create({ framework, ref: 'A', title: 'A', position: 7 });
    await importCsv(framework, ['ref,title', 'A,Same', 'B,New', 'C,New']);
    expect(await outlineOf(framework)).toEqual(['/A 7', '/B 8', '/C 9']);
    await importCsv(framework, ['ref,title,position', 'D,First,1', 'E,Default,']);
    expect(await outlineOf(framework)).toEqual(['/E 0', '/D 1', '/A 7', '/B 8', '/C 9']);
  });

  test('keeps the order of rows with one ref when the first of them waits', async () => {
    const framework = await newFramework();
    const item = await importCsv(framework, ['ref,title,parentRef', 'A,First,B', 'A,Second,B', 'B,Top,']);
    expect(item).toMatchObject({ created: 2, updated: 1, failed: 0 });
    expect(await byRef(framework, 'A')).toMatchObject({ title: 'Second', version: 2 });
  });

  test('turns an outline around, whatever the order of its rows', async () => {
    const framework = await newFramework();
    await importCsv(framework, ['ref,title,parentRef', 'A,A,', 'B,B,A', 'C,C,B']);
    const item = await importFile(acme, path(framework), [
      { ref: 'A', parentRef: 'B' },
      { ref: 'B', parentRef: 'C' },
      { ref: 'C', parentRef: null },
    ]);
    expect(item).toMatchObject({ updated: 3, failed: 0 });
    expect(await outlineOf(framework)).toEqual(['B/A 1', 'C/B 2', '/C 3']);
  });

  test('rejects a circle, a seventh level, and the row below a bad one', async () => {
    const framework = await newFramework();
    const levels = ['1', '2', '3', '4', '5', '6', '7'].map((level) => `${level},Level,${Number(level) - 1 || ''}`);
    const item = await importCsv(framework, ['ref,title,parentRef', ...levels, 'X,X,Y', 'Y,Y,X', 'P,,', 'Q,Q,P']);
    expect(item).toMatchObject({ created: 6, failed: 5 });
    expect(item.errors.map(({ row, field }) => [row, field])).toEqual([
      [7, 'parentRef'],
      [8, 'parentRef'],
      [9, 'parentRef'],
      [10, 'title'],
      [11, 'parentRef'],
    ]);
    expect(item.errors[0]?.error).toBe(
      'parentRef: expected an outline of at most 6 levels, without a circle; found "6"',
    );
  });

  test('leaves a parent out with a warning if it is lenient', async () => {
    const framework = await newFramework();
    const item = await importCsv(framework, ['ref,title,parentRef', 'A,A,Nowhere'], '?lenient=true');
    expect(item).toMatchObject({ created: 1, failed: 0, warnings: 1 });
    expect(await outlineOf(framework)).toEqual(['/A 1']);
  });

  test.each([
    ['ref,title,externalId', 'unknown column "externalId"'],
    ['title', 'column ref: required'],
  ])('fails with the columns %s', async (header, reason) => {
    const item = await importCsv(await newFramework(), [header, 'a,b,c']);
    expect(item).toMatchObject({ state: 'failed', reason: expect.stringContaining(reason) });
  });

  test.each(['source=erp', 'duplicates=skip'])('takes no %s', async (query) => {
    const { status } = await http('POST', path(await newFramework(), `?${query}`), {
      key: acme.key,
      headers: { 'Content-Type': 'text/csv' },
      body: csv('ref,title', 'A,A'),
    });
    expect(status).toBe(400);
  });
});

describe('a check of requirements', () => {
  const rows = ['ref,title,parentRef', 'A.1,One,A', 'A,Top,', 'A,Again,', 'B,Lost,Z', 'X,X,Y', 'Y,Y,X'];

  test.each([[''], ['more than a slice']])('counts what the import then does (%s)', async (many) => {
    const framework = await newFramework();
    await importCsv(framework, ['ref,title,parentRef', 'K,Known,', 'L,Moved,']);
    const filler = many === '' ? [] : Array.from({ length: 1200 }, (_, index) => `F.${index},Filler,A.1`);
    const file = [...rows, ...filler, 'K,Known,', 'L,Moved,A.1', 'F.0,Changed,K'];
    const check = await importCsv(framework, file, '?dryRun=true');
    const before = await outlineOf(framework);
    expect(before).toEqual(['/K 1', '/L 2']);
    const done = await importCsv(framework, file);
    const counts = ({ created, updated, unchanged, failed }: typeof check) => ({ created, updated, unchanged, failed });
    expect(counts(check)).toEqual(counts(done));
    expect(check.errors).toEqual(done.errors);
    expect(counts(done)).toMatchObject({ failed: 3 });
  });
});

describe('a file of people', () => {
  test('comes back from an export unchanged, also with a parent whose row is later', async () => {
    const framework = await newFramework();
    await importCsv(framework, [
      'Ref,Title,Parent,Assessable,Applicable,Justification,Position,Description',
      'A,Top,,No,yes,,5,Text of A',
      'A.1,Below,A,Yes,no,Not used,1,',
    ]);
    expect(await byRef(framework, 'A')).toMatchObject({ assessable: false, position: 5 });
    expect(await byRef(framework, 'A.1')).toMatchObject({ applicable: false, justification: 'Not used', position: 1 });
    const { text } = await http('GET', `/external/framework/${framework}/requirement/list?format=people`, {
      key: acme.key,
      headers: { Accept: 'text/csv' },
    });
    expect(text).toContain('Yes');
    expect(await importFile(acme, path(framework), text)).toMatchObject({ unchanged: 2, errors: [], state: 'done' });
    const { text: api } = await http('GET', `/external/framework/${framework}/requirement/list`, {
      key: acme.key,
      headers: { Accept: 'text/csv' },
    });
    expect(await importFile(acme, path(framework), api)).toMatchObject({ unchanged: 2, failed: 0 });
    expect(await importFile(acme, path(framework, '?mode=replace'), api)).toMatchObject({ unchanged: 2, failed: 0 });
  });
});

describe('the undo of an import of requirements', () => {
  const undo = async (importUniqueId: string) => {
    const { uniqueId } = await caller.import.undo({ importUniqueId });
    await runImports(acme);
    return caller.import.get({ importUniqueId: uniqueId });
  };

  test('deletes what was made, those below first, and gives the others their outline back', async () => {
    const framework = await newFramework();
    await importCsv(framework, ['ref,title,parentRef', 'A,A,', 'B,B,A', 'C,C,B']);
    const before = await caller.requirement.export({ framework });
    const { uniqueId } = await importCsv(framework, ['ref,title,parentRef', 'N,New,', 'N.1,New,N', 'C,Moved,N.1']);
    expect(await undo(uniqueId)).toMatchObject({ state: 'done', deleted: 2, updated: 1, skipped: 0 });
    const after = await caller.requirement.export({ framework });
    expect(after.items.map(({ title, parentRef }) => [title, parentRef])).toEqual(
      before.items.map(({ title, parentRef }) => [title, parentRef]),
    );
  });

  test('keeps a requirement that a task or a gap names, and those above it', async () => {
    const framework = await newFramework();
    const { uniqueId } = await importCsv(framework, ['ref,title,parentRef', 'A,A,', 'A.1,B,A', 'C,C,']);
    const linked = await byRef(framework, 'A.1');
    await acme.task.create({ framework: acme.framework, title: 'Linked', requirements: [linked?.uniqueId ?? ''] });
    expect(await undo(uniqueId)).toMatchObject({ deleted: 1, skipped: 2 });
    const { items } = await caller.import.skipped({
      importUniqueId: (await caller.import.list()).items[0]?.uniqueId ?? '',
    });
    expect(items.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('“A A” is kept: requirement: has 1 requirement below it'),
      'Tasks or gaps are linked to “A.1 B”.',
    ]);
  });
});
