import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { MAX_KEYS } from '../../entities/api-key/api-key.ts';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { MAX_FILES } from '../../entities/file/file.ts';
import { MAX_OPEN_INVITATIONS } from '../../entities/member/invitation.ts';
import { MAX_PROOFS } from '../../entities/proof/proof.ts';
import { VIEW_LIMITS } from '../../entities/view/view.ts';
import { asOwner, vacuum } from '../support/database/database.ts';
import { callTool } from '../support/http/mcp.ts';
import { http } from '../support/http/server.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { fileCaller, openTestStorage } from '../support/storage/evidence-files.ts';
import { createFileCompany } from '../support/storage/evidence-server.ts';
import { createCompany, operatorCaller } from '../support/tenants/company.ts';
import { createMember } from '../support/tenants/member.ts';
import { newEmail } from '../support/tenants/sign-in.ts';

/** Rows that are still free when the requests arrive, and the requests. */
const FREE = 3;
const AT_ONCE = 8;

/** Inserts rows without their events. @param statement with the company as `$1` and the number of rows as `$2` */
const fill = ({ id }: { id: number }, count: number, ...statements: string[]) =>
  asOwner(async (run) => {
    await run('set local session_replication_role = replica');
    for (const statement of statements) await run(statement, id, count);
  });

/** Sends requests at once, of which `FREE` must succeed and the others be 422 with this message. */
async function expectBound<T>(request: (index: number) => Promise<T>, message: string): Promise<T[]> {
  const settled = await Promise.allSettled(Array.from({ length: AT_ONCE }, (_, index) => request(index)));
  for (const result of settled)
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'UNPROCESSABLE_CONTENT', message });
  const made = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  expect(made).toHaveLength(FREE);
  return made;
}

test('a company has at most 50 proofs, those that have ended included, over every transport', async () => {
  const acme = await createCompany();
  const auditor = await createMember(acme, { role: 'auditor' });
  await fill(
    acme,
    MAX_PROOFS - FREE,
    `insert into proof (company_id, unique_id, as_of, created_by_id, state, ended_at, reason)
     select $1, gen_random_uuid(), now(), u.unique_id, 'failed', now(), 'The time-stamp server did not respond'
     from company_user u, generate_series(1, $2::int) where u.company_id = $1 and u.kind = 'human' and u.name = 'Ann'`,
  );
  const create = () => auditor.caller.proof.create({ evidence: false });
  const message = 'proof: a company has at most 50 proofs; delete one';
  const [made] = await expectBound(create, message);
  const { key } = await acme.manage.apiKey.create({ name: 'Proofs', scopes: [...SCOPES] });
  const body = { evidence: false };
  expect(await http('POST', '/external/proof/new', { key, body })).toMatchObject({
    status: 422,
    body: { error: message },
  });
  expect(await callTool(key, 'proof_create', body)).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining(message) }],
  });
  await auditor.caller.proof.delete({ proof: made?.uniqueId ?? '' });
  await create();
});

test('a company has at most 500 keys that are not revoked, also through a state', async () => {
  const acme = await createCompany();
  await fill(
    acme,
    MAX_KEYS - FREE - 1, // createCompany made one
    `insert into company_user (company_id, unique_id, kind, name)
     select $1, ('00000000-0000-7000-8000-' || (100000000000 + n)::text)::uuid, 'integration', 'Old ' || n
     from generate_series(1, $2::int) n`,
    `insert into api_key (company_id, unique_id, user_id, name, hash, start, last4)
     select $1, unique_id, unique_id, name, sha256(($1::int || name)::bytea), 'svc_sk_live_0000', '0000'
     from company_user where company_id = $1 and name like 'Old %' and $2::int > 0`,
  );
  const create = (index: number) => acme.manage.apiKey.create({ name: `New ${index}` });
  const ending = 'a company has at most 500 keys that are not revoked; revoke one';
  const [made] = await expectBound(create, `apiKey: ${ending}`);
  const { put } = operatorCaller(acme).management.state;
  const keys = [
    { name: 'Old 1', scopes: ['task:read' as const] },
    { name: 'Another', scopes: ['task:read' as const] },
  ];
  const before = (await acme.events()).length;
  await expect(put({ keys })).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT', message: `keys.1: ${ending}` });
  await expect(put({ keys, dryRun: true })).rejects.toThrow(`keys.1: ${ending}`);
  expect((await acme.events()).length).toBe(before);
  await acme.manage.apiKey.revoke({ uniqueId: made?.uniqueId ?? '' });
  expect((await put({ keys })).changes).toMatchObject([{ action: 'update' }, { action: 'create', name: 'Another' }]);
  await expect(create(AT_ONCE)).rejects.toThrow(ending);
  const { changes } = await put({ keys: [{ name: 'Only', scopes: ['task:read'] }], prune: true });
  expect(changes[0]).toMatchObject({ action: 'create', name: 'Only' });
});

test('a company has at most 500 shared views', async () => {
  const acme = await createCompany();
  const members = await Promise.all(['Ann', 'Bob'].map((name) => createMember(acme, { role: 'editor', name })));
  const [ann, bob] = members;
  if (ann === undefined || bob === undefined) throw new Error('expected two members');
  await fill(
    acme,
    VIEW_LIMITS.shared - FREE,
    `insert into view (company_id, unique_id, member_id, name, page, query, shared)
     select $1, gen_random_uuid(), (select unique_id from member where company_id = $1 limit 1 offset 0), 'Old', 'tasks', '', true
     from generate_series(1, $2::int)`,
    `update view set member_id = gen_random_uuid() where company_id = $1 and $2::int > 0`, // members who have ended
  );
  const message = 'shared: a company has at most 500 shared views';
  const view = { name: 'Due', page: 'tasks', query: 'due=week' } as const;
  const kept = await ann.caller.view.create(view);
  const [made] = await expectBound(
    (index) => (index % 2 === 0 ? ann : bob).caller.view.create({ ...view, shared: true }),
    message,
  );
  const share = () => ann.caller.view.update({ uniqueId: kept.uniqueId, shared: true });
  await expect(share()).rejects.toThrow(message);
  await bob.caller.view.create(view);
  if (made === undefined) throw new Error('expected a view');
  const owner = made.owner.uniqueId === ann.uniqueId ? ann : bob;
  expect(await owner.caller.view.update({ uniqueId: made.uniqueId, name: 'Late', shared: true })).toMatchObject({
    name: 'Late',
  });
  await owner.caller.view.delete({ uniqueId: made.uniqueId });
  expect(await share()).toMatchObject({ shared: true });
});

test('a company has at most 500 open invitations', async () => {
  const acme = await createCompany();
  const admin = await createMember(acme);
  await fill(
    acme,
    MAX_OPEN_INVITATIONS - FREE,
    `insert into invitation (company_id, unique_id, email, role, token_hash, created_at, expires_at)
     select $1, gen_random_uuid(), 'invited' || n || '@example.com', 'editor', sha256(($1::int || ' invited ' || n)::bytea),
       now() - interval '2 days', now() + interval '5 days' from generate_series(1, $2::int) n`,
  );
  const { member, invitation } = admin.caller.management;
  const invite = (email: string) => member.invite({ email, role: 'editor' });
  const message = 'email: a company has at most 500 open invitations; revoke one';
  const [made] = await expectBound(() => invite(newEmail()), message);
  // One that replaces another needs no room.
  expect(await invite('invited1@example.com')).toMatchObject({ uniqueId: expect.any(String) });
  await invitation.revoke({ uniqueId: made?.uniqueId ?? '' });
  await invite(newEmail());
});

test('a company has at most 100,000 files, of which equal ones count once', async () => {
  const acme = await createFileCompany();
  const { upload, evidence } = await fileCaller(acme.key, await openTestStorage(await temporaryFolder()));
  const used = await upload(acme.taskId, Buffer.from('used'));
  await fill(
    acme,
    MAX_FILES - FREE - 1,
    `insert into file (company_id, unique_id, store, state, sha256, size, uses)
     select $1, gen_random_uuid(), 'database', 'stored', encode(sha256(n::text::bytea), 'hex'), 1, 1
     from generate_series(1, $2::int) n`,
  );
  await vacuum('file'); // statistics, which a table that grows slowly has
  const message = 'evidence: a company has at most 100,000 files';
  const results = await Promise.allSettled(
    Array.from({ length: AT_ONCE }, () => upload(acme.taskId, randomBytes(1000))),
  );
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(FREE);
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ message });
  await upload(acme.taskId, Buffer.from('used'));
  await expect(upload(acme.taskId, Buffer.from('new'))).rejects.toThrow(message);
  await expect(evidence.delete({ evidence: used.uniqueId })).resolves.toBeUndefined();
});
