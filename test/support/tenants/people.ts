import { randomBytes } from 'node:crypto';
import { newUniqueId } from '../../../entities/ids.ts';
import { OPERATOR } from '../../../entities/company/user.ts';
import { asOwner } from '../database/database.ts';
import { createMember } from './member.ts';

/** Tables of the whole installation, which hold nothing of a company or a person. */
export const INSTALLATION_TABLES = [
  'data_version',
  'former_place',
  'mikro_orm_migrations',
  'rewrite_request',
  'secret',
  'service_process',
  'signing_key',
];

/** Tables of a person, and of moved and erased companies, which only statements for all companies reach. */
export const PERSON_TABLES = [
  'company_move',
  'email_link',
  'erased_company',
  'passkey',
  'person',
  'queued_mail',
  'recovery_code',
  'reset_link',
  'sign_in_challenge',
  'unknown_sign_in',
  'web_session',
];

/**
 * Creates an admin with a row in every table of a person, a shared view, an inbox, an invitation, and single sign-on. The session
 * has an entry.
 */
export async function createPeople({ id }: { id: number }, name: string) {
  const email = `${newUniqueId()}@example.com`;
  const member = await createMember({ id }, { role: 'admin', name, email });
  const { management } = member.caller;
  const view = await member.caller.view.create({ name: `View of ${name}`, page: 'tasks', query: '', shared: true });
  const framework = await management.framework.create({ name: 'Framework of the inbox' });
  const vendor = await member.caller.vendor.create({ name: `Vendor of ${name}` });
  const vendors = [vendor.uniqueId];
  const task = await member.caller.task.create({ framework: framework.id, title: `Task of ${name}`, vendors });
  await member.caller.watch.set({ taskUniqueId: task.uniqueId, watching: true });
  await member.caller.import.remember({ answers: [{ kind: 'task', field: 'status', value: name, answer: 'done' }] });
  const invitation = await management.member.invite({ email: `${newUniqueId()}@example.com`, role: 'editor' });
  await management.member.resetPassword({ uniqueId: member.uniqueId });
  const domain = `${newUniqueId()}.example`;
  await asOwner(
    async (run) => {
      await run(
        `insert into sso (company_id, issuer, client_id, client_secret, domains, confirmed_domains, role)
        values ($1::int, 'https://idp.example', $2::text, 'encrypted', array[$3::text], array[$3::text], 'editor')`,
        id,
        name,
        domain,
      );
      await run('insert into sso_domain (company_id, domain) values ($1::int, $2::text)', id, domain);
      await run(
        `update member set single_sign_on = 'https://idp.example', single_sign_on_subject = $1 where unique_id = $2`,
        newUniqueId(),
        member.uniqueId,
      );
      await run(
        `insert into passkey (unique_id, person_id, credential_id, public_key, transports)
        values ($1::uuid, $2::uuid, $1::text, 'key', '{}')`,
        newUniqueId(),
        member.person,
      );
      await run(
        'insert into recovery_code (person_id, code_hash) values ($1::uuid, $2::bytea)',
        member.person,
        randomBytes(32),
      );
      await run(
        `insert into sign_in_challenge (hash, kind, company_id, details, expires_at)
        values ($1::bytea, 'sso', $2::int, '{}', now() + interval '1 hour')`,
        randomBytes(32),
        id,
      );
      await run(
        `insert into inbox_item (company_id, member_id, unique_id, at, reason, resource_type, resource_id, occasion)
        values ($1::int, $2::uuid, $3::uuid, now(), 'import', 'import', $3::uuid, 'ended')`,
        id,
        member.uniqueId,
        newUniqueId(),
      );
      await run('insert into inbox_reader (company_id) values ($1::int) on conflict do nothing', id);
      await run(
        `insert into search_document (company_id, type, object_id, scope, changed_at, words)
        values ($1::int, 'member', $2, 'member:read', now(), $3::tsvector) on conflict do nothing`,
        id,
        member.uniqueId,
        `'${id} person':1A`,
      );
      await run(
        'insert into summary_mail (company_id, member_id, day, next_attempt_at, created_at) values ($1::int, $2::uuid, now(), now(), now())',
        id,
        member.uniqueId,
      );
      await run(
        `insert into email_link (token_hash, person_id, email, by_admin, expires_at)
        values ($1::bytea, $2::uuid, 'new@example.com', false, now() + interval '1 hour')`,
        randomBytes(32),
        member.person,
      );
      await run(
        `insert into queued_mail (unique_id, kind, email, person_id, company_id, expires_at)
        values ($1::uuid, 'account', $2::text, $3::uuid, $4::int, now() + interval '1 hour')`,
        newUniqueId(),
        email,
        member.person,
        id,
      );
      await run(`insert into unknown_sign_in (email, method, user_agent) values ($1, 'password', 'test')`, email);
    },
    { company: id, user: OPERATOR.uniqueId },
  );
  return { member, invitation: invitation.uniqueId, view: view.uniqueId };
}
