import { Migration } from '@mikro-orm/migrations';

export class Migration20261121065243_key_rights extends Migration {
  override name = 'Migration20261121065243_key_rights';

  override up(): void | Promise<void> {
    this.addSql(`
      create function check_api_key_frameworks() returns trigger language plpgsql as $$
      -- A foreign key for each element, as for the gaps of a task.
      begin
        if new.frameworks is null or tg_op = 'UPDATE' and new.frameworks is not distinct from old.frameworks then
          return null;
        end if;
        if (select count(*) from framework f where f.company_id = new.company_id and f.id = any(new.frameworks))
            <> cardinality(new.frameworks) then
          raise exception 'frameworks of key % are not all of its company, each once', new.unique_id
            using errcode = 'foreign_key_violation', constraint = 'check_api_key_frameworks';
        end if;
        return null;
      end
      $$`);
    this.addSql(`
      create function notify_api_key_changed() returns trigger language plpgsql as $$
      -- Tells every process to forget what it remembers of the key. When it was used is nothing that it remembers.
      begin
        if to_jsonb(new) - 'last_used_at' is distinct from to_jsonb(old) - 'last_used_at' then
          perform pg_notify('api_key_changed', new.unique_id::text);
        end if;
        return null;
      end
      $$`);
    this.addSql(`drop trigger if exists "api_key_audit" on "api_key";`);
    this.addSql(
      `alter table "api_key" add "previous_hash" bytea null, add "previous_hash_expires_at" timestamptz(3) null, add "scopes" text[] not null default '{task:read,task:write,task:delete,vendor:read,vendor:write,vendor:delete,audit:read}', add "frameworks" int[] null, add "cidrs" text[] null, add "last_used_at" timestamptz(3) null;`,
    );
    this.addSql(`alter table "api_key" add constraint "api_key_previous_hash_unique" unique ("previous_hash");`);
    this.addSql(
      `alter table "api_key" add constraint "api_key_previous_hash_sha256" check (octet_length(previous_hash) = 32);`,
    );
    this.addSql(
      `alter table "api_key" add constraint "api_key_previous_hash_complete" check ((previous_hash IS NULL) = (previous_hash_expires_at IS NULL));`,
    );
    this.addSql(
      `alter table "api_key" add constraint "api_key_scopes" check (cardinality(scopes) > 0 AND scopes <@ ARRAY['task:read'::text, 'task:write'::text, 'task:delete'::text, 'vendor:read'::text, 'vendor:write'::text, 'vendor:delete'::text, 'audit:read'::text]);`,
    );
    this.addSql(`alter table "api_key" add constraint "api_key_frameworks" check (cardinality(frameworks) > 0);`);
    this.addSql(`alter table "api_key" add constraint "api_key_cidrs" check (cardinality(cidrs) > 0);`);
    this.addSql(
      `create trigger check_api_key_frameworks after insert or update on api_key for each row execute function check_api_key_frameworks();`,
    );
    this.addSql(
      `create trigger api_key_changed after update on api_key for each row execute function notify_api_key_changed();`,
    );
    this.addSql(
      `create trigger api_key_audit after insert or update or delete on api_key for each row execute function audit_row('apiKey', 'unique_id', '{hash,previous_hash,last_used_at}', '{"revoked_at":"revoke","hash":"rotate"}');`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "api_key" drop constraint "api_key_previous_hash_unique";`);
    this.addSql(`alter table "api_key" drop constraint "api_key_previous_hash_sha256";`);
    this.addSql(`alter table "api_key" drop constraint "api_key_previous_hash_complete";`);
    this.addSql(`alter table "api_key" drop constraint "api_key_scopes";`);
    this.addSql(`alter table "api_key" drop constraint "api_key_frameworks";`);
    this.addSql(`alter table "api_key" drop constraint "api_key_cidrs";`);
    this.addSql(`drop trigger if exists "check_api_key_frameworks" on "api_key";`);
    this.addSql(`drop trigger if exists "api_key_changed" on "api_key";`);
    this.addSql(`drop trigger if exists "api_key_audit" on "api_key";`);
    this.addSql(
      `alter table "api_key" drop column "previous_hash", drop column "previous_hash_expires_at", drop column "scopes", drop column "frameworks", drop column "cidrs", drop column "last_used_at";`,
    );
    this.addSql(
      `create trigger api_key_audit after insert or update or delete on api_key for each row execute function audit_row('apiKey', 'unique_id', '{hash}', '{"revoked_at":"revoke","hash":"rotate"}');`,
    );
    this.addSql('drop function check_api_key_frameworks(), notify_api_key_changed()');
  }
}
