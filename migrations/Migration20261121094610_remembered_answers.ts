import { Migration } from '@mikro-orm/migrations';

/** Answers kept for who asks again, and the tag that a change may be held to. */
export class Migration20261121094610_remembered_answers extends Migration {
  override name = 'Migration20261121094610_remembered_answers';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "idempotency_record" ("company_id" int not null, "api_key_id" uuid not null, "name" bytea not null, "fingerprint" bytea not null, "status" smallint not null, "headers" jsonb not null, "body" text null, "created_at" timestamptz(3) not null default now(), primary key ("company_id", "api_key_id", "name"));`,
    );
    this.addSql(`create index "idempotency_record_by_created_at" on "idempotency_record" ("created_at");`);

    this.addSql(
      `alter table "idempotency_record" add constraint "remembered_answer_company_id_api_key_id_foreign" foreign key ("company_id", "api_key_id") references "api_key" ("company_id", "unique_id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "idempotency_record" add constraint "idempotency_record_key_hash_sha256" check (octet_length(name) = 32);`,
    );
    this.addSql(
      `alter table "idempotency_record" add constraint "idempotency_record_fingerprint_sha256" check (octet_length(fingerprint) = 32);`,
    );
    this.addSql(
      `alter table "idempotency_record" add constraint "idempotency_record_status_success" check (status >= 200 AND status <= 299);`,
    );

    this.addSql(`
      create function entity_tag(of_company int, version int, created_by uuid, updated_by uuid) returns text
      language plpgsql stable as $$
      -- What tells one state of a task or vendor from another: its version, and the names that its answers show.
      begin
        return version || '-' || left(encode(sha256(convert_to(
          (select u.name from company_user u where u.company_id = of_company and u.unique_id = created_by) || e'\\n' ||
          (select u.name from company_user u where u.company_id = of_company and u.unique_id = updated_by), 'UTF8')), 'hex'), 8);
      end
      $$`);
  }

  override down(): void | Promise<void> {
    this.addSql('drop function entity_tag(int, int, uuid, uuid)');
    this.addSql(`drop table if exists "idempotency_record" cascade;`);
  }
}
