import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../database/database.ts';
import { openPostgreSql } from '../../database/postgresql/open.ts';
import { Session } from '../../database/session.ts';
import { newUniqueId } from '../../entities/ids.ts';
import { operatorPrincipal } from '../../entities/principal.ts';
import { defineStatement } from '../../entities/statements/define-statement.ts';
import { insertQueuedMail, listMailContents } from '../../entities/mail/queued-mail.ts';
import { listClientSecrets, listTotpSecrets } from '../../entities/person/encrypted-secrets.ts';
import { insertPerson } from '../../entities/member/statements.ts';
import { insertWebhook, rotateWebhook, listWebhookSecrets } from '../../entities/webhook/endpoint.ts';
import {
  Encryption,
  clientSecretPlace,
  queuedMailPlace,
  totpSecretPlace,
  webhookHeadersPlace,
  webhookSecretPlace,
} from '../../procedures/core/encryption.ts';
import { createCaller } from '../../procedures/index.ts';
import { ownerUrl } from '../support/database/database.ts';
import { createMigratedDatabase, openMigratedPglite } from '../support/database/migrated-database.ts';
import { createCompanyIn } from '../support/tenants/company-in-database.ts';

// A rotation concerns the secrets of all companies, so it has its own database.

const OLD_KEY = randomBytes(32);
const NEW_KEY = randomBytes(32);
const old = new Encryption([OLD_KEY]);
const both = new Encryption([NEW_KEY, OLD_KEY]);
const [totpSecret, clientSecret] = [totpSecretPlace, clientSecretPlace];

let database: Database;
let drop = async () => {};
beforeAll(async () => {
  if (ownerUrl === undefined) database = await openMigratedPglite();
  else {
    const scratch = await createMigratedDatabase(ownerUrl);
    ({ drop } = scratch);
    database = await openPostgreSql(scratch.serviceUrl, { ownerUrl: scratch.url });
  }
});
afterAll(async () => {
  await database.close();
  await drop();
});

const everyCompany = () => new Session(database, null, 'encryption');

const rotateWith = (encryption: Encryption | undefined) =>
  createCaller({
    requestId: 'rotate',
    caller: 'operator',
    address: null,
    session: everyCompany(),
    services: { appUrl: () => 'http://localhost', encryption, hasMail: false, requirePublicUrl: async () => {} },
  }).management.encryption.rotate();

const setTotpSecret = defineStatement<{ person: string; secret: string }, never>(
  'test.set-totp-secret',
  ({ person, secret }) => `update person set totp_secret = ${secret} where unique_id = ${person}`,
  'all companies',
);
const insertSso = defineStatement<{ secret: string }, never>(
  'test.insert-sso',
  ({ company, secret }) => `insert into sso (company_id, issuer, client_id, client_secret, domains, role)
  values (${company}, 'https://idp.example', 'client', ${secret}, '{example.com}', 'editor')`,
);

async function createPersonWithTotp(encryption: Encryption): Promise<string> {
  const uniqueId = newUniqueId();
  const person = { uniqueId, email: `${uniqueId}@example.com`, name: 'Ann', password: null, isProven: false };
  await everyCompany().one(insertPerson, person);
  const secret = encryption.encrypt(`totp of ${uniqueId}`, totpSecret(uniqueId));
  await everyCompany().run(setTotpSecret, { person: uniqueId, secret });
  return uniqueId;
}

test('a rotation encrypts secrets of older keys again, without audit events', async () => {
  const mailId = newUniqueId();
  const persons = [await createPersonWithTotp(old), await createPersonWithTotp(old), await createPersonWithTotp(both)];
  const companies = [await createCompanyIn(database), await createCompanyIn(database)];
  for (const { id } of companies) {
    const session = new Session(database, operatorPrincipal(id), 'encryption');
    await session.run(insertSso, { secret: old.encrypt(`client of ${id}`, clientSecret(id)) });
    const uniqueId = newUniqueId();
    const [first, second] = ['first', 'second'].map((name) => old.encrypt(name, webhookSecretPlace(uniqueId)));
    const encryptedHeaders = old.encrypt('headers', webhookHeadersPlace(uniqueId));
    const fields = { url: 'https://example.com', events: null, description: '', headers: ['X-Team'], encryptedHeaders };
    await session.one(insertWebhook, { ...fields, uniqueId, secret: first ?? '' });
    await session.one(rotateWebhook, { webhook: uniqueId, secret: second ?? '', overlapSeconds: 60 });
  }
  const content = old.encrypt('mail', queuedMailPlace(mailId));
  const mail = { uniqueId: mailId, kind: 'reset', email: 'ann@example.com', person: null, ofCompany: null } as const;
  await everyCompany().run(insertQueuedMail, { ...mail, content, expiresAt: '2100-01-01T00:00:00Z' });
  const events = async () =>
    (await Promise.all(companies.map(({ manage }) => manage.audit.list({})))).flatMap(({ items }) => items);
  const before = await events();
  expect(await rotateWith(both)).toEqual({ reencrypted: 11 });

  const current = new Encryption([NEW_KEY]);
  const totpSecrets = await everyCompany().run(listTotpSecrets, { after: null });
  expect(totpSecrets.map(({ person, secret }) => current.decrypt(secret, totpSecret(person)))).toEqual(
    persons.toSorted().map((person) => `totp of ${person}`),
  );
  const clientSecrets = await everyCompany().run(listClientSecrets, {});
  expect(clientSecrets.map(({ id, secret }) => current.decrypt(secret, clientSecret(id)))).toEqual(
    companies.map(({ id }) => `client of ${id}`),
  );
  const webhookSecrets = await everyCompany().run(listWebhookSecrets, {});
  const read = (text: string | null, webhook: string) => current.decrypt(text ?? '', webhookSecretPlace(webhook));
  expect(
    webhookSecrets.map(({ webhook, secret, previousSecret, encryptedHeaders }) => [
      read(secret, webhook),
      read(previousSecret, webhook),
      current.decrypt(encryptedHeaders ?? '', webhookHeadersPlace(webhook)),
    ]),
  ).toEqual(companies.map(() => ['second', 'first', 'headers']));
  const mails = await everyCompany().run(listMailContents, { after: null });
  expect(mails.map((one) => current.decrypt(one.content, queuedMailPlace(one.uniqueId)))).toEqual(['mail']);
  expect(await events()).toEqual(before);
  expect(await rotateWith(both)).toEqual({ reencrypted: 0 });
});

test('a rotation without the key of a secret names its place, and rotates the others', async () => {
  await rotateWith(both);
  const unknown = await createPersonWithTotp(new Encryption([randomBytes(32)]));
  const known = await createPersonWithTotp(old);
  await expect(rotateWith(both)).rejects.toMatchObject({
    code: 'UNPROCESSABLE_CONTENT',
    message: `ENCRYPTION_KEY: expected also the key that encrypted person.totp_secret:${unknown}`,
  });
  const secrets = await everyCompany().run(listTotpSecrets, { after: null });
  const stored = secrets.find(({ person }) => person === known)?.secret ?? '';
  expect(both.isCurrent(stored)).toBe(true);
});

test('a rotation without ENCRYPTION_KEY names the setting', async () => {
  await expect(rotateWith(undefined)).rejects.toMatchObject({
    code: 'UNPROCESSABLE_CONTENT',
    message: /^ENCRYPTION_KEY: required/,
  });
});
