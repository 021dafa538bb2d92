import { beforeAll, describe, expect, test } from 'vitest';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { catalogToRows } from '../../procedures/import/catalog/convert.ts';
import { readCatalog } from '../../procedures/import/catalog/catalog.ts';
import { http } from '../support/http/server.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { readImport, runImports } from '../support/tenants/imports.ts';

const label = (value: string, given?: string) => ({
  name: 'label',
  value,
  ...(given !== undefined && { class: given }),
});
const item = (name: string, prose: string, more: object = {}) => ({ name, prose, ...more });

/** A catalog with every construct that the import knows. */
const CATALOG = {
  catalog: {
    uuid: crypto.randomUUID(),
    metadata: { title: 'House rules', version: '1' },
    params: [{ id: 'owner', values: ['the owner'] }],
    groups: [
      {
        id: 'ac',
        title: 'Access',
        params: [{ id: 'often', select: { 'how-many': 'one', choice: ['daily', 'every {{ insert: param, days }}'] } }],
        parts: [item('overview', 'Who may see what.')],
        controls: [
          {
            id: 'ac-1',
            title: 'Policy by {{ insert: param, owner }}',
            params: [
              { id: 'days', label: 'number of days', constraints: [{ description: 'at most 30' }] },
              { id: 'empty' },
              { id: 'self', label: 'around {{ insert: param, self }}' },
            ],
            props: [label('AC-01', 'padded'), label('AC-1'), { name: 'sort-id', value: 'ac-01' }],
            parts: [
              item('statement', 'Decide {{ insert: param, often }} & {{ insert: param, nobody }}:', {
                parts: [
                  item('item', 'write <it> down;', {
                    props: [label('a.')],
                    parts: [item('item', 'at length')],
                  }),
                  item('item', 'ask {{ insert: param, empty }} or {{param: self}}', { props: [label('b.')] }),
                ],
              }),
              item('guidance', 'See [the chapter](#ac).\n\nSecond paragraph.'),
              item('objective', 'Not shown'),
              item('assessment-method', 'Not shown'),
            ],
            controls: [
              { id: 'ac-1.1', title: 'Enhancement', props: [label('AC-1(1)', 'only')] },
              {
                id: 'ac-1.2',
                title: 'Gone',
                props: [{ name: 'status', value: 'Withdrawn' }],
                controls: [{ id: 'x', title: 'X' }],
              },
            ],
          },
        ],
        groups: [{ id: 'ac-b', title: 'Inner', controls: [{ id: 'ac-2', title: 'Inside' }] }],
      },
    ],
    controls: [{ id: 'top', title: 'Alone' }],
  },
};

describe('the rows of a catalog', () => {
  const rows = readCatalog(JSON.stringify(CATALOG));

  test('are its groups and controls in the order of the document, without what was withdrawn', () => {
    expect(rows.map(({ position, parentRef, ref, assessable }) => [position, parentRef, ref, assessable])).toEqual([
      [1, null, 'AC', false],
      [2, 'AC', 'AC-B', false],
      [3, 'AC-B', 'AC-2', true],
      [4, 'AC', 'AC-1', true],
      [5, 'AC-1', 'AC-1(1)', true],
      [6, null, 'TOP', true],
    ]);
  });

  test('have texts with parameters in brackets, nested items as lists, and no objectives', () => {
    expect(rows[0]?.description).toBe('<p>Who may see what.</p>');
    expect(rows[3]).toMatchObject({
      title: 'Policy by [the owner]',
      description:
        '<p>Decide [daily; every [number of days]] &amp; […]:</p>' +
        '<ul><li>a. write &lt;it&gt; down;<ul><li>at length</li></ul></li><li>b. ask […] or [around […]]</li></ul>' +
        '<p>See the chapter.</p><p>Second paragraph.</p>',
    });
  });

  test('are those of a file with a byte order mark too', () => {
    expect(readCatalog(`\uFEFF${JSON.stringify(CATALOG)}`)).toEqual(rows);
  });

  test.each<[object | string, string]>([
    ['{', 'expected an OSCAL catalog as JSON'],
    ['[]', 'catalog: expected an OSCAL catalog'],
    [{ profile: {} }, 'catalog: expected an OSCAL catalog'],
    [{ catalog: { groups: {} } }, 'catalog.groups: expected an array'],
    [{ catalog: { groups: [{ title: 'G', controls: ['x'] }] } }, 'catalog.groups[0].controls[0]: expected an object'],
    [{ catalog: { groups: [{ title: 'G' }] } }, 'catalog.groups[0]: expected an id or a label'],
    [{ catalog: { controls: [{ title: 'T' }] } }, 'catalog.controls[0]: expected an id'],
    [{ catalog: { controls: [{ id: 'a' }] } }, 'catalog.controls[0]: expected a title'],
    [
      {
        catalog: {
          controls: [
            { id: 'a', title: 'A' },
            { id: 'A', title: 'B' },
          ],
        },
      },
      'catalog.controls[1]: has the ref A of catalog.controls[0]',
    ],
  ])('do not come from %j', (document, reason) => {
    const text = typeof document === 'string' ? document : JSON.stringify(document);
    expect(() => readCatalog(text)).toThrow(reason);
  });

  test('stay small when parameters name each other', () => {
    const twice = (id: number) => ({ id: `p${id}`, label: `{{ insert: param, p${id + 1} }} `.repeat(20) });
    const params = Array.from({ length: 30 }, (_, index) => twice(index));
    const controls = [{ id: 'a', title: 'A', parts: [item('statement', '{{ insert: param, p0 }}')] }];
    const [row] = readCatalog(JSON.stringify({ catalog: { params, controls } }));
    expect(row?.description.length).toBe(25_000);
  });

  test('are refused for a document that is nested too deeply', async () => {
    const depth = 100_000;
    const text = `{"catalog":${'{"groups":['.repeat(depth)}${']}'.repeat(depth)}}`;
    await expect(catalogToRows(text)).rejects.toThrow('catalog: is nested too deeply, or too large');
  });
});

describe('the import of a catalog', () => {
  let acme: TestCompany & { key: string };
  let caller: Awaited<ReturnType<typeof callerForKey>>;
  let framework: number;

  beforeAll(async () => {
    const company = await createCompany();
    const { key } = await company.manage.apiKey.create({ name: 'Catalogs', scopes: [...SCOPES] });
    acme = { ...company, key };
    caller = await callerForKey(key);
    ({ id: framework } = await company.manage.framework.create({ name: 'House rules' }));
  });

  const send = (document: object, query = '') =>
    http('POST', `/external/framework/${framework}/requirement/import${query}`, {
      key: acme.key,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(document),
    });
  const importCatalog = async (document: object, query = '') => {
    const accepted = await send(document, query);
    expect(accepted.status).toBe(202);
    await runImports(acme);
    return readImport(acme.key, accepted);
  };
  const list = async () => (await caller.requirement.export({ framework })).items;

  test('makes requirements, and keeps what the company decided when a newer one comes', async () => {
    expect(await importCatalog(CATALOG)).toMatchObject({ state: 'done', rows: 6, created: 6, failed: 0, reason: null });
    const [, , , policy] = await list();
    expect(policy).toMatchObject({ ref: 'AC-1', parentRef: 'AC', status: 'not_assessed' });
    const uniqueId = policy?.uniqueId ?? '';
    await caller.requirement.assess({ requirement: uniqueId, result: 'met' });
    await caller.requirement.update({ requirement: uniqueId, justification: 'Ours' });
    expect(await importCatalog(CATALOG, '?mode=replace')).toMatchObject({ unchanged: 6 });

    const newer = structuredClone(CATALOG);
    const [group] = newer.catalog.groups;
    const [control] = group?.controls ?? [];
    if (group === undefined || control === undefined) throw new Error('expected a group with a control');
    control.title = 'Policy, again';
    group.groups = [];
    newer.catalog.controls = [{ id: 'ac-2', title: 'Inside' }];
    expect(await importCatalog(newer)).toMatchObject({ created: 0, updated: 3, unchanged: 1 });
    const after = await list();
    expect(after.map(({ ref, parentRef, position }) => [ref, parentRef, position])).toEqual([
      ['AC', null, 1],
      ['AC-1', 'AC', 2],
      // What the newer one lacks stays.
      ['AC-B', 'AC', 2],
      ['AC-1(1)', 'AC-1', 3],
      ['AC-2', null, 4],
      ['TOP', null, 6],
    ]);
    expect(after[1]).toMatchObject({ title: 'Policy, again', status: 'met', justification: 'Ours' });
  });

  test('names a bad control without a line, and fails with the place for one that cannot be read', async () => {
    const long = { catalog: { controls: [{ id: 'l'.repeat(51), title: 'Long' }] } };
    const { failed, errors } = await importCatalog(long);
    expect(failed).toBe(1);
    expect(errors).toEqual([expect.objectContaining({ row: 1, line: null, field: 'ref' })]);
    const { state, reason } = await importCatalog({ catalog: { controls: [{ id: 'a' }] } });
    expect({ state, reason }).toEqual({ state: 'failed', reason: 'catalog.controls[0]: expected a title' });
  });

  test('is too large beyond 16 MiB', async () => {
    const { status } = await send({ catalog: { metadata: 'x'.repeat(16 * 1024 * 1024) } });
    expect(status).toBe(413);
  });

  test('reads a catalog over tRPC as the format oscal, which tasks do not have', async () => {
    const content = JSON.stringify({ catalog: { controls: [{ id: 'trpc', title: 'By tRPC' }] } });
    const { uniqueId } = await caller.requirement.import({ framework, content, format: 'oscal' });
    await runImports(acme);
    expect(await caller.import.get({ importUniqueId: uniqueId })).toMatchObject({ created: 1 });
    const asTask = { framework: acme.framework, content, format: 'oscal' };
    // @ts-expect-error -- the type of the input refuses it too
    await expect(caller.task.import(asTask)).rejects.toThrow('format');
  });
});
