import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cell } from '../../cli/move.ts';
import { abortMove, moveCompany } from '../../cli/move.ts';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { FILE_CHUNK_BYTES } from '../../entities/file/file-chunk.ts';
import { FilePage } from '../../procedures/management/move/schemas.ts';
import { cellAt, startOtherCell } from '../support/cells/cell.ts';
import { sqlOn } from '../support/database/client.ts';
import { databaseUrl, sql } from '../support/database/database.ts';
import { eraseCompany } from '../support/database/erase.ts';
import { Browser } from '../support/http/browser.ts';
import { http, serverStorage, url as ownUrl } from '../support/http/server.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { PASSWORD, passwordHash } from '../support/tenants/sign-in.ts';
import { sealAll } from '../support/tenants/webhooks.ts';

describe.runIf(databaseUrl !== undefined)('after a move between two cells (PostgreSQL only)', () => {
  let other: Awaited<ReturnType<typeof startOtherCell>>;
  let owner: Client;

  beforeAll(async () => {
    other = await startOtherCell(String(process.env['DATABASE_URL']));
    owner = new Client({ connectionString: other.ownerUrl });
    await owner.connect();
  });
  afterAll(() => owner.end());

  const here = (company: { id: number }) => cellAt(ownUrl, company);
  const statusAt = async (baseUrl: string, { key }: { key: string }) =>
    (await http('GET', '/external/api-key/whoami', { key, baseUrl })).status;
  const there = (company: { id: number }) => cellAt(other.url, company);

  test('a company returns once its copy is erased, and a feed and an Idempotency-Key continue', async () => {
    const company = await createCompany('Returns');
    const { id, key } = company;
    const create = (baseUrl: string, name: string) =>
      http('POST', '/external/smart-inventory/vendor/new', {
        key,
        baseUrl,
        headers: { 'Idempotency-Key': `create ${name}` },
        body: { name },
      });
    const sequences: number[] = [];
    let cursor = '';
    const follow = async (baseUrl: string) => {
      const { body } = await http('GET', `/external/changes${cursor}`, { key, baseUrl });
      const page = Object(body) as { items: { sequence: number }[]; cursor: string };
      sequences.push(...page.items.map(({ sequence }) => sequence));
      cursor = `?cursor=${encodeURIComponent(page.cursor)}`;
    };
    const first = await create(ownUrl, 'before');
    await sealAll(company);
    await follow(ownUrl);
    await moveCompany(here(company), there(company), id);
    expect(await create(other.url, 'before')).toMatchObject({
      status: 201,
      body: first.body,
      headers: { 'idempotency-replayed': 'true' },
    });
    await create(other.url, 'there');
    await expect(moveCompany(there(company), here(company), id)).rejects.toThrow(
      `company: ${id} was moved away from that cell; run company erase there before it returns`,
    );
    expect((await create(other.url, 'still there')).status).toBe(201);
    await eraseCompany(company, 'Returns', serverStorage);
    await moveCompany(there(company), here(company), id);
    expect(await create(ownUrl, 'before')).toMatchObject({ status: 201, body: first.body });
    expect((await create(ownUrl, 'back')).status).toBe(201);
    await sealAll(company);
    await follow(ownUrl);
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
    const names = await sql<{ name: string }>('select name from vendor where company_id = $1 order by created_at', id);
    expect(names.map(({ name }) => name)).toEqual(['before', 'there', 'still there', 'back']);
    expect(await company.manage.audit.verify({})).toMatchObject({ intact: true, sealed: sequences.length });
  });

  test('a copy with another content, a missing row or a file that does not arrive is not served', async () => {
    const company = await createCompany('Altered');
    await company.vendor.create({ name: 'Original' });
    await company.manage.apiKey.update({ uniqueId: company.apiKey.uniqueId, scopes: [...SCOPES] });
    const { uniqueId: task } = await company.newTask();
    const file = { key: company.key, headers: { 'Content-Type': 'text/plain' }, body: 'Access review.' };
    expect((await http('POST', `/external/task/${task}/evidence/new?name=Review.txt`, file)).status).toBe(201);
    const to = there(company);
    /** The other cell, which receives other rows of a table. */
    const altered = (table: string, alter: (rows: string) => string): Cell => ({
      ...to,
      call: (name, input) => {
        const { table: received, rows = '' } = Object(input) as { table?: string; rows?: string };
        const isAltered = name === 'company.arrivalRows' && received === table;
        return to.call(name, isAltered ? { ...input, rows: alter(rows) } : input);
      },
    });
    const withoutFile: Cell = { ...to, url: `${to.url}/nowhere` };
    for (const [cell, message] of [
      [altered('vendor', (rows) => rows.replace('Original', 'Changed')), /vendor has 1 rows, expected 1 with the same/],
      [altered('vendor', () => '[]'), /vendor has 0 rows, expected 1/],
      [
        altered('api_key', (rows) => rows.replace('"revoked_at": null', '"revoked_at": "2026-01-01T00:00:00Z"')),
        /api_key has 1 rows, expected 1 with the same/,
      ],
      [
        altered('audit_event', (rows) => rows.replace('Original', 'Changed')),
        /audit_event|the audit log is not intact/,
      ],
      [withoutFile, /^No such path/],
    ] as const) {
      await expect(moveCompany(here(company), cell, company.id)).rejects.toThrow(message);
      expect(await statusAt(other.url, company)).toBe(401);
      await abortMove(here(company), company.id, () => to);
    }
    await moveCompany(here(company), to, company.id);
    expect(await statusAt(other.url, company)).toBe(200);
  });

  test('a file that has arrived in part is sent again, and one that has arrived is not', async () => {
    const company = await createCompany('Interrupted');
    await company.manage.apiKey.update({ uniqueId: company.apiKey.uniqueId, scopes: [...SCOPES] });
    const { uniqueId: task } = await company.newTask();
    for (const name of ['Whole', 'Part']) {
      const body = `${name} `.repeat((3 * FILE_CHUNK_BYTES) / 5);
      const file = { key: company.key, headers: { 'Content-Type': 'text/plain' }, body };
      expect((await http('POST', `/external/task/${task}/evidence/new?name=${name}`, file)).status).toBe(201);
    }
    const to = there(company);
    const cutBeforeTheEnd: Cell = {
      ...to,
      call: (name, input) =>
        name === 'company.arrivalComplete' ? Promise.reject(new Error('cut')) : to.call(name, input),
    };
    await expect(moveCompany(here(company), cutBeforeTheEnd, company.id)).rejects.toThrow('cut');
    await owner.query(`set session_replication_role = replica`);
    const { rows } = await owner.query<{ id: string }>(
      `delete from file_chunk where company_id = $1 and index > 0 and file_id = (
        select unique_id from file where company_id = $1 order by unique_id desc limit 1) returning file_id as id`,
      [company.id],
    );
    await owner.query(`set session_replication_role = origin`);
    const [{ id: partial }] = rows as [{ id: string }];
    let missing: string[] = [];
    const watched: Cell = {
      ...to,
      call: async (name, input) => {
        const result = await to.call(name, input);
        if (name === 'company.arrivalFiles') missing = missing.concat(FilePage.parse(result).missing);
        return result;
      },
    };
    await moveCompany(here(company), watched, company.id);
    expect(missing).toEqual([partial]);
    const chunks = 'select file_id, index, md5(bytes) from file_chunk where company_id = $1 order by 1, 2';
    expect((await owner.query(chunks, [company.id])).rows).toEqual(await sql(chunks, company.id));
  });

  test('a member whose email another person of the cell has accepts the invitation that the move made', async () => {
    const company = await createCompany('Unclaimed');
    const email = `ann-${company.id}@example.com`;
    const ann = await createMember(company, { role: 'editor', email, password: passwordHash });
    const account = '0199c0de-7000-7000-8000-00000000a001';
    const otherSql = sqlOn(owner);
    await otherSql(
      'insert into person (unique_id, email, name, password, proven_at) values ($1, $2, $3, $4, now())',
      account,
      email,
      'Ann Other',
      passwordHash,
    );
    const { invitations } = await moveCompany(here(company), there(company), company.id);
    expect(invitations).toEqual([{ email, link: expect.stringMatching(/^http:\/\/localhost\/invitation\/\S+$/) }]);
    const token = invitations[0]?.link.split('/').at(-1);
    const browser = new Browser(other.url, {});
    expect((await browser.send('POST', '/session/invitation/look', { token })).body).toEqual({
      company: 'Unclaimed',
      email,
      role: 'editor',
      account: null, // the link was printed
    });
    expect((await browser.send('POST', '/session/invitation', { token, password: 'not the password' })).status).toBe(
      422,
    );
    expect((await browser.send('POST', '/session/invitation', { token, password: PASSWORD })).status).toBe(204);
    const members = await owner.query('select person_id from member where unique_id = $1', [ann.uniqueId]);
    expect(members.rows).toEqual([{ person_id: account }]);
  });
});
