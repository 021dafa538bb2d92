import { Migration } from '@mikro-orm/migrations';

const SETTINGS = 'set search_path = pg_catalog, public, pg_temp';

/** Trigger functions that keep the external ids of tasks and vendors equal to their reservations in `external_id`. */
export class Migration20261122110000_external_id_functions extends Migration {
  override name = 'Migration20261122110000_external_id_functions';

  override up(): void {
    this.addSql(`
      create function public.check_external_ids() returns trigger language plpgsql ${SETTINGS} as $$
      -- Checks a row with external ids. Argument: the resource type. Each id is reserved for the row, and none is removed.
      declare
        framework int := 0;
      begin
        if tg_argv[0] = 'task' then
          framework := new.framework_id;
        end if;
        -- The sub-select finds each reservation by its whole key. A join could read all reservations of the company.
        if (select count(distinct (given.source, given."externalId"))
            from jsonb_to_recordset(new.external_ids) given (source text, "externalId" text)
            where new.unique_id = (
              select x.resource_id from public.external_id x
              where x.company_id = new.company_id and x.resource_type = tg_argv[0] and x.framework_id = framework
                and x.source = given.source and x.external_id = given."externalId"))
            <> jsonb_array_length(new.external_ids) then
          raise exception '% %: external_ids must be reserved for it in external_id', tg_argv[0], new.unique_id
            using errcode = 'foreign_key_violation', constraint = tg_argv[0] || '_external_ids_reserved';
        end if;
        if tg_op = 'UPDATE' and not new.external_ids @> old.external_ids then
          raise exception '% %: external_ids are never removed', tg_argv[0], new.unique_id
            using errcode = 'foreign_key_violation', constraint = tg_argv[0] || '_external_ids_kept';
        end if;
        return null;
      end
      $$`);
    this.addSql(`
      create function public.check_external_id_target() returns trigger language plpgsql ${SETTINGS} as $$
      -- Checks a reservation: its object lists it. Only the reservation of a deleted object may move to another one.
      declare
        listed jsonb;
      begin
        if tg_op = 'UPDATE' and (
            (new.company_id, new.resource_type, new.framework_id, new.source, new.external_id) is distinct from
              (old.company_id, old.resource_type, old.framework_id, old.source, old.external_id)
            or exists (select from public.vendor v where v.company_id = old.company_id and v.unique_id = old.resource_id)
            or exists (select from public.task t where t.company_id = old.company_id and t.unique_id = old.resource_id)) then
          raise exception 'external id %: only the reservation of a deleted object may move', old.external_id
            using errcode = 'foreign_key_violation', constraint = 'external_id_moves_from_deleted';
        end if;
        if new.resource_type = 'task' then
          select t.external_ids into listed from public.task t
          where t.company_id = new.company_id and t.unique_id = new.resource_id and t.framework_id = new.framework_id;
        else
          select v.external_ids into listed from public.vendor v
          where v.company_id = new.company_id and v.unique_id = new.resource_id and new.framework_id = 0;
        end if;
        if listed is null
            or not listed @> jsonb_build_array(jsonb_build_object('source', new.source, 'externalId', new.external_id)) then
          raise exception 'external id %: its object must list it', new.external_id
            using errcode = 'foreign_key_violation', constraint = 'external_id_listed';
        end if;
        return null;
      end
      $$`);
  }
}
