import { Migration } from '@mikro-orm/migrations';

export class Migration20261130062529_files_of_people extends Migration {
  override name = 'Migration20261130062529_files_of_people';

  override up(): void | Promise<void> {
    this.addSql(`set local check_function_bodies = off;`);
    this.addSql(`create or replace function public.keep_external_id() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Keeps the reservation of an object that exists. An undo of the import that created the object frees it.
begin
  if not public.is_erasing(tg_relid) and (
      exists (select from public.vendor v where v.company_id = old.company_id and v.unique_id = old.resource_id)
      or exists (select from public.task t where t.company_id = old.company_id and t.unique_id = old.resource_id)) then
    raise exception 'external id %: its object exists', old.external_id
      using errcode = 'foreign_key_violation', constraint = 'external_id_kept';
  end if;
  return old;
end
$$;`);
    this.addSql(
      `create table "import_answers" ("company_id" int not null, "member_id" uuid not null, "answers" jsonb not null, primary key ("company_id", "member_id"));`,
    );

    this.addSql(
      `create table "import_note" ("company_id" int not null, "import_id" uuid not null, "kind" text not null, "row" int not null, "number" int not null, "line" int not null, "field" varchar(100) null, "value" varchar(255) null, "reason" varchar(2000) not null, primary key ("company_id", "import_id", "kind", "row", "number"));`,
    );

    this.addSql(
      `create table "import_change" ("company_id" int not null, "import_id" uuid not null, "unique_id" uuid not null, "row" int not null, "line" int not null, "version_before" int not null, "version" int not null, "changes" int not null, primary key ("company_id", "import_id", "unique_id"));`,
    );

    this.addSql(`drop trigger if exists "external_id_forbid" on "external_id";`);
    this.addSql(`drop function if exists "external_id_external_id_forbid_fn"();`);
    this.addSql(
      `create trigger external_id_kept before delete on external_id for each row execute function keep_external_id();`,
    );
    this.addSql(
      `create trigger external_id_forbid_update before update of company_id or truncate on external_id for each statement execute function forbid_statement();`,
    );

    this.addSql(
      `alter table "import" add "dates" text null, add "lenient" boolean not null default false, add "duplicates" text not null default 'create', add "undo_of" uuid null, add "skipped" int not null default 0, add "warnings" int not null default 0, add "deleted" int not null default 0;`,
    );
    this.addSql(
      `alter table "import" add constraint "import_dates_check" check ("dates" in ('dmy', 'mdy')) not valid;`,
    );
    this.addSql(
      `alter table "import" add constraint "import_duplicates_check" check ("duplicates" in ('create', 'skip', 'update')) not valid;`,
    );

    this.addSql(`alter table "import_error" add "value" varchar(255) null;`);

    this.addSql(
      `alter table "import_answers" add constraint "import_answers_company_id_member_id_foreign" foreign key ("company_id", "member_id") references "member" ("company_id", "unique_id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "import_answers" add constraint "import_answers_max" check (jsonb_array_length(answers) <= 500);`,
    );
    this.addSql(
      `create trigger import_answers_unfrozen before insert or update or delete on import_answers for each statement execute function require_unfrozen();`,
    );
    this.addSql(`alter table "import_answers" enable row level security;`);
    this.addSql(`alter table "import_answers" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "import_answers" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );

    this.addSql(
      `alter table "import_note" add constraint "import_note_company_id_import_id_foreign" foreign key ("company_id", "import_id") references "import" ("company_id", "unique_id") on update no action on delete cascade;`,
    );
    this.addSql(
      `alter table "import_note" add constraint "import_note_kind_check" check ("kind" in ('warning', 'skipped'));`,
    );
    this.addSql(`alter table "import_note" enable row level security;`);
    this.addSql(`alter table "import_note" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "import_note" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );

    this.addSql(
      `alter table "import_change" add constraint "import_change_company_id_import_id_foreign" foreign key ("company_id", "import_id") references "import" ("company_id", "unique_id") on update no action on delete cascade;`,
    );
    this.addSql(`alter table "import_change" enable row level security;`);
    this.addSql(`alter table "import_change" force row level security;`);
    this.addSql(
      `create policy "company_isolation" on "import_change" using ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer)) with check ((company_id = (NULLIF(current_setting('app.company'::text, true), ''::text))::integer));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop trigger if exists "import_answers_unfrozen" on "import_answers";`);
    this.addSql(`drop function if exists "import_answers_import_answers_unfrozen_fn"();`);
    this.addSql(`drop table if exists "import_answers" cascade;`);
    this.addSql(`drop table if exists "import_note" cascade;`);
    this.addSql(`drop table if exists "import_change" cascade;`);

    this.addSql(`drop trigger if exists "external_id_kept" on "external_id";`);
    this.addSql(`drop function if exists "external_id_external_id_kept_fn"();`);
    this.addSql(`drop trigger if exists "external_id_forbid_update" on "external_id";`);
    this.addSql(`drop function if exists "external_id_external_id_forbid_update_fn"();`);
    this.addSql(
      `create trigger external_id_forbid before delete or truncate on external_id for each statement execute function forbid_statement();`,
    );

    this.addSql(`drop index "import_undo";`);
    this.addSql(`alter table "import" drop constraint "import_dates_check";`);
    this.addSql(`alter table "import" drop constraint "import_duplicates_check";`);
    this.addSql(
      `alter table "import" drop column "dates", drop column "lenient", drop column "duplicates", drop column "undo_of", drop column "skipped", drop column "warnings", drop column "deleted";`,
    );

    this.addSql(`alter table "import_error" drop column "value";`);
    this.addSql(`drop routine public.keep_external_id();`);
  }
}
