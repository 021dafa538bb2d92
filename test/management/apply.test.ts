import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { createCaller } from '../../procedures/index.ts';
import { database, sql } from '../support/database/database.ts';
import { startApp } from '../support/http/app.ts';
import { runProgram } from '../support/servers/service-process.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';
import { OPERATOR_TOKEN, callerForKey, createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { services } from '../support/tenants/member.ts';

type Apply = ReturnType<typeof createCaller>['management']['state']['put'];
type State = NonNullable<Parameters<Apply>[0]>;

function applyTo({ id }: Pick<TestCompany, 'id'>, state: State) {
  const session = new Session(database, operatorPrincipal(id), 'apply');
  return createCaller({
    requestId: randomUUID(),
    caller: 'operator',
    address: null,
    session,
    services,
  }).management.state.put(state);
}

/** Changes in short: `create framework SOC 2`. */
const inShort = ({ changes }: Awaited<ReturnType<Apply>>) =>
  changes.map(({ action, kind, name, fields }) => [action, kind, name, ...fields].join(' '));

const numberOfEvents = async (acme: TestCompany) => (await acme.events()).length;

const STATE = {
  frameworks: [{ name: 'iso 27001', gaps: [{ title: 'NO ACCESS REVIEW' }, { title: 'No MFA' }] }, { name: 'SOC 2' }],
  departments: [{ name: 'Legal' }],
  keys: [{ name: 'Tickets', scopes: ['task:read', 'task:write'], frameworks: ['soc 2'], cidrs: ['127.0.0.0/8'] }],
  webhooks: [{ url: 'https://hooks.example.com/compliance', events: ['task.*'], description: 'Tickets' }],
} satisfies State;

describe('applying a state', () => {
  test('creates what is missing with secrets that work, and changes nothing when it is run again', async () => {
    const acme = await createCompany();
    const applied = await applyTo(acme, STATE);
    expect(inShort(applied)).toEqual([
      'create framework SOC 2',
      'create department Legal',
      'create gap No MFA',
      'create key Tickets',
      'create webhook https://hooks.example.com/compliance',
    ]);
    const [, , , key, webhook] = applied.changes;
    expect(webhook?.secret).toMatch(/^whsec_/);
    const byKey = await callerForKey(key?.secret ?? '');
    const { scopes, frameworks, cidrs } = await byKey.apiKey.whoami();
    const { id } = (await acme.manage.framework.list()).find(({ name }) => name === 'SOC 2') ?? { id: 0 };
    expect({ scopes, frameworks, cidrs }).toEqual({
      scopes: ['task:read', 'task:write'],
      frameworks: [id],
      cidrs: ['127.0.0.0/8'],
    });
    const before = await numberOfEvents(acme);
    expect(await applyTo(acme, { ...STATE, prune: false })).toEqual({ dryRun: false, changes: [] });
    expect(await numberOfEvents(acme)).toBe(before);
    expect((await acme.events()).map(({ changes }) => JSON.stringify(changes))).not.toContain(key?.secret);
  });

  test('changes what differs, and leaves what is not given', async () => {
    const acme = await createCompany();
    await applyTo(acme, STATE);
    const changed = await applyTo(acme, {
      keys: [{ name: 'TICKETS', scopes: ['task:read'], frameworks: null }],
      webhooks: [{ url: 'HTTPS://hooks.example.com/compliance', events: null }],
    });
    expect(inShort(changed)).toEqual([
      'update key Tickets scopes frameworks',
      'update webhook https://hooks.example.com/compliance events',
    ]);
    const key = (await acme.manage.apiKey.list()).find(({ name }) => name === 'Tickets');
    expect(key).toMatchObject({ scopes: ['task:read'], frameworks: null, cidrs: ['127.0.0.0/8'] });
    expect(await sql('select events, description from webhook where company_id = $1', acme.id)).toEqual([
      { events: null, description: 'Tickets' },
    ]);
  });

  test('prints without writing what it would change', async () => {
    const acme = await createCompany();
    const before = await numberOfEvents(acme);
    const dry = await applyTo(acme, { ...STATE, prune: true, dryRun: true });
    expect(await numberOfEvents(acme)).toBe(before);
    expect(await sql('select 1 from webhook where company_id = $1', acme.id)).toEqual([]);
    expect(dry.changes.filter(({ secret }) => secret !== null)).toEqual([]);
    expect(inShort(await applyTo(acme, { ...STATE, prune: true }))).toEqual(inShort(dry));
  });

  test('archives or ends what the state lacks, only of kinds that it has, if that is asked for', async () => {
    const acme = await createCompany();
    await applyTo(acme, STATE);
    const other = await acme.manage.framework.create({ name: 'GDPR' });
    await acme.manage.gap.create({ framework: other.id, title: 'No register' });
    const state = { frameworks: [{ name: 'GDPR' }, { name: 'ISO 27001', gaps: [] }], webhooks: [] };
    expect(inShort(await applyTo(acme, state))).toEqual([]);
    expect(inShort(await applyTo(acme, { ...state, prune: true }))).toEqual([
      'archive framework SOC 2',
      'archive gap No access review',
      'archive gap No MFA',
      'delete webhook https://hooks.example.com/compliance',
    ]);
    expect(inShort(await applyTo(acme, { keys: [], prune: true }))).toEqual([
      'revoke key Integration of Acme',
      'revoke key Tickets',
    ]);
    await expect(callerForKey(acme.key)).rejects.toThrow('not a valid key');
    expect((await acme.manage.department.list()).map(({ archivedAt }) => archivedAt)).toEqual([null, null]);
    // What was archived has no name any more, so that it can be created again.
    expect(inShort(await applyTo(acme, { frameworks: [{ name: 'SOC 2' }] }))).toEqual(['create framework SOC 2']);
  });

  test.each<[string, State, RegExp]>([
    ['a name that appears twice', { departments: [{ name: 'A' }, { name: 'a' }] }, /^departments\.1: a appears twice/],
    [
      'a name of two objects of the company',
      { departments: [{ name: 'security' }] },
      /^departments\.0: the company has two that are called security/,
    ],
    [
      'a key for an unknown framework',
      { keys: [{ name: 'K', scopes: ['task:read'], frameworks: ['NIS 2'] }] },
      /^keys\.0\.frameworks\.0: expected one framework .* NIS 2/,
    ],
    [
      'an expiry in the past',
      { keys: [{ name: 'K', scopes: ['task:read'], expiresAt: '2020-01-01T00:00:00Z' }] },
      /^keys\.0\.expiresAt: expected a time in the future/,
    ],
    [
      'more endpoints than a company may have',
      { webhooks: Array.from({ length: 21 }, (_, index) => ({ url: `https://hooks.example.com/${index}` })) },
      /^webhooks: a company has at most 20 endpoints/,
    ],
  ])('with %s is 422, and changes nothing', async (_, state, error) => {
    const acme = await createCompany();
    await acme.manage.department.create({ name: 'SECURITY' });
    const before = await numberOfEvents(acme);
    await expect(applyTo(acme, { frameworks: [{ name: 'New' }], ...state })).rejects.toThrow(error);
    expect(await numberOfEvents(acme)).toBe(before);
  });

  test('does not change another company, and is not for keys', async () => {
    const [acme, rival] = [await createCompany(), await createCompany('Rival')];
    const before = await numberOfEvents(rival);
    await applyTo(acme, { ...STATE, prune: true });
    const key = { name: 'K', scopes: ['task:read' as const], frameworks: [rival.framework] };
    await expect(applyTo(acme, { keys: [key] })).rejects.toThrow('keys.0.frameworks.0: expected one framework');
    expect(await numberOfEvents(rival)).toBe(before);
    const byKey = await callerForKey(rival.key);
    await expect(byKey.management.state.put({})).rejects.toThrow('This procedure requires');
  });
});

test('the command applies a file of YAML or JSON, and names what is wrong with one', async () => {
  const acme = await createCompany();
  const folder = await temporaryFolder();
  const app = await startApp({ services });
  const file = join(folder, 'state.yaml');
  const run = async (content: string, ...options: string[]) => {
    await writeFile(file, content);
    const args = ['apply', '-f', file, '--company', String(acme.id), '--server', app.url, ...options];
    return runProgram('cli/manage.ts', args, { OPERATOR_TOKEN, DATA_DIR: folder });
  };
  try {
    const yaml = 'departments:\n  - name: Legal # reviews contracts\nkeys:\n  - { name: Sync, scopes: [task:read] }\n';
    const dry = await run(yaml, '--dry-run');
    expect(JSON.parse(dry.stdout)).toMatchObject({ dryRun: true, changes: [{ name: 'Legal' }, { secret: null }] });
    const applied = await run(yaml);
    expect([applied.code, JSON.parse(applied.stdout)]).toMatchObject([
      0,
      { dryRun: false, changes: [{ name: 'Legal' }, { secret: expect.stringMatching(/^svc_sk_live_/) }] },
    ]);
    const pruned = await run('{"departments":[{"name":"Legal"}]}', '--prune');
    expect(JSON.parse(pruned.stdout)).toMatchObject({ changes: [{ action: 'archive', name: 'Security' }] });
    const errors = [
      ['departments: [', /^--file: .* is neither YAML nor JSON: .* line 1/],
      ['- name: Legal', /^--file: expected an object with frameworks/],
      ['prune: true', /^--file: prune is an option of the command/],
      ['webhook: []', /webhook: unknown field.*webhooks/],
      ['departments: [{ name: 5 }]', /departments\.0\.name: expected/],
    ] as const;
    for (const [content, error] of errors)
      expect(await run(content)).toMatchObject({ code: 1, stderr: expect.stringMatching(error) });
  } finally {
    await app.stop();
  }
});
