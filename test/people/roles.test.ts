import { afterAll, describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { SCOPES } from '../../entities/api-key/scope.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { ROLES } from '../../entities/member/role.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { definitionOf } from '../../procedures/core/declaration/compile.ts';
import { appRouter, createCaller } from '../../procedures/index.ts';
import { database } from '../support/database/database.ts';
import { startApp } from '../support/http/app.ts';
import { Browser } from '../support/http/browser.ts';
import { callerForKey, createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';

// Callers of each procedure, stated apart from the code. Contract, sections 7 and 16.

const CALLERS = ['apiKey', ...ROLES, 'operator', 'operatorWithoutCompany'] as const;
type Caller = (typeof CALLERS)[number];

const EVERY_ROLE = ['admin', 'editor', 'auditor'] as const;
/** Callers by what a procedure does. */
const READS: readonly Caller[] = ['apiKey', ...EVERY_ROLE];
const WRITES: readonly Caller[] = ['apiKey', 'admin', 'editor'];
const READS_LISTS: readonly Caller[] = [...EVERY_ROLE, 'operator'];
const READS_SETTINGS: readonly Caller[] = ['admin', 'auditor', 'operator'];
const MANAGES: readonly Caller[] = ['admin', 'operator'];
const OPERATES: readonly Caller[] = ['operator', 'operatorWithoutCompany'];
const OPERATES_IN_COMPANY: readonly Caller[] = ['operator'];
const OF_MEMBERS: readonly Caller[] = EVERY_ROLE;

const each = (prefix: string, names: string, callers: readonly Caller[]): [string, readonly Caller[]][] =>
  names.split(' ').map((name) => [`${prefix}.${name}`, callers]);

/** Callers of procedures that differ from those of `callersOf`. */
const TABLE: Readonly<Record<string, readonly Caller[]>> = Object.fromEntries([
  // They check the permission of each item, and of the kind of the import.
  ...each('task', 'batch', READS),
  ...each('vendor', 'batch', READS),
  ...each('requirement', 'batch', READS),
  ...each('requirement', 'delete', ['apiKey', 'admin']),
  ...each('import', 'cancel undo', READS),
  ...each('overview', 'apiKeys', READS_SETTINGS),
  ...each('apiKey', 'whoami requests', ['apiKey']),
  // Auditors ask, comment, and resolve questions.
  ...each('comment', 'create update resolve reopen', READS),
  ...each('evidence', 'check', ['admin', 'auditor']),
  ...each('comment', 'delete', [...READS, 'operator']),
  // Auditors make and delete proofs, and editors do neither.
  ...each('proof', 'create list get progress delete', ['apiKey', 'admin', 'auditor']),
  ...each('webhook', 'list get deliveries', ['apiKey', 'admin', 'auditor']),
  ...each('webhook', 'create update delete rotate test replay', ['apiKey', 'admin']),
  ...each('management.company', 'create update list', OPERATES),
  ...each('management.company', 'eraseBegin eraseFiles eraseStep eraseEnd', OPERATES),
  ...each('management.company', 'moves moveRecord moveOffer moveBegin moveReady moveRead movePeople moveSum', OPERATES),
  ...each(
    'management.company',
    'moveSwitch moveEnd moveAbort arrivalKnown arrivalCheck arrivalBegin arrivalRows',
    OPERATES,
  ),
  ...each('management.company', 'arrivalPeople arrivalFiles arrivalComplete arrivalEnd arrivalDiscard', OPERATES),
  ...each('management.company', 'close reopen freeze unfreeze', OPERATES_IN_COMPANY),
  ...each('management.directory', 'list changes', OPERATES),
  ...each('management.encryption', 'rotate', OPERATES),
  ...each('management.signingKey', 'rotate list', OPERATES),
  ...each('management.evidence', 'verify unknown stores move removeMoved adopt', OPERATES),
  ...each('management.mail', 'test', OPERATES),
  ...each('management.member', 'prove', OPERATES),
  ...each('management.demo', 'create', OPERATES),
  ...each('management', 'version', OPERATES),
  ...each('management.framework', 'list', READS_LISTS),
  ...each('management.framework', 'create update rename archive', MANAGES),
  ...each('management.department', 'list', READS_LISTS),
  ...each('management.department', 'create rename archive', MANAGES),
  ...each('management.gap', 'list', READS_LISTS),
  ...each('management.gap', 'create update rename archive', MANAGES),
  ...each('management.audit', 'list', READS_LISTS),
  ...each('management.audit', 'verify', READS_SETTINGS),
  ...each('management.apiKey', 'list get usage requests', READS_SETTINGS),
  ...each('management.apiKey', 'create update rotate revoke', MANAGES),
  ...each('management.member', 'list', READS_SETTINGS),
  ...each('management.member', 'invite update end forget unlink resumeMail resetPassword', MANAGES),
  ...each('management.invitation', 'list', READS_SETTINGS),
  ...each('management.invitation', 'revoke', MANAGES),
  ...each('management.settings', 'get', READS_SETTINGS),
  ...each('management.settings', 'update', MANAGES),
  ...each('management.state', 'put', MANAGES),
  ...each('management.signIn', 'list', READS_SETTINGS),
  ...each('management.sso', 'get', READS_SETTINGS),
  ...each('management.sso', 'set remove', MANAGES),
  ...each('management.sso', 'confirm', OPERATES_IN_COMPANY),
]);

const procedures = Object.keys(appRouter._def.procedures);

/** Every role and key reads what belongs to the company, and auditors do not write. */
function callersOf(path: string): readonly Caller[] | undefined {
  if (/^(?:account|inbox|view|watch)\.|^import\.(?:answers|remember)$/.test(path)) return OF_MEMBERS;
  if (path in TABLE || path.startsWith('management.')) return TABLE[path];
  return definitionOf(appRouter, path).type === 'query' ? READS : WRITES;
}

const acme = await createCompany();
const operatorWith = (session: Session | Session<null>) =>
  createCaller({ requestId: 'roles', caller: 'operator', address: null, session, services });
const memberWith = async (role: (typeof ROLES)[number]) => (await createMember(acme, { role })).caller;
const callers = {
  apiKey: await callerForKey((await acme.manage.apiKey.create({ name: 'All', scopes: [...SCOPES] })).key),
  admin: await memberWith('admin'),
  editor: await memberWith('editor'),
  auditor: await memberWith('auditor'),
  operator: operatorWith(new Session(database, operatorPrincipal(acme.id), 'roles')),
  operatorWithoutCompany: operatorWith(new Session(database, null, 'roles')),
};

/** Calls a procedure with an input that none accepts. */
async function callInvalid(caller: Caller, path: string): Promise<unknown> {
  const procedure: unknown = path
    .split('.')
    .reduce<unknown>((parent, name) => Reflect.get(Object(parent), name), callers[caller]);
  if (typeof procedure !== 'function') throw new Error(`${path}: expected a procedure`);
  return Promise.resolve(procedure({ nonsense: true })).catch((error: unknown) => error);
}

describe('every procedure', () => {
  test('of the management is in the table, and every one names its callers', () => {
    for (const path of procedures) {
      expect([path, callersOf(path)]).toEqual([path, expect.any(Array)]);
      expect([path, definitionOf(appRouter, path).meta.callers]).toEqual([path, expect.any(Array)]);
    }
  });

  test.for(procedures)('%s is forbidden to all others before its input is validated', async (path) => {
    for (const caller of CALLERS) {
      const error = await callInvalid(caller, path);
      if (callersOf(path)?.includes(caller) === true)
        expect([caller, error]).toMatchObject([caller, { code: 'BAD_REQUEST', message: /nonsense|required/ }]);
      else if (caller === 'operatorWithoutCompany' && callersOf(path)?.includes('operator') === true)
        expect([caller, error]).toMatchObject([caller, { code: 'BAD_REQUEST', message: 'X-Company-Id: required' }]);
      else expect([caller, error]).toMatchObject([caller, { code: 'FORBIDDEN' }]);
    }
  });
});

describe('an auditor', () => {
  test('changes nothing with a batch, and cannot cancel an import', async () => {
    const { caller } = await createMember(acme, { role: 'auditor' });
    // Another process may run the import meanwhile. A dry run writes nothing.
    const started = await acme.vendor.import({ content: 'name\nA\n', dryRun: true });
    const before = await acme.events();
    const message = 'role: your role, auditor, cannot create or change vendors';
    const { results } = await caller.vendor.batch({ items: [{ op: 'create', body: { name: 'Cloud' } }] });
    expect(results).toMatchObject([{ status: 403, error: message }]);
    for (const id of [started.uniqueId, newUniqueId()])
      await expect(caller.import.cancel({ importUniqueId: id })).rejects.toMatchObject({ code: 'FORBIDDEN', message });
    expect((await caller.import.get({ importUniqueId: started.uniqueId })).state).not.toBe('canceled');
    expect((await caller.import.errors({ importUniqueId: started.uniqueId })).items).toEqual([]);
    expect(await acme.events()).toEqual(before);
  });
});

describe('with a session cookie', () => {
  const app = startApp({ services });
  afterAll(async () => (await app).stop());
  const browserOf = async ({ token }: { token: string }) =>
    new Browser((await app).url, { cookie: `session-3000=${token}` });

  test('a member calls the business and management procedures', async () => {
    const ann = await createMember(acme, { role: 'admin' });
    const browser = await browserOf(ann);
    expect((await browser.query('management.framework.list')).status).toBe(200);
    const created = await browser.send('POST', '/trpc/vendor.create', { name: 'Cloud' });
    const createdBy = { uniqueId: ann.uniqueId, name: 'Ann', kind: 'human' };
    expect(created.body).toMatchObject({ result: { data: { createdBy } } });
    const event = { action: 'vendor.create', user_id: ann.uniqueId, api_key_id: null };
    expect((await acme.events()).at(-1)).toMatchObject(event);
  });

  test('a change of the role holds from the next request', async () => {
    const company = await createCompany();
    const member = await createMember(company, { role: 'editor' });
    const { management } = (await createMember(company, { role: 'admin' })).caller;
    const browser = await browserOf(member);
    const status = async () => (await browser.query('management.apiKey.list')).status;
    const statuses = [await status()];
    await management.member.update({ uniqueId: member.uniqueId, role: 'auditor' });
    statuses.push(await status());
    await management.member.end({ uniqueId: member.uniqueId });
    statuses.push(await status());
    expect(statuses).toEqual([403, 200, 401]);
  });
});
