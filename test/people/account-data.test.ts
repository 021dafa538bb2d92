import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { createCaller } from '../../procedures/index.ts';
import { database, sql } from '../support/database/database.ts';
import { createCompany } from '../support/tenants/company.ts';
import { seal } from '../support/tenants/feed.ts';
import { createMember } from '../support/tenants/member.ts';
import type { TestMember } from '../support/tenants/member.ts';
import { createPeople } from '../support/tenants/people.ts';
import { writeAccountEvent } from '../support/tenants/account-events.ts';
import { withMail } from '../support/tenants/queued-mails.ts';
import { PASSWORD, newEmail, passwordHash, setUpTotp, updateMember } from '../support/tenants/sign-in.ts';

const ID = expect.stringMatching(/^[\da-f-]{36}$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** The caller of the member in a session of single sign-on. */
const withSingleSignOn = ({ context, webSession }: TestMember) =>
  createCaller({ ...context, webSession: { ...webSession, singleSignOn: true } });

/** Creates a person with a membership in two companies, who has made something in the first. */
async function createAnn() {
  const [acme, globex] = [await createCompany('Acme'), await createCompany('Globex')];
  const ann = await createMember(acme, { name: 'Ann', password: passwordHash, isProven: true });
  await createMember(globex);
  const there = await createMember(globex, { email: ann.email, role: 'editor', frameworks: [globex.framework] });
  const { caller } = ann;
  const task = await caller.task.create({ framework: acme.framework, title: 'Review access rights' });
  await caller.task
    .create({ framework: acme.framework, title: 'Deleted soon' })
    .then(({ uniqueId }) => caller.task.delete({ taskUniqueId: uniqueId }));
  await caller.vendor.create({ name: 'Cloud' });
  await caller.comment.create({ taskUniqueId: task.uniqueId, text: '<p>Done</p>' });
  await caller.vendor.import({ content: 'name\nA\n', dryRun: true });
  await caller.view.create({ name: 'Mine', page: 'tasks', query: 'status=open', shared: false });
  await caller.watch.set({ taskUniqueId: task.uniqueId, watching: true });
  return { acme, globex, ann, there };
}

test('shows everything that is stored about the person, in every company', async () => {
  const { acme, globex, ann, there } = await createAnn();
  await setUpTotp(ann.person);
  await updateMember(globex, there.uniqueId, { isEnded: true });
  const initech = await createCompany('Initech');
  const boss = await createMember(initech);
  const invitation = await boss.caller.management.member.invite({ email: ann.email, role: 'auditor' });
  const email = newEmail();
  await withMail(ann).account.changeEmail({ email, password: PASSWORD });
  await writeAccountEvent(acme, 'passwordChange', { of: ann.uniqueId, by: ann.uniqueId });
  // PostgreSQL leaves out zeros at the end of a fraction.
  await sql(`update email_link set expires_at = '2099-01-31T12:00:00.500Z' where person_id = $1`, ann.person);
  const data = await ann.caller.account.data();
  expect(data).toMatchObject({
    profile: {
      uniqueId: ann.person,
      email: ann.email,
      name: 'Ann',
      createdAt: TIME,
      provenAt: TIME,
      newEmail: { email, expiresAt: '2099-01-31T12:00:00.500Z' },
    },
    mails: [],
    credentials: { password: true, totp: true, recoveryCodes: 0, passkeys: [] },
    settings: {
      notifications: { assigned: true, mentioned: true, commented: false, summary: true },
      mailRefusedAt: null,
      lastCompany: globex.id,
    },
    memberships: [
      {
        company: { id: acme.id, name: 'Acme' },
        uniqueId: ann.uniqueId,
        role: 'admin',
        frameworks: null,
        joinedAt: TIME,
        endedAt: null,
        singleSignOn: null,
        changed: [{ change: 'passwordChange', at: TIME }],
        made: { task: 2, vendor: 1, comment: 1, evidence: 0, import: 1 },
        views: [{ uniqueId: ID, name: 'Mine', page: 'tasks', query: 'status=open', shared: false }],
        importAnswers: [],
        watches: 1,
        inboxItems: 0,
      },
      {
        company: { id: globex.id, name: 'Globex' },
        uniqueId: there.uniqueId,
        role: 'editor',
        frameworks: [globex.framework],
        endedAt: TIME,
        made: { task: 0, vendor: 0, comment: 0, evidence: 0, import: 0, event: 1 },
        views: [],
        watches: 0,
      },
    ],
    invitations: [
      {
        company: { id: initech.id, name: 'Initech' },
        uniqueId: invitation.uniqueId,
        email: ann.email,
        role: 'auditor',
        createdAt: TIME,
        expiresAt: TIME,
        usedAt: null,
        revokedAt: null,
      },
    ],
  });
  const events = (await acme.events()).filter(({ user_id: user }) => user === ann.uniqueId);
  expect(data.memberships[0]?.made.event).toBe(events.length);
  expect(data.sessions).toHaveLength(2);
  expect(data.sessions).toContainEqual(
    expect.objectContaining({ uniqueId: ann.webSession.uniqueId, userAgent: 'test', current: true }),
  );
  expect(data.signIns).toEqual({
    total: 2,
    items: [globex.id, acme.id].map((company) => ({
      company,
      at: TIME,
      event: 'signed_in',
      method: 'password',
      address: null,
      userAgent: 'test',
    })),
  });
});

test('opens the digests in the events of the person, with the number of the seal', async () => {
  const { acme, ann } = await createAnn();
  await ann.caller.account.update({ name: 'Ann Lee' });
  await seal(acme);
  const { identities } = await ann.caller.account.data();
  expect(identities.total).toBe(4);
  const here = identities.items.filter(({ company }) => company === acme.id);
  expect(here).toMatchObject([
    { name: 'Ann Lee', email: ann.email, event: { uniqueId: ID, occurredAt: TIME } },
    { name: 'Ann', email: ann.email, event: { uniqueId: ID, occurredAt: TIME } },
  ]);
  for (const { salt, name, email, identity, event } of here) {
    expect(createHash('sha256').update(`${salt}\n${name}\n${email}`).digest('hex')).toBe(identity);
    const [row] = await sql<{ changes: unknown; sequence: number }>(
      `select e.changes, s.seq::int as sequence from audit_event e
      join audit_seal s on s.company_id = e.company_id and s.event_id = e.id where e.unique_id = $1`,
      event.uniqueId,
    );
    expect(JSON.stringify(row?.changes)).toContain(identity);
    expect(here.find((record) => record.identity === identity)?.sequence).toBe(row?.sequence);
  }
});

test('has no secret and no hash of the person', async () => {
  const acme = await createCompany();
  const { member } = await createPeople(acme, 'Petra Peel');
  await sql('update person set password = $1 where unique_id = $2', passwordHash, member.person);
  const data = await member.caller.account.data();
  expect(data.credentials).toEqual({
    password: true,
    totp: false,
    recoveryCodes: 1,
    passkeys: [{ uniqueId: ID, createdAt: TIME, lastUsedAt: null }],
  });
  expect(data.memberships[0]?.singleSignOn).toEqual({ issuer: 'https://idp.example', subject: ID });
  expect(data.memberships[0]).toMatchObject({ views: [{ name: 'View of Petra Peel', shared: true }], inboxItems: 1 });
  const text = JSON.stringify(data);
  expect(text).not.toContain('argon2');
  expect(text).not.toContain(member.token);
  const [{ hash } = { hash: '' }] = await sql<{ hash: string }>(
    `select encode(token_hash, 'hex') as hash from web_session where person_id = $1`,
    member.person,
  );
  expect(hash).toHaveLength(64);
  expect(text).not.toContain(hash);
});

test('shows in a session of single sign-on only what belongs to its company', async () => {
  const { acme, globex, ann } = await createAnn();
  const initech = await createCompany('Initech');
  const boss = await createMember(initech);
  await boss.caller.management.member.invite({ email: newEmail(), role: 'editor' });
  await boss.caller.management.member.invite({ email: ann.email, role: 'auditor' });
  const data = await withSingleSignOn(ann).account.data();
  expect(data).toMatchObject({
    profile: { email: ann.email },
    credentials: null,
    settings: { lastCompany: null },
    memberships: [{ company: { id: acme.id } }],
    identities: { total: 1, items: [{ company: acme.id }] },
    signIns: { total: 1, items: [{ company: acme.id }] },
    // Those of the person did not begin with single sign-on.
    sessions: [],
    invitations: [],
  });
  const text = JSON.stringify(data);
  for (const other of [globex, initech]) expect(text).not.toContain(`"id":${other.id},`);
  expect(text).not.toContain('Globex');
});

test('leaves out a company that has forgotten the person, and everybody else', async () => {
  const { acme, globex, ann, there } = await createAnn();
  await createMember(acme, { name: 'Bob' });
  await updateMember(globex, there.uniqueId, { isEnded: true });
  await globex.manage.member.forget({ uniqueId: there.uniqueId });
  const data = await ann.caller.account.data();
  expect(data.memberships.map(({ company }) => company.id)).toEqual([acme.id]);
  expect(data.identities.items.map(({ name }) => name)).toEqual(['Ann']);
  expect(data.settings.lastCompany).toBe(null);
  expect(JSON.stringify(data)).not.toMatch(/Bob|Globex/);
});

test('has the newest 10,000 sign-ins, and the number of all', async () => {
  const acme = await createCompany();
  const ann = await createMember(acme);
  await sql(
    `insert into sign_in (company_id, member_id, email, event, method, user_agent, at)
    select $1::int, $2::uuid, $3, 'failed', 'password', 'many', now() - n * interval '1 minute' from generate_series(1, 10000) n`,
    acme.id,
    ann.uniqueId,
    ann.email,
  );
  const { signIns } = await ann.caller.account.data();
  expect(signIns.total).toBe(10_001);
  expect(signIns.items).toHaveLength(10_000);
  expect(signIns.items[0]).toMatchObject({ event: 'signed_in' });
});

test('runs a fixed number of statements, and one more for each company', async () => {
  const { ann } = await createAnn();
  const solo = await createMember(await createCompany());
  const run = vi.spyOn(database, 'run');
  try {
    await solo.caller.account.data();
    const one = run.mock.calls.length;
    run.mockClear();
    await ann.caller.account.data();
    expect(one).toBeLessThanOrEqual(9);
    expect(run.mock.calls).toHaveLength(one + 1);
  } finally {
    run.mockRestore();
  }
});
