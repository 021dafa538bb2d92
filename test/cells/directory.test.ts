import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hashRawKey } from '../../entities/api-key/raw-key.ts';
import { asOwner, ownerUrl, sql, tamper } from '../support/database/database.ts';
import { startApp } from '../support/http/app.ts';
import { url } from '../support/http/server.ts';
import { runProgram } from '../support/servers/service-process.ts';
import { OPERATOR_TOKEN, createCompany, operator } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';

const root = join(import.meta.dirname, '..', '..');
const COMMAND = ['directory', 'export', '--server'];

const lineOf = ({ key }: { key: string }, { id }: Pick<TestCompany, 'id'>) => `${hashRawKey(key)} ${id}`;
const endOf = ({ key }: { key: string }) => `- ${hashRawKey(key)}`;

/** Keys of the companies in a list, in any order. */
const ofCompanies = (lines: readonly string[], ...companies: Pick<TestCompany, 'id'>[]) =>
  lines.filter((line) => companies.some(({ id }) => line.endsWith(` ${id}`))).toSorted();

test.runIf(ownerUrl === undefined)('on the embedded database the command says that cells need PostgreSQL', async () => {
  for (const options of [[], ['--follow']])
    expect(await runProgram('cli/manage.ts', [...COMMAND, url, ...options], { OPERATOR_TOKEN })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'DATABASE_URL: required for cells, which need PostgreSQL\n',
    });
});

describe.runIf(ownerUrl !== undefined)('the command directory export', () => {
  test('prints each secret that is not revoked, with its company, and the old one of a rotation while it works', async () => {
    const acme = await createCompany();
    const { manage } = acme;
    const disabled = await manage.apiKey.create({ name: 'Disabled' });
    await manage.apiKey.update({ uniqueId: disabled.uniqueId, enabled: false });
    const expired = await manage.apiKey.create({ name: 'Expired' });
    await tamper(`update api_key set expires_at = now() - interval '1 day' where unique_id = '${expired.uniqueId}'`);
    const revoked = await manage.apiKey.create({ name: 'Revoked' });
    await manage.apiKey.revoke({ uniqueId: revoked.uniqueId });
    const old = await manage.apiKey.create({ name: 'Rotated' });
    const rotated = await manage.apiKey.rotate({ uniqueId: old.uniqueId, overlapSeconds: 3600 });
    const oldAtOnce = await manage.apiKey.create({ name: 'Rotated at once' });
    const rotatedAtOnce = await manage.apiKey.rotate({ uniqueId: oldAtOnce.uniqueId, overlapSeconds: 0 });
    const closed = await createCompany('Closed');
    await closed.manage.company.close({ name: 'Closed' });

    const { code, stdout, stderr } = await runProgram('cli/manage.ts', [...COMMAND, url], { OPERATOR_TOKEN });
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.filter((line) => !/^[0-9a-f]{64} [1-9]\d*$/.test(line))).toEqual([]);
    expect(ofCompanies(lines, acme, closed)).toEqual(
      [acme, disabled, expired, old, rotated, rotatedAtOnce].map((key) => lineOf(key, acme)).toSorted(),
    );
  });

  test('with --follow prints the list, an empty line and each change, and fails with one line when the server stops', async () => {
    const acme = await createCompany();
    const { manage } = acme;
    const other = await createCompany('Other');
    const app = await startApp({});
    const child = spawn(process.execPath, ['cli/manage.ts', ...COMMAND, app.url, '--follow'], {
      cwd: root,
      env: { ...process.env, OPERATOR_TOKEN },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => (stdout += String(chunk)));
    child.stderr.on('data', (chunk) => (stderr += String(chunk)));
    const closed = once(child, 'close');
    /** Complete lines after the list. */
    const changes = () =>
      stdout
        .slice(stdout.indexOf('\n\n') + 2)
        .split('\n')
        .slice(0, -1);
    await expect.poll(() => stdout).toContain('\n\n');
    const [list = ''] = stdout.split('\n\n');
    expect(ofCompanies(list.split('\n'), acme, other)).toEqual([lineOf(acme, acme), lineOf(other, other)].toSorted());

    const added = await manage.apiKey.create({ name: 'New' });
    const expected = [lineOf(added, acme)];
    await expect.poll(changes).toEqual(expected);
    const rotated = await manage.apiKey.rotate({ uniqueId: added.uniqueId, overlapSeconds: 2 });
    expected.push(lineOf(rotated, acme), endOf(added));
    await expect.poll(changes).toEqual(expected);
    // A second rotation ends the first old secret, which the database then has no more.
    const second = await manage.apiKey.rotate({ uniqueId: added.uniqueId, overlapSeconds: 3600 });
    const third = await manage.apiKey.rotate({ uniqueId: added.uniqueId, overlapSeconds: 3600 });
    await expect.poll(changes).toContain(lineOf(third, acme));
    await expect.poll(changes).toContain(endOf(rotated));
    await manage.apiKey.update({ uniqueId: added.uniqueId, name: 'Renamed' });
    expected.push(...changes().slice(expected.length));
    await manage.apiKey.revoke({ uniqueId: added.uniqueId });
    expected.push(endOf(third), endOf(second));
    await expect.poll(changes).toEqual(expected);

    await other.manage.company.close({ name: 'Other' });
    expected.push(endOf(other));
    await expect.poll(changes).toEqual(expected);
    await other.manage.company.reopen({ name: 'Other' });
    expected.push(lineOf(other, other));
    await expect.poll(changes).toEqual(expected);
    // A company that comes from another cell, and one whose close the command missed, as it is erased already.
    const moved = { id: 60_000_000, key: 'moved' };
    await tamper(
      `insert into company (id, name) values (${moved.id}, 'Moved')`,
      `insert into api_key (company_id, unique_id, user_id, name, hash, start, last4)
      values (${moved.id}, gen_random_uuid(), gen_random_uuid(), 'Key', decode('${hashRawKey(moved.key)}', 'hex'), 'svc_sk_live_abcd', 'wxyz')`,
    );
    expected.push(lineOf(moved, moved));
    await expect.poll(changes).toEqual(expected);
    await tamper(
      `delete from api_key where company_id = ${moved.id}`,
      `delete from company where id = ${moved.id}`,
      `insert into erased_company (id, sequence, hash) values (${moved.id}, 1, repeat('0', 64))`,
    );
    onTestFinished(() => tamper(`delete from erased_company where id = ${moved.id}`));
    expected.push(endOf(moved));
    await expect.poll(changes).toEqual(expected);

    await app.stop();
    await closed;
    expect([child.exitCode, stderr]).toEqual([1, `no server at ${app.url}; use --server or PORT\n`]);
  });
});

describe.runIf(ownerUrl !== undefined)('changes of the directory', () => {
  const { list, changes } = operator.directory;

  /** Keys of one company that changed since a moment. */
  async function changedSince(since: Parameters<typeof changes>[0]['since'], company: number) {
    const keys: string[] = [];
    for (let after: Parameters<typeof changes>[0]['after'] | undefined; after !== null;) {
      const page = await changes({ since, after: after ?? null });
      keys.push(...page.keys.filter((one) => one.company === company).map(({ key }) => key));
      after = page.next;
    }
    return keys;
  }

  test('include a change that was under way at the moment, and was committed after it', async () => {
    const acme = await createCompany();
    const { moment } = await asOwner(async (run) => {
      await run('set local session_replication_role = replica');
      await run('update api_key set revoked_at = now() where unique_id = $1', acme.apiKey.uniqueId);
      // Later transactions end before this one.
      await createCompany('Other');
      return changes({ since: null, after: null });
    });
    expect(await changedSince(moment, acme.id)).toEqual([acme.apiKey.uniqueId]);
  });

  test('leave out keys that did not change', async () => {
    const acme = await createCompany();
    await createCompany('Other');
    // Transactions of other tests that are under way keep the moment back: their end moves it on.
    await expect
      .poll(async () => {
        const { moment } = await changes({ since: null, after: null });
        return changedSince(moment, acme.id);
      })
      .toEqual([]);
  });

  test('and lists have every key once, over several pages', async () => {
    const acme = await createCompany();
    const { moment } = await changes({ since: null, after: null });
    await tamper(
      `insert into api_key (company_id, unique_id, user_id, name, hash, start, last4)
      select ${acme.id}, gen_random_uuid(), gen_random_uuid(), 'Key', sha256((${acme.id} || ' ' || n)::text::bytea), 'svc_sk_live_abcd', 'wxyz'
      from generate_series(1, 4500) n`,
    );
    const stored = await sql<{ key: string }>(
      'select unique_id as key from api_key where company_id = $1 order by unique_id',
      acme.id,
    );
    const expected = stored.map(({ key }) => key);
    const listed: string[] = [];
    let pages = 0;
    for (let after: Parameters<typeof list>[0]['after'] | undefined; after !== null; pages += 1) {
      const page = await list({ company: acme.id, after: after ?? null });
      listed.push(...page.keys.map(({ key }) => key));
      after = page.next;
    }
    expect([pages, listed]).toEqual([3, expected]);
    // A transaction of another test that was under way at the moment may list the older key too.
    const others = (keys: readonly string[]) => keys.filter((key) => key !== acme.apiKey.uniqueId);
    expect(others(await changedSince(moment, acme.id))).toEqual(others(expected));
    await tamper(`delete from api_key where company_id = ${acme.id} and name = 'Key'`);
  });
});
