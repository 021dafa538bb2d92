import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { PERSONAL_DATA, PERSONAL_TABLES } from '../../entities/personal-data/index.ts';
import { withPrivacyTables } from '../../server/docs/privacy-tables.ts';
import { sql } from '../support/database/database.ts';

/** Table of the ORM, with the names of the migrations that ran. */
const MIGRATIONS_TABLE = 'mikro_orm_migrations';

test('every column of every table says once if it holds personal data', async () => {
  const stored = await sql<{ column: string }>(
    `select c.relname || '.' || a.attname as column from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped
       and c.relname <> $1`,
    MIGRATIONS_TABLE,
  );
  const listed = PERSONAL_DATA.flatMap(({ table, columns }) =>
    Object.values(columns).flatMap((names) => names.map((name) => `${table}.${name}`)),
  );
  expect(listed.length).toBeGreaterThan(350);
  expect(listed.toSorted()).toEqual(stored.map(({ column }) => column).toSorted());
});

test('a table has a treatment if it has personal data, and no other', () => {
  for (const { table, columns, treatment } of PERSONAL_DATA) {
    const hasKind = Object.keys(columns).some((kind) => kind !== 'none');
    expect({ table, isTreated: treatment !== null }).toEqual({ table, isTreated: hasKind });
  }
});

test('a column named after a person, an address or a secret is personal, unless it belongs to a company or an installation', () => {
  const others = [
    'api_key.hash',
    'api_key.previous_hash',
    'api_key.previous_hash_expires_at',
    'audit_seal.hash',
    'company_move.hash',
    'data_version.name',
    'erased_company.hash',
    'idempotency_record.key_hash',
    'invitation.mailed',
    'proof.hash',
    'reset_link.mailed',
    'secret.name',
    'sso.client_secret',
    'sso.secret_changed_at',
    'sso.trust_email',
    'webhook.secret',
    'webhook.secret_changed_at',
    'webhook.previous_secret',
    'webhook.previous_secret_expires_at',
  ];
  const unmarked = PERSONAL_DATA.flatMap(({ table, columns: { none = [] } }) =>
    none
      .filter((name) => /mail|name|address|agent|hash|secret|password|person/.test(name))
      .map((name) => `${table}.${name}`),
  );
  expect(unmarked.toSorted()).toEqual(others.toSorted());
});

test('the tables that a rewrite cleans are those from which a forgotten member disappears', () => {
  expect(PERSONAL_TABLES.toSorted()).toEqual([
    'company_user',
    'email_link',
    'idempotency_record',
    'identity',
    'import_answers',
    'invitation',
    'member',
    'passkey',
    'person',
    'queued_mail',
    'recovery_code',
    'reset_link',
    'search_document',
    'sign_in',
    'sign_in_challenge',
    'unknown_sign_in',
    'view',
    'web_session',
  ]);
});

test('the tables of docs/privacy.md name every table', async () => {
  const page = withPrivacyTables(await readFile(new URL('../../docs/privacy.md', import.meta.url), 'utf8'));
  expect(page.match(/<!-- (\w+) -->/g)).toEqual(
    ['kinds', 'tables', 'others', 'places', 'rewrite'].map((name) => `<!-- ${name} -->`),
  );
  expect(page).not.toMatch(/<!-- (\w+) -->\s*<!-- \/\1 -->/);
  for (const { table } of PERSONAL_DATA) expect(page).toContain(`\`${table}\``);
});
