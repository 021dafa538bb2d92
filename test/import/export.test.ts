import { parse } from 'csv-parse/sync';
import { describe, expect } from 'vitest';
import { test } from '../support/fixtures/test.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { VENDORS, download, importFile, tasksOf } from '../support/tenants/imports.ts';
import { recorded } from '../support/tenants/samples.ts';
import { readPages } from '../support/tenants/pages.ts';
import { http } from '../support/http/server.ts';
import { tamper } from '../support/database/database.ts';

const HOSTILE_NAMES = ['=1+1', "'=1", "''@x", "'plain", '+49', '-', '＝1', 'a,"b"', 'a;b', "it's", '"', 'Ünïcode 😀'];

const FACTS = {
  website: 'https://cloud.example/?a=1,2',
  criticality: 1,
  labels: ['=a', "'b"],
  dataCategories: ['customer data'],
  contractStart: '2026-01-01',
  contractEnd: '2026-12-31',
  reviewEveryMonths: 6,
  nextReview: '2026-06-30',
  contacts: [{ name: '=Ada', email: 'ada@cloud.example', role: null }],
};

async function withVendors(): Promise<TestCompany> {
  const acme = await createCompany();
  const { uniqueId: ownerId } = await createMember(acme, { name: '=Ann' });
  for (const [index, name] of HOSTILE_NAMES.entries())
    await acme.vendor.putByExternalId({
      source: 'erp',
      externalId: `=${index}`,
      name,
      description: `${name}\r\n${name}\n\t${name}`,
      status: index % 3 === 0 ? 'archived' : index % 3 === 1 ? 'inactive' : 'active',
      ...(index % 2 === 0 && { ...FACTS, ownerId }),
    });
  const [active] = (await acme.vendor.page({ status: 'active', limit: 1 })).items;
  await acme.vendor.review({ vendor: active?.uniqueId ?? '', note: '=1+1' });
  return acme;
}

describe('an export of vendors', () => {
  test('is a CSV file with a byte order mark, CRLF and every field in a fixed order', async () => {
    const acme = await withVendors();
    const response = await download(acme.key, `${VENDORS}/list`, 'text/csv');
    expect(response).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="vendors.csv"',
        'x-total-count': String(HOSTILE_NAMES.length),
      },
    });
    const header =
      'uniqueId,name,status,active,description,website,criticality,labels,dataCategories,contractStart,contractEnd,reviewEveryMonths,nextReview,contacts,owner,ownerId,lastReview,externalIds,createdAt,updatedAt,createdBy,updatedBy,version\r\n';
    expect(response.text.startsWith(`\u{feff}${header}`)).toBe(true);
    const records: Record<string, string>[] = parse(response.text, {
      bom: true,
      columns: true,
      record_delimiter: '\r\n',
    });
    expect(records).toHaveLength(HOSTILE_NAMES.length);
    for (const record of records)
      for (const cell of Object.values(record)) expect(cell).not.toMatch(/^[=+\-@\t\r＝＋－＠]/);
    const [first] = (await acme.vendor.page({ limit: 1, view: 'full' })).items;
    expect(records[0]).toMatchObject({ uniqueId: first?.uniqueId, createdBy: acme.apiKey.user.name, version: '1' });
  });

  test('is NDJSON with whole vendors, as the list has them but for the number of evidence', async () => {
    const acme = await withVendors();
    const response = await download(acme.key, `${VENDORS}/list`, 'application/x-ndjson');
    expect(response.headers['content-type']).toBe('application/x-ndjson');
    const lines = response.text.trimEnd().split('\n');
    const { items } = await acme.vendor.page({ limit: 100, view: 'full' });
    const expected = items.map((item) =>
      Object.assign(recorded(item), { ownerId: 'owner' in item ? (item.owner?.uniqueId ?? null) : undefined }),
    );
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(expected);
  });

  test('has the ids of one source in the column externalId', async () => {
    const acme = await withVendors();
    await acme.vendor.create({ name: 'No id' });
    const { text } = await download(acme.key, `${VENDORS}/list?source=erp&q=no%20id`, 'application/x-ndjson');
    expect(JSON.parse(text)).toMatchObject({ name: 'No id', externalId: null });
    const csv = await download(acme.key, `${VENDORS}/list?source=erp`, 'text/csv');
    const records: Record<string, string>[] = parse(csv.text, { bom: true, columns: true });
    const ids = records.map(({ externalId }) => String(externalId)).toSorted();
    expect(ids).toEqual(['', ...HOSTILE_NAMES.map((_, index) => `'=${index}`).toSorted()]);
    const other = await download(acme.key, `${VENDORS}/list?source=other&q=no%20id`, 'text/csv');
    expect(other.text.endsWith(',1,\r\n')).toBe(true);
  });

  test('respects the filters', async () => {
    const acme = await withVendors();
    const { text } = await download(acme.key, `${VENDORS}/list?status=archived`, 'application/x-ndjson');
    expect(text.trimEnd().split('\n')).toHaveLength(4);
    const none = await download(acme.key, `${VENDORS}/list?q=nothing`, 'text/csv');
    expect(none.text.split('\r\n')).toHaveLength(2);
  });

  test.for(['limit=5', 'cursor=x', 'limit=abc', 'view=full', 'source=A', 'colour=red'])(
    'rejects ?%s',
    async (query) => {
      const { key } = await createCompany();
      const response = await download(key, `${VENDORS}/list?${query}`, 'text/csv');
      const [field] = query.split('=');
      expect(response).toMatchObject({ status: 400, body: { error: expect.stringContaining(`${field}: `) } });
    },
  );

  test('is JSON unless Accept names the file', async () => {
    const acme = await withVendors();
    const json = await http('GET', `${VENDORS}/list`, { key: acme.key });
    for (const accept of ['*/*', 'text/*', 'text/html', 'application/json, text/csv', 'text/csv;q=0', 'text/csvx'])
      expect((await download(acme.key, `${VENDORS}/list`, accept)).body).toEqual(json.body);
    const source = await http('GET', `${VENDORS}/list?source=erp`, { key: acme.key });
    expect(source).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('source: unknown parameter') },
    });
  });

  test('has every vendor of many pages, and only those of the company', async ({ acme, other }) => {
    await other.vendor.create({ name: 'Foreign' });
    await tamper(`insert into vendor (company_id, unique_id, name, created_by_id, updated_by_id)
      select ${acme.id}, uuid_v7(), 'Vendor ' || i, '${acme.apiKey.user.uniqueId}', '${acme.apiKey.user.uniqueId}' from generate_series(1, 1203) i`);
    const { text, headers } = await download(acme.key, `${VENDORS}/list`, 'text/csv');
    const records: Record<string, string>[] = parse(text, { bom: true, columns: true });
    expect(new Set(records.map(({ name }) => name)).size).toBe(1203);
    expect(headers['x-total-count']).toBe('1203');
    expect(text).not.toContain('Foreign');
  });

  test('responds to HEAD without a body', async () => {
    const { key } = await createCompany();
    const response = await http('HEAD', `${VENDORS}/list`, { key, headers: { Accept: 'text/csv' } });
    expect(response).toMatchObject({ status: 200, text: '', headers: { 'content-type': 'text/csv; charset=utf-8' } });
  });
});

describe('an export of tasks', () => {
  test('has labels and gaps as JSON', async ({ acme }) => {
    await acme.newTask({
      labels: ['=a', 'b,"c'],
      gaps: [acme.gap],
      departmentId: acme.department,
      dueDate: '2026-12-31',
    });
    const { text, headers } = await download(acme.key, `${tasksOf(acme)}/list`, 'text/csv');
    expect(headers['content-disposition']).toBe('attachment; filename="tasks.csv"');
    const [record]: Record<string, string>[] = parse(text, { bom: true, columns: true });
    expect(Object.keys(record ?? {}).join(',')).toBe(
      'uniqueId,framework,title,description,priority,labels,startDate,dueDate,departmentId,gaps,status,vendors,recurrence,requirements,needsEvidence,assignee,assigneeId,reviewer,reviewerId,seriesDate,previous,closedAt,closedBy,externalIds,createdAt,updatedAt,createdBy,updatedBy,version',
    );
    expect(record).toMatchObject({
      labels: '["=a","b,\\"c"]',
      gaps: `[${acme.gap}]`,
      startDate: '',
      dueDate: '2026-12-31',
      departmentId: String(acme.department),
      status: 'todo',
    });
  });

  test('has every task of the framework that matches, also over several pages', async ({ acme }) => {
    await importFile(
      acme,
      `${tasksOf(acme)}/import`,
      Array.from({ length: 620 }, (_, index) => ({ title: `Task ${index}` })),
    );
    const first = await acme.task.export({ framework: acme.framework });
    const second = await acme.task.export({ framework: acme.framework, cursor: String(first.nextCursor) });
    expect([first.total, first.items.length, second.items.length, second.nextCursor]).toEqual([620, 500, 120, null]);
    const { text } = await download(acme.key, `${tasksOf(acme)}/list`, 'application/x-ndjson');
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([...first.items, ...second.items]);
    const some = await download(acme.key, `${tasksOf(acme)}/list?q=Task%2061&sort=createdAt`, 'application/x-ndjson');
    expect(some.text.trimEnd().split('\n')).toHaveLength(11);
  });

  test.for(['vendor', 'task'] as const)(
    'of the kind %s over tRPC has the parts of the CSV file',
    async (kind, { acme }) => {
      const [path, title] = kind === 'vendor' ? [VENDORS, 'name'] : [tasksOf(acme), 'title'];
      const rows = Array.from({ length: 5 }, (_, index) => ({ [title]: `=${index}, "quoted"` }));
      await importFile(acme, `${path}/import`, rows);
      const query = { framework: acme.framework, limit: 2, source: 'erp' };
      const pages = readPages((from) =>
        kind === 'task'
          ? acme.task.exportCsv({ ...query, ...from })
          : acme.vendor.exportCsv({ limit: query.limit, source: query.source, ...from }),
      );
      const parts = await Array.fromAsync(pages);
      expect(parts.map((one) => [one.rows, one.total])).toEqual([
        [2, 5],
        [2, 2],
        [1, 1],
      ]);
      const { text } = await download(acme.key, `${path}/list?source=erp`, 'text/csv');
      expect(parts.map(({ content }) => content).join('')).toBe(text);
    },
  );

  test('of an unknown or forbidden framework is an error', async ({ acme }) => {
    expect((await download(acme.key, '/external/task/framework/999999/list', 'text/csv')).status).toBe(404);
    const other = await acme.manage.framework.create({ name: 'Other' });
    const { key } = await acme.manage.apiKey.create({ name: 'Narrow', frameworks: [acme.framework] });
    expect((await download(key, `/external/task/framework/${other.id}/list`, 'text/csv')).status).toBe(403);
  });
});

describe('an import of an export with external ids', () => {
  test.for(['text/csv', 'application/x-ndjson'])('changes nothing: %s', async (accept) => {
    const acme = await withVendors();
    const vendors = (await acme.vendor.list()).slice(0, 2).map(({ uniqueId }) => uniqueId);
    await acme.vendor.create({ name: 'Made by a person' });
    await acme.newTask({ title: 'Made by a person' });
    for (const [index, status] of (['todo', 'done', 'canceled', 'in_review'] as const).entries())
      await acme.task.putByExternalId({
        framework: acme.framework,
        source: 'erp',
        externalId: `-${index}`,
        title: `=Task ${index}`,
        description: '<p>+1</p>\r\n',
        labels: ['=x', "'y"],
        gaps: [acme.gap],
        departmentId: acme.department,
        startDate: '2026-01-01',
        ...(index % 2 === 0 && { vendors, recurrence: 'INTERVAL=2;FREQ=DAILY', dueDate: '2026-02-01' }),
        status,
      });
    const events = await acme.events();
    for (const [list, path, count] of [
      [`${VENDORS}/list`, `${VENDORS}/import`, HOSTILE_NAMES.length + 1],
      [`${tasksOf(acme)}/list`, `${tasksOf(acme)}/import`, 5],
    ] as const) {
      const file = await download(acme.key, `${list}?source=erp`, accept);
      const body =
        accept === 'text/csv'
          ? file.text
          : file.text
              .trimEnd()
              .split('\n')
              .map((line) => JSON.parse(line) as object);
      for (const mode of ['replace', 'merge'])
        expect(await importFile(acme, `${path}?source=erp&mode=${mode}`, body)).toMatchObject({
          state: 'done',
          rows: count,
          unchanged: count,
          failed: 0,
        });
    }
    expect(await acme.events()).toEqual(events);
  });
});
