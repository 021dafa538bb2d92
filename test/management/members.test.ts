import { beforeEach, expect, describe, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { OPERATOR } from '../../entities/company/user.ts';
import { createCaller } from '../../procedures/index.ts';
import { hashToken } from '../../procedures/sign-in/tokens.ts';
import { asOwner, database, sql } from '../support/database/database.ts';
import { createCompany } from '../support/tenants/company.ts';
import type { TestCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';
import { mailedToken, mailsTo, withMail } from '../support/tenants/queued-mails.ts';
import type { TestMember } from '../support/tenants/member.ts';

let acme: TestCompany;
let admin: TestMember;
let operator: TestMember['caller']['management'];

const operatorOf = ({ id }: Pick<TestCompany, 'id'>) =>
  createCaller({
    requestId: 'operator-request',
    caller: 'operator',
    address: null,
    session: new Session(database, operatorPrincipal(id), 'operator-request'),
    services,
  }).management;

beforeEach(async () => {
  acme = await createCompany();
  admin = await createMember(acme, { role: 'admin', email: `ann-${newUniqueId()}@example.com` });
  operator = operatorOf(acme);
});

const newEmail = () => `${newUniqueId()}@example.com`;
const tokenOf = (link: string | null) => link?.split('/').at(-1) ?? '';
const sessionsOf = ({ person }: TestMember) =>
  sql<{ company: number }>('select company_id as company from web_session where person_id = $1 order by 1', person);
const last = async (company = acme) => (await company.events()).at(-1);

describe('an invitation', () => {
  test('has a link that works for 7 days, and is in the list', async () => {
    const { management } = admin.caller;
    const email = newEmail();
    const frameworks = [acme.framework, acme.framework];
    const { uniqueId, link, expiresAt } = await management.member.invite({ email, role: 'editor', frameworks });
    expect(link).toMatch(/^http:\/\/localhost:3000\/invitation\/[\w-]{43}$/);
    expect(Math.round((Date.parse(expiresAt) - Date.now()) / 86_400_000)).toBe(7);
    const access = { role: 'editor', frameworks: [acme.framework], endsAt: null };
    const item = { uniqueId, email, ...access, expiresAt, mailedAt: null };
    expect(await management.invitation.list()).toEqual([item]);
    const [stored] = await sql<{ hash: Buffer }>(
      'select token_hash as hash from invitation where unique_id = $1',
      uniqueId,
    );
    expect(Buffer.from(stored?.hash ?? [])).toEqual(hashToken(tokenOf(link)));
    expect(await last()).toMatchObject({
      action: 'invitation.create',
      resource_id: uniqueId,
      user_id: admin.uniqueId,
      api_key_id: null,
      changes: { identity: expect.stringMatching(/^[0-9a-f]{64}$/), role: 'editor', frameworks: [acme.framework] },
    });
    expect(JSON.stringify(await acme.events())).not.toMatch(new RegExp(`token|salt|${email}`));
  });

  test('is mailed with the link', async () => {
    const email = newEmail();
    const { link } = await withMail(admin).management.member.invite({ email, role: 'auditor' });
    expect(link).toBeNull();
    const [{ mailedAt } = { mailedAt: null }] = await admin.caller.management.invitation.list();
    expect(Math.abs(Date.now() - Date.parse(mailedAt ?? ''))).toBeLessThan(60_000);
    const [mail, ...others] = await mailsTo(email);
    expect(others).toEqual([]);
    expect(mail?.text).toContain(`http://localhost:3000/invitation/${await mailedToken(email)}`);
  });

  test('replaces the one before it, whatever the case of the email', async () => {
    const email = newEmail();
    const first = await operator.member.invite({ email, role: 'editor' });
    const second = await operator.member.invite({ email: ` ${email.toUpperCase()} `, role: 'admin' });
    expect(await operator.invitation.list()).toMatchObject([{ uniqueId: second.uniqueId, email, role: 'admin' }]);
    expect((await acme.events(first.uniqueId)).map(({ action }) => action)).toEqual([
      'invitation.create',
      'invitation.revoke',
    ]);
  });

  test('of many at once to one email leaves one open', async () => {
    const email = newEmail();
    await Promise.all(Array.from({ length: 5 }, () => operator.member.invite({ email, role: 'editor' })));
    expect(await operator.invitation.list()).toHaveLength(1);
  });

  test('is revoked once', async () => {
    const { management } = admin.caller;
    const { uniqueId } = await management.member.invite({ email: newEmail(), role: 'editor' });
    expect(await management.invitation.revoke({ uniqueId })).toMatchObject({ uniqueId });
    expect(await management.invitation.revoke({ uniqueId })).toMatchObject({ uniqueId });
    expect(await management.invitation.list()).toEqual([]);
    expect(await acme.events(uniqueId)).toHaveLength(2);
    expect(await last()).toMatchObject({ action: 'invitation.revoke', user_id: admin.uniqueId });
  });

  test('that was accepted cannot be revoked, and one that expired is not in the list', async () => {
    const accepted = await operator.member.invite({ email: newEmail(), role: 'editor' });
    const expired = await operator.member.invite({ email: newEmail(), role: 'editor' });
    const user = OPERATOR.uniqueId;
    await asOwner(
      (run) =>
        run(`update invitation set used_at = case when unique_id = '${accepted.uniqueId}' then now() end,
          expires_at = now() where unique_id in ('${accepted.uniqueId}', '${expired.uniqueId}')`),
      { company: acme.id, user },
    );
    await expect(operator.invitation.revoke({ uniqueId: accepted.uniqueId })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'uniqueId: the invitation was accepted',
    });
    expect(await operator.invitation.list()).toEqual([]);
    for (const uniqueId of [newUniqueId(), 'x'])
      await expect(operator.invitation.revoke({ uniqueId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('of an active member is a conflict, and of an ended one possible', async () => {
    const member = await createMember(acme, { role: 'editor' });
    const invite = () => operator.member.invite({ email: member.email, role: 'editor' });
    await expect(invite()).rejects.toMatchObject({ code: 'CONFLICT', message: 'email: is already a member' });
    await operator.member.end({ uniqueId: member.uniqueId });
    expect(await invite()).toHaveProperty('link');
    // A member of another company is invited like anybody.
    expect(
      await operatorOf(await createCompany()).member.invite({ email: member.email, role: 'editor' }),
    ).toHaveProperty('link');
  });

  test.for([
    [{ email: 'ann', role: 'editor' }, 'BAD_REQUEST', 'email: expected an email address'],
    [
      { email: 'a@b.example', role: 'admin', frameworks: [1] },
      'UNPROCESSABLE_CONTENT',
      'frameworks: an admin has all frameworks',
    ],
  ] as const)('with %o is rejected', async ([input, code, message]) => {
    const before = await acme.events();
    await expect(operator.member.invite(input as never)).rejects.toMatchObject({ code, message });
    expect(await acme.events()).toEqual(before);
  });
});

describe('a member', () => {
  test('is in the list with the person, also after the end', async () => {
    const editor = await createMember(acme, { role: 'editor', frameworks: [acme.framework], name: 'Bob' });
    await operator.member.end({ uniqueId: editor.uniqueId });
    const auditor = await createMember(acme, { role: 'auditor', name: 'Cleo' });
    const row = ({ uniqueId, email }: TestMember) => ({ uniqueId, email, frameworks: null, endedAt: null });
    const ofAll = { endsAt: null, singleSignOn: null, mailRefusedAt: null };
    const ended = { endedAt: expect.stringMatching(/Z$/), frameworks: [acme.framework] };
    expect(await auditor.caller.management.member.list()).toEqual([
      { ...ofAll, ...row(admin), name: 'Ann', role: 'admin' },
      { ...ofAll, ...row(editor), name: 'Bob', role: 'editor', ...ended },
      { ...ofAll, ...row(auditor), name: 'Cleo', role: 'auditor' },
    ]);
  });

  test('gets another role and other frameworks, each with its event', async () => {
    const { uniqueId } = await createMember(acme, { role: 'editor' });
    const update = (input: Omit<Parameters<typeof admin.caller.management.member.update>[0], 'uniqueId'>) =>
      admin.caller.management.member.update({ uniqueId, ...input });
    const { framework } = acme;
    expect(await update({ frameworks: [framework] })).toMatchObject({ role: 'editor', frameworks: [framework] });
    expect(await last()).toMatchObject({
      action: 'member.update',
      user_id: admin.uniqueId,
      changes: { frameworks: { from: null, to: [framework] } },
    });
    expect(await update({ role: 'auditor' })).toMatchObject({ role: 'auditor', frameworks: [framework] });
    expect((await last())?.changes).toEqual({ role: { from: 'editor', to: 'auditor' } });
    expect(await update({ role: 'admin' })).toMatchObject({ role: 'admin', frameworks: null });
    expect(await update({ role: 'editor', frameworks: [framework] })).toMatchObject({ frameworks: [framework] });
    expect(await update({ frameworks: null })).toMatchObject({ role: 'editor', frameworks: null });
    const before = await acme.events();
    expect(await update({})).toMatchObject({ role: 'editor', frameworks: null });
    expect(await acme.events()).toEqual(before);
  });

  test('cannot be an admin with frameworks', async () => {
    const { uniqueId } = await createMember(acme, { role: 'editor' });
    const before = await acme.events();
    const code = 'UNPROCESSABLE_CONTENT';
    const message = 'frameworks: an admin has all frameworks';
    const { framework } = acme;
    for (const input of [
      { uniqueId, role: 'admin' as const, frameworks: [framework] },
      { uniqueId: admin.uniqueId, frameworks: [framework] },
    ])
      await expect(operator.member.update(input)).rejects.toMatchObject({ code, message });
    expect(await acme.events()).toEqual(before);
  });

  test('that ends has one event with the whole row, and no session in the company', async () => {
    const member = await createMember(acme, { role: 'editor' });
    const rival = await createCompany('Rival');
    await createMember(rival, { role: 'editor', email: member.email });
    const { management } = admin.caller;
    const ended = await management.member.end({ uniqueId: member.uniqueId });
    expect(ended.endedAt).not.toBeNull();
    expect(await last()).toMatchObject({
      action: 'member.delete',
      resource_id: member.uniqueId,
      user_id: admin.uniqueId,
      changes: { unique_id: member.uniqueId, role: 'editor', ended_at: expect.any(String) },
    });
    expect((await last())?.changes).not.toHaveProperty('person_id');
    expect(await sessionsOf(member)).toEqual([{ company: rival.id }]);
    const before = await acme.events();
    expect(await management.member.end({ uniqueId: member.uniqueId })).toEqual(ended);
    expect(await acme.events()).toEqual(before);
    const conflict = { code: 'CONFLICT', message: 'uniqueId: the membership has ended; invite the person again' };
    await expect(management.member.update({ uniqueId: member.uniqueId, role: 'admin' })).rejects.toMatchObject(
      conflict,
    );
    await expect(management.member.resetPassword({ uniqueId: member.uniqueId })).rejects.toMatchObject(conflict);
  });

  test('is not found by other ids', async () => {
    const { member } = admin.caller.management;
    for (const uniqueId of [newUniqueId(), 'x'])
      for (const call of [member.update, member.end, member.resetPassword])
        await expect(call({ uniqueId })).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'member: not found' });
  });
});

describe('the last admin', () => {
  const conflict = {
    code: 'CONFLICT',
    message: 'uniqueId: is the last admin of the company; make another member an admin first',
  };

  test('can neither be ended nor get another role, by anybody', async () => {
    const { uniqueId } = admin;
    const before = await acme.events();
    for (const { member } of [admin.caller.management, operator]) {
      await expect(member.end({ uniqueId })).rejects.toMatchObject(conflict);
      await expect(member.update({ uniqueId, role: 'editor' })).rejects.toMatchObject(conflict);
    }
    expect(await acme.events()).toEqual(before);
    expect(await sessionsOf(admin)).toHaveLength(1);
  });

  test('remains if two admins end each other at once', async () => {
    for (let round = 0; round < 5; round++) {
      const company = await createCompany();
      const [first, second] = [await createMember(company), await createMember(company)];
      const results = await Promise.allSettled([
        first.caller.management.member.end({ uniqueId: second.uniqueId }),
        second.caller.management.member.end({ uniqueId: first.uniqueId }),
      ]);
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: conflict });
      const members = await operatorOf(company).member.list();
      expect(members.filter(({ endedAt }) => endedAt === null)).toHaveLength(1);
    }
  });

  test('remains if all admins step down at once', async () => {
    const company = await createCompany();
    const admins = await Promise.all(Array.from({ length: 4 }, () => createMember(company)));
    const results = await Promise.allSettled(
      admins.map(({ uniqueId, caller }) => caller.management.member.update({ uniqueId, role: 'auditor' })),
    );
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });
});

describe('a reset link', () => {
  const storedLinks = ({ person }: TestMember) =>
    sql<{ hash: Buffer; minutes: number }>(
      `select token_hash as hash, round(extract(epoch from expires_at - now()) / 60)::int as minutes
      from reset_link where person_id = $1`,
      person,
    );

  test('works for an hour, replaces the one before it, and is mailed', async () => {
    const member = await createMember(acme, { role: 'editor' });
    const { resetPassword } = admin.caller.management.member;
    await resetPassword({ uniqueId: member.uniqueId });
    const { link } = await resetPassword({ uniqueId: member.uniqueId });
    expect(link).toMatch(/^http:\/\/localhost:3000\/reset\/[\w-]{43}$/);
    const [stored, ...others] = await storedLinks(member);
    expect(others).toEqual([]);
    expect(stored?.minutes).toBe(60);
    expect(Buffer.from(stored?.hash ?? [])).toEqual(hashToken(tokenOf(link)));
  });

  test('of a member of another company is only for the operator', async () => {
    const member = await createMember(acme, { role: 'editor' });
    const rival = await createCompany('Rival');
    const other = await createMember(rival, { role: 'editor', email: member.email });
    const { uniqueId } = member;
    const reset = () => admin.caller.management.member.resetPassword({ uniqueId });
    await expect(reset()).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT', message: /^uniqueId: / });
    expect(await storedLinks(member)).toEqual([]);
    expect(await operator.member.resetPassword({ uniqueId })).toHaveProperty('link');
    await operatorOf(rival).member.end({ uniqueId: other.uniqueId });
    expect(await reset()).toHaveProperty('link');
  });
});

test('a member limited to frameworks sees these frameworks and their gaps', async () => {
  const { id } = await operator.framework.create({ name: 'SOC 2' });
  const gap = await operator.gap.create({ framework: id, title: 'No backups' });
  const { caller } = await createMember(acme, { role: 'auditor', frameworks: [id] });
  expect(await caller.management.framework.list()).toMatchObject([{ id }]);
  expect(await caller.management.gap.list()).toEqual([gap]);
  expect(await caller.management.department.list()).toHaveLength(1);
  expect(await admin.caller.management.framework.list()).toHaveLength(2);
});

test('what an admin does to API keys is attributed to the member', async () => {
  const { uniqueId } = await admin.caller.management.apiKey.create({ name: 'Sync' });
  await admin.caller.management.apiKey.rotate({ uniqueId });
  await admin.caller.management.apiKey.revoke({ uniqueId });
  const events = await acme.events(uniqueId);
  expect(events.map(({ action }) => action)).toEqual(['apiKey.create', 'apiKey.rotate', 'apiKey.revoke']);
  for (const event of events) expect(event).toMatchObject({ user_id: admin.uniqueId, api_key_id: null });
  const [listed] = (await admin.caller.audit.list({ resourceId: uniqueId })).items;
  expect(listed).toMatchObject({ actor: { uniqueId: admin.uniqueId, name: 'Ann', kind: 'human' }, apiKey: null });
});
