import { expect, test } from 'vitest';
import { Session } from '../../database/session.ts';
import { findCompaniesOfPerson } from '../../entities/member/companies.ts';
import { clientSecretPlace } from '../../procedures/core/encryption.ts';
import { createCaller } from '../../procedures/index.ts';
import { database, sql } from '../support/database/database.ts';
import { newDomain } from '../support/sign-in/sso-company.ts';
import { createCompany } from '../support/tenants/company.ts';
import { createMember, services } from '../support/tenants/member.ts';

const SECRET = 'very-secret-0123456789';

const settingsFor = (...domains: string[]) => ({
  issuer: 'https://login.example.com',
  clientId: 'compliance',
  clientSecret: SECRET,
  domains,
  required: false,
  role: 'editor' as const,
});

async function createCompanyWithAdmin() {
  const company = await createCompany();
  const admin = await createMember(company, { role: 'admin' });
  const ssoEvents = async () => (await company.events()).filter(({ resource_type }) => resource_type === 'sso');
  return { company, admin, sso: admin.caller.management.sso, confirm: company.manage.sso.confirm, ssoEvents };
}

const storedSecret = async (company: number) =>
  (await sql<{ client_secret: string }>('select client_secret from sso where company_id = $1', company))[0]
    ?.client_secret ?? '';

test('an admin sets, reads and removes the single sign-on of the company, and the secret is stored encrypted', async () => {
  const { company, sso } = await createCompanyWithAdmin();
  const domain = newDomain();
  expect(await sso.get()).toBeNull();
  const { clientSecret, ...settings } = settingsFor(domain);
  const expected = { ...settings, confirmedDomains: [], trustEmail: false };
  expect(await sso.set({ ...settings, clientSecret })).toEqual(expected);
  expect(await sso.get()).toEqual(expected);
  const stored = await storedSecret(company.id);
  expect(stored).not.toContain(SECRET);
  expect(services.encryption?.decrypt(stored, clientSecretPlace(company.id))).toBe(SECRET);
  expect(() => services.encryption?.decrypt(stored, clientSecretPlace(company.id + 1))).toThrow(
    'unable to authenticate data',
  );
  await sso.remove();
  expect(await sso.get()).toBeNull();
  await expect(sso.remove()).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'sso: not found' });
});

test('every change is an event sso.update of the company with from and to, without the secret', async () => {
  const { company, admin, sso, confirm, ssoEvents } = await createCompanyWithAdmin();
  const domain = newDomain();
  const settings = settingsFor(domain);
  await sso.set(settings);
  await confirm({ domain });
  await sso.set({ ...settings, clientSecret: `${SECRET}-new`, required: true });
  await sso.remove();
  const events = await ssoEvents();
  expect(events.map(({ action, resource_id, user_id }) => ({ action, resource_id, user_id }))).toEqual(
    [admin.uniqueId, expect.not.stringContaining(admin.uniqueId), admin.uniqueId, admin.uniqueId].map((user_id) => ({
      action: 'sso.update',
      resource_id: String(company.id),
      user_id,
    })),
  );
  const [created, confirmed, changed, removed] = events.map(({ changes }) => changes);
  expect(created).toMatchObject({
    issuer: { from: null, to: settings.issuer },
    domains: { from: null, to: [domain] },
    required: { from: null, to: false },
    secret_changed_at: { from: null },
  });
  expect(confirmed).toEqual({ confirmed_domains: { from: [], to: [domain] } });
  expect(Object.keys(changed ?? {}).toSorted()).toEqual(['required', 'secret_changed_at']);
  expect(removed).toMatchObject({
    issuer: { from: settings.issuer, to: null },
    confirmed_domains: { from: [domain], to: null },
  });
  expect(JSON.stringify(events)).not.toMatch(/very-secret|client_secret|v1\./);
  const { items } = await admin.caller.audit.list({ resourceType: 'sso' });
  expect(items[0]).toMatchObject({
    action: 'sso.update',
    resource: { type: 'sso', uniqueId: String(company.id) },
    changes: { confirmedDomains: { from: [domain], to: null }, clientId: { from: 'compliance', to: null } },
  });
});

test('another issuer does not get the stored secret', async () => {
  const { sso } = await createCompanyWithAdmin();
  const { clientSecret, ...settings } = settingsFor(newDomain());
  const before = await sso.set({ ...settings, clientSecret });
  await expect(sso.set({ ...settings, issuer: 'https://other.example' })).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: 'clientSecret: required',
  });
  expect(await sso.get()).toEqual(before);
});

test('without clientSecret the stored one is kept, and at first it is required', async () => {
  const { company, sso } = await createCompanyWithAdmin();
  const { clientSecret, ...settings } = settingsFor(newDomain());
  await expect(sso.set(settings)).rejects.toMatchObject({ code: 'BAD_REQUEST', message: 'clientSecret: required' });
  expect(await sso.get()).toBeNull();
  await sso.set({ ...settings, clientSecret });
  const stored = await storedSecret(company.id);
  await sso.set({ ...settings, role: 'auditor' });
  expect(await storedSecret(company.id)).toBe(stored);
  expect(await sso.get()).toMatchObject({ role: 'auditor' });
});

test('domains that were confirmed stay so while they are listed, also with another issuer', async () => {
  const { sso, confirm } = await createCompanyWithAdmin();
  const other = await createCompanyWithAdmin();
  const [first, second, third] = [newDomain(), newDomain(), newDomain()];
  await sso.set(settingsFor(first, second));
  await confirm({ domain: second });
  await confirm({ domain: first.toUpperCase() });
  expect(await confirm({ domain: first })).toMatchObject({ confirmedDomains: [second, first] });
  expect(await sso.set({ ...settingsFor(third, first), issuer: 'https://other.example.com' })).toMatchObject({
    domains: [third, first],
    confirmedDomains: [first],
  });
  // The second one is free again.
  await other.sso.set(settingsFor(second));
  expect(await other.confirm({ domain: second })).toMatchObject({ confirmedDomains: [second] });
});

test('a domain that is confirmed for one company is 409 for another, at once or later', async () => {
  const [first, second] = [await createCompanyWithAdmin(), await createCompanyWithAdmin()];
  const domain = newDomain();
  await first.sso.set(settingsFor(domain));
  await second.sso.set(settingsFor(domain));
  const confirmed = await Promise.allSettled([first.confirm({ domain }), second.confirm({ domain })]);
  expect(confirmed.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const conflict = { code: 'CONFLICT', message: expect.stringContaining(`${domain} belongs to another company`) };
  expect(confirmed.find(({ status }) => status === 'rejected')).toMatchObject({ reason: conflict });
  const third = await createCompanyWithAdmin();
  await expect(third.sso.set(settingsFor(newDomain(), domain))).rejects.toMatchObject(conflict);
  expect(await third.sso.get()).toBeNull();
});

test('only a domain that is listed is confirmed', async () => {
  const { sso, confirm } = await createCompanyWithAdmin();
  const domain = newDomain();
  const notFound = { code: 'NOT_FOUND', message: 'domain: not found' };
  await expect(confirm({ domain })).rejects.toMatchObject(notFound);
  await sso.set(settingsFor(domain));
  await expect(confirm({ domain: newDomain() })).rejects.toMatchObject(notFound);
  expect(await sso.get()).toMatchObject({ domains: [domain], confirmedDomains: [] });
});

test.each([
  ['issuer', 'login.example.com', 'issuer: expected an https:// address'],
  ['issuer', 'http://login.example.com', 'issuer: expected an https:// address'],
  ['issuer', 'http://10.0.0.1', 'issuer: expected an https:// address'],
  ['issuer', 'https://user:password@login.example.com', 'issuer: expected an https:// address'],
  ['issuer', 'https://login.example.com/?tenant=1', 'issuer: expected an https:// address'],
  ['issuer', 'javascript:alert(1)', 'issuer: expected an https:// address'],
  ['issuer', `https://login.example.com/${'x'.repeat(500)}`, 'issuer: expected text of 1 to 500 characters'],
  ['clientId', '', 'clientId: expected text of 1 to 255 characters'],
  ['clientSecret', '', 'clientSecret: expected text of 1 to 1000 characters'],
  ['domains', [], 'domains: expected 1 to 20 different domains'],
  ['domains', ['a.example', 'A.example'], 'domains: expected 1 to 20 different domains'],
  ['domains', Array.from({ length: 21 }, (_, index) => `d${index}.example`), 'domains: expected 1 to 20'],
  ['domains', ['localhost'], 'domains.0: expected a domain like example.com'],
  ['domains', ['-a.example'], 'domains.0: expected a domain like example.com'],
  ['domains', ['a@b.example'], 'domains.0: expected a domain like example.com'],
  ['domains', ['b.example.'], 'domains.0: expected a domain like example.com'],
  ['domains', ['10.0.0.1'], 'domains.0: expected a domain like example.com'],
  ['required', 'true', 'required: expected true or false'],
  ['role', 'operator', 'role: expected one of admin, editor, auditor'],
])('%s %j is rejected, and nothing changes', async (field, value, message) => {
  const { sso } = await createCompanyWithAdmin();
  const settings = { ...settingsFor(newDomain()), [field]: value };
  await expect(sso.set(settings)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining(message),
  });
  expect(await sso.get()).toBeNull();
});

test('an issuer may use http on this machine in development only', async () => {
  const { admin, sso } = await createCompanyWithAdmin();
  const settings = { ...settingsFor(newDomain()), issuer: 'http://127.0.0.1:9000' };
  const production = createCaller({
    ...admin.context,
    services: { ...services, appUrl: () => 'https://compliance.example.com' },
  });
  await expect(production.management.sso.set(settings)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  expect(await sso.set(settings)).toMatchObject({ issuer: settings.issuer });
});

test('a server without ENCRYPTION_KEY takes no client secret', async () => {
  const { admin, sso } = await createCompanyWithAdmin();
  const caller = createCaller({ ...admin.context, services: { ...services, encryption: undefined } });
  await expect(caller.management.sso.set(settingsFor(newDomain()))).rejects.toMatchObject({
    code: 'UNPROCESSABLE_CONTENT',
    message: expect.stringContaining('ENCRYPTION_KEY'),
  });
  expect(await sso.get()).toBeNull();
});

/** Companies for which a person may act after a sign-in with a password. */
const companiesWithPassword = async (person: string) =>
  (await new Session(database, null, 'test').run(findCompaniesOfPerson, { person, singleSignOnCompany: null })).map(
    ({ id }) => id,
  );

test('required single sign-on turns passwords off for members with a confirmed domain, except the last admin', async () => {
  const { company, sso, confirm } = await createCompanyWithAdmin();
  const other = await createCompany();
  const domain = newDomain();
  const email = `ann@${domain}`;
  const ann = await createMember(company, { role: 'editor', email });
  await createMember(other, { role: 'editor', email });
  const guest = await createMember(company, { role: 'editor' });
  const both = [company.id, other.id];
  await sso.set({ ...settingsFor(domain), required: true });
  expect(await companiesWithPassword(ann.person)).toEqual(expect.arrayContaining(both));
  await confirm({ domain });
  expect(await companiesWithPassword(ann.person)).toEqual([other.id]);
  expect(await companiesWithPassword(guest.person)).toEqual([company.id]);
  await sso.set({ ...settingsFor(domain), required: false });
  expect(await companiesWithPassword(ann.person)).toEqual(expect.arrayContaining(both));
  await sso.set({ ...settingsFor(domain), required: true });
  expect(await companiesWithPassword(ann.person)).toEqual([other.id]);
  await sso.remove();
  expect(await companiesWithPassword(ann.person)).toEqual(expect.arrayContaining(both));
});

test('the last admin keeps the password, and loses it when there is another admin', async () => {
  const company = await createCompany();
  const domain = newDomain();
  const admin = await createMember(company, { role: 'admin', email: `ann@${domain}` });
  await admin.caller.management.sso.set({ ...settingsFor(domain), required: true });
  await company.manage.sso.confirm({ domain });
  expect(await companiesWithPassword(admin.person)).toEqual([company.id]);
  await createMember(company, { role: 'editor' });
  expect(await companiesWithPassword(admin.person)).toEqual([company.id]);
  const second = await createMember(company, { role: 'admin' });
  expect(await companiesWithPassword(admin.person)).toEqual([]);
  expect(await companiesWithPassword(second.person)).toEqual([company.id]);
});
