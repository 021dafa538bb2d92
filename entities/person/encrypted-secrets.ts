import { defineStatement, readStatement } from '../statements/define-statement.ts';

/** Maximum number of persons in one read. */
export const SECRET_BATCH_SIZE = 500;

/** TOTP secrets of all persons after a person. */
export const listTotpSecrets = readStatement<{ after: string | null }, { person: string; secret: string }>(
  'person.totp-secrets',
  ({ after }) => `select unique_id as person, totp_secret as secret from person
  where totp_secret is not null and (${after}::uuid is null or unique_id > ${after}::uuid)
  order by unique_id limit ${SECRET_BATCH_SIZE}`,
  'all companies',
);

/** Replaces a TOTP secret. No row if it was changed in the meantime. */
export const replaceTotpSecret = defineStatement<
  { person: string; before: string; after: string },
  { unique_id: string }
>(
  'person.replace-totp-secret',
  ({ person, before, after }) => `update person set totp_secret = ${after}
  where unique_id = ${person} and totp_secret = ${before} returning unique_id`,
  'all companies',
);

/** Client secrets of all companies with single sign-on. */
export const listClientSecrets = readStatement<object, { id: number; secret: string }>(
  'sso.client-secrets',
  'select company_id as id, client_secret as secret from sso order by company_id',
  'all companies',
);

/** Replaces the client secret of the company. No row if it was changed in the meantime. */
export const replaceClientSecret = defineStatement<{ before: string; after: string }, { company_id: number }>(
  'sso.replace-client-secret',
  ({ company, before, after }) => `update sso set client_secret = ${after}
  where company_id = ${company} and client_secret = ${before} returning company_id`,
);
