import { Migration } from '@mikro-orm/migrations';

/**
 * The link of a member to an account at the provider of the company, in place of accounts of a person. Of several accounts of
 * a person at one provider, the first one stays: another one took the person over.
 */
export class Migration20261123223834_add_links extends Migration {
  override name = 'Migration20261123223834_add_links';

  override up(): void | Promise<void> {
    // A sign-in that waits for its provider begins again: it does not know which provider that was.
    this.addSql(`select set_config('app.company', '0', true);`);
    this.addSql(`delete from sign_in_challenge where kind = 'sso';`);
    this.addSql(`alter table "sign_in_challenge" drop constraint "sign_in_challenge_company";`);
    this.addSql(`alter table "sign_in_challenge" drop constraint "sign_in_challenge_kind_check";`);
    this.addSql(`alter table "sign_in_challenge" drop constraint "sign_in_challenge_person";`);
    this.addSql(`alter table "sign_in_challenge" add "details" jsonb null;`);
    this.addSql(
      `alter table "sign_in_challenge" add constraint "sign_in_challenge_details" check ((company_id IS NULL) = (details IS NULL));`,
    );
    this.addSql(
      `alter table "sign_in_challenge" add constraint "sign_in_challenge_company" check ((kind = ANY (ARRAY['sso'::text, 'sso_link'::text])) = (company_id IS NOT NULL));`,
    );
    this.addSql(
      `alter table "sign_in_challenge" add constraint "sign_in_challenge_kind_check" check ("kind" in ('passkey_sign_in', 'passkey_registration', 'sso', 'sso_link'));`,
    );
    this.addSql(
      `alter table "sign_in_challenge" add constraint "sign_in_challenge_person" check ((kind = ANY (ARRAY['passkey_registration'::text, 'sso_link'::text])) = (person_id IS NOT NULL));`,
    );

    this.addSql(`alter table "sso" add "trust_email" boolean not null default false;`);

    this.addSql(
      `alter table "member" add "single_sign_on" varchar(500) null, add "single_sign_on_subject" varchar(255) null;`,
    );
    this.addSql(
      `alter table "member" add constraint "member_single_sign_on_unique" unique ("company_id", "single_sign_on", "single_sign_on_subject");`,
    );
    this.addSql(
      `alter table "member" add constraint "member_single_sign_on" check ((single_sign_on IS NULL) = (single_sign_on_subject IS NULL));`,
    );

    this.addSql(`alter table "web_session" add "single_sign_on_domain" varchar(253) null;`);
    this.addSql(
      `alter table "web_session" add constraint "web_session_domain" check (single_sign_on OR single_sign_on_domain IS NULL);`,
    );

    this.addSql(`drop trigger "member_audit" on "member";`);
    this.addSql(
      `create trigger member_audit after insert or update or delete on member for each row execute function audit_row('member', 'unique_id', '{single_sign_on_subject}', '{"ended_at":"delete"}');`,
    );

    // Row-level security applies to the owner of the tables too: the links are read as statements for all companies, and each
    // is written in its company, with an audit event of the operator.
    this.addSql(`
      do $$
      declare
        links jsonb;
        link jsonb;
      begin
        perform set_config('app.company', '0', true);
        perform set_config('app.user', '00000000-0000-7000-8000-000000000001', true);
        update web_session s set single_sign_on_domain = split_part(p.email, '@', 2)
          from person p where p.unique_id = s.person_id and s.single_sign_on;
        select coalesce(jsonb_agg(l), '[]') into links from (
          select distinct on (m.company_id, m.unique_id) m.company_id, m.unique_id, i.issuer, i.subject
          from identity i join member m on m.person_id = i.person_id
            join sso s on s.company_id = m.company_id and rtrim(s.issuer, '/') = rtrim(i.issuer, '/')
          order by m.company_id, m.unique_id, i.created_at, i.subject) l;
        for link in select * from jsonb_array_elements(links) loop
          perform set_config('app.company', link->>'company_id', true);
          update member set single_sign_on = link->>'issuer', single_sign_on_subject = link->>'subject'
            where company_id = (link->>'company_id')::int and unique_id = (link->>'unique_id')::uuid;
        end loop;
        perform set_config('app.company', '', true);
        perform set_config('app.user', '', true);
      end
      $$`);
    this.addSql(`drop table "identity" cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(
      `create table "identity" ("created_at" timestamptz(3) not null default now(), "issuer" varchar(500) not null, "person_id" uuid not null, "subject" varchar(255) not null, primary key ("issuer", "subject"));`,
    );
    this.addSql(`create index "identity_by_person" on "identity" ("person_id");`);

    this.addSql(`drop trigger "member_audit" on "member";`);
    this.addSql(
      `create trigger member_audit after insert or update or delete on member for each row execute function audit_row('member', 'unique_id', '{}', '{"ended_at":"delete"}');`,
    );
    this.addSql(`alter table "member" drop constraint "member_single_sign_on_unique";`);
    this.addSql(`alter table "member" drop constraint "member_single_sign_on";`);
    this.addSql(`alter table "member" drop column "single_sign_on", drop column "single_sign_on_subject";`);

    this.addSql(`select set_config('app.company', '0', true);`);
    this.addSql(`delete from sign_in_challenge where kind = 'sso_link';`);
    this.addSql(`select set_config('app.company', '', true);`);
    this.addSql(`alter table "sign_in_challenge" drop constraint "sign_in_challenge_details";`);
    this.addSql(`alter table "sign_in_challenge" drop constraint "sign_in_challenge_person";`);
    this.addSql(`alter table "sign_in_challenge" drop constraint "sign_in_challenge_company";`);
    this.addSql(`alter table "sign_in_challenge" drop constraint "sign_in_challenge_kind_check";`);
    this.addSql(`alter table "sign_in_challenge" drop column "details";`);
    this.addSql(
      `alter table "sign_in_challenge" add constraint "sign_in_challenge_person" check ((kind = 'passkey_registration'::text) = (person_id IS NOT NULL));`,
    );
    this.addSql(
      `alter table "sign_in_challenge" add constraint "sign_in_challenge_company" check ((kind = 'sso'::text) = (company_id IS NOT NULL));`,
    );
    this.addSql(
      `alter table "sign_in_challenge" add constraint "sign_in_challenge_kind_check" check ("kind" in ('passkey_sign_in', 'passkey_registration', 'sso'));`,
    );

    this.addSql(`alter table "sso" drop column "trust_email";`);

    this.addSql(`alter table "web_session" drop constraint "web_session_domain";`);
    this.addSql(`alter table "web_session" drop column "single_sign_on_domain";`);

    this.addSql(
      `alter table "identity" add constraint "identity_person_id_foreign" foreign key ("person_id") references "person" ("unique_id");`,
    );
    this.addSql(`alter table "identity" enable row level security;`);
    this.addSql(`alter table "identity" force row level security;`);
    this.addSql(
      `create policy "all_companies" on "identity" using (( SELECT (current_setting('app.company'::text, true) = '0'::text))) with check (( SELECT (current_setting('app.company'::text, true) = '0'::text)));`,
    );
  }
}
