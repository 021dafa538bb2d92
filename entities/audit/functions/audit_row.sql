create or replace function public.audit_row() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Writes the audit event of a changed row. Arguments: resource type, id column, columns never recorded,
-- {column: verb} for updates that have an action of their own. Of 'resolve/reopen' the second verb is that of an update to
-- null. The verb 'delete' marks the column that ends a row: its events have the whole row. {insert: verb} and
-- {delete: verb} rename these commands: {field: {from, to}}. Of a resource that belongs to a framework also its column with
-- the framework, which is then required; else '' if another argument follows. Of what belongs to another resource also
-- {column: type} of the columns that may have its id: one of them has it. Events of the whole row have it as "resource".
declare
  acting_user constant text := nullif(current_setting('app.user', true), '');
  session_company constant text := nullif(current_setting('app.company', true), '');
  session_api_key constant uuid := nullif(current_setting('app.key', true), '');
  before jsonb;
  after jsonb;
  row_data jsonb;
  changes jsonb;
  verb text := 'update';
  verb_column text;
  framework_column constant text := nullif(tg_argv[4], '');
  parent_type text;
  parent_id text;
  acting_kind text;
  is_frozen boolean;
begin
  -- Rows arrive with a company: their events arrive too.
  if coalesce(current_setting('app.receiving', true), '') <> '' and public.is_receiving(tg_relid) then
    return null;
  end if;
  -- The owner of the table erases a company: nothing of it stays, nor do its events.
  if tg_op = 'DELETE' and coalesce(current_setting('app.erase', true), '') = to_jsonb(old)->>'company_id'
      and public.is_erasing(tg_relid) then
    return null;
  end if;
  -- The owner of the table sets the times of a demo company: its events exist, and get the same time.
  if tg_op = 'UPDATE' and coalesce(current_setting('app.demo_time', true), '') <> ''
      and public.is_setting_demo_time(tg_relid) then
    return null;
  end if;
  if tg_op = 'UPDATE' then
    before := to_jsonb(old);
    after := to_jsonb(new);
    row_data := after;
    if tg_argv[3] <> '{}' then
      select v.value, v.key into verb, verb_column
        from jsonb_each_text(tg_argv[3]::jsonb) v
        where after->v.key is distinct from before->v.key
        order by v.value limit 1;
      verb := coalesce(verb, 'update');
      if verb like '%/%' then
        verb := split_part(verb, '/', case when after->verb_column = 'null' then 2 else 1 end);
      end if;
    end if;
    if verb = 'delete' then
      verb := case when after->verb_column = 'null' then 'create' else verb end;
      changes := row_data - 'company_id' - tg_argv[2]::text[];
    else
      select coalesce(jsonb_object_agg(b.key, jsonb_build_object('from', b.value, 'to', after->b.key)), '{}') into changes
        from jsonb_each(before - tg_argv[2]::text[] - '{version,updated_at,updated_by_id}'::text[]) b
        where after->b.key is distinct from b.value;
      if changes = '{}' and verb = 'update' and before - tg_argv[2]::text[] = after - tg_argv[2]::text[] then
        -- No event, but the other cell has a copy of who the member is, and of the invitation.
        if tg_table_name in ('member', 'invitation') and coalesce(current_setting('app.dry_run', true), '') <> 'on'
            and exists (select from public.company c where c.id = (row_data->>'company_id')::int and c.frozen_at is not null) then
          raise exception 'company %: is frozen', session_company using errcode = 'FZ001';
        end if;
        return null;
      end if;
    end if;
  elsif tg_op = 'INSERT' then
    row_data := to_jsonb(new);
    verb := 'create';
    changes := row_data - 'company_id' - tg_argv[2]::text[];
  else
    row_data := to_jsonb(old);
    verb := 'delete';
    changes := row_data - 'company_id' - tg_argv[2]::text[];
  end if;

  if tg_op <> 'UPDATE' and tg_argv[3] <> '{}' and tg_argv[3]::jsonb ? lower(tg_op) then
    verb := tg_argv[3]::jsonb->>lower(tg_op);
    select coalesce(jsonb_object_agg(c.key, case tg_op
        when 'INSERT' then jsonb_build_object('from', null, 'to', c.value)
        else jsonb_build_object('from', c.value, 'to', null) end), '{}') into changes
      from jsonb_each(changes) c where c.value <> 'null';
  end if;

  if tg_argv[5] is not null then
    select p.value, row_data->>p.key into parent_type, parent_id
      from jsonb_each_text(tg_argv[5]::jsonb) p where row_data->>p.key is not null;
    if parent_id is null then
      raise exception '% on %: the row belongs to nothing', tg_op, tg_table_name using errcode = 'not_null_violation';
    end if;
    if verb in ('create', 'delete') then
      changes := changes || jsonb_build_object('resource', jsonb_build_object('type', parent_type, 'uniqueId', parent_id));
    end if;
  end if;

  if acting_user is null or session_company is null then
    raise exception '% on %: app.company and app.user are required', tg_op, tg_table_name
      using errcode = 'insufficient_privilege', hint = 'Set app.company and app.user in the transaction.';
  end if;
  if session_company <> coalesce(row_data->>'company_id', row_data->>'id') or changes ? 'company_id' then
    raise exception '% on %: the row belongs to another company', tg_op, tg_table_name
      using errcode = 'insufficient_privilege';
  end if;
  if tg_op <> 'DELETE' and (row_data->>'updated_by_id' <> acting_user
      or row_data->>'created_by_id' <> coalesce(before->>'created_by_id', acting_user)) then
    raise exception '% on %: created_by_id and updated_by_id must be the acting user', tg_op, tg_table_name
      using errcode = 'insufficient_privilege';
  end if;

  if framework_column is not null and row_data->>framework_column is null then
    raise exception '% on %: the row has no framework', tg_op, tg_table_name using errcode = 'not_null_violation';
  end if;

  select u.kind, c.frozen_at is not null into acting_kind, is_frozen
    from public.company_user u join public.company c on c.id = u.company_id
    where u.company_id = session_company::int and u.unique_id = acting_user::uuid;
  -- Only freezing and unfreezing themselves change a frozen company. The service sets app.dry_run in transactions that it rolls back.
  if is_frozen and coalesce(current_setting('app.dry_run', true), '') <> 'on'
      and not (tg_relid = 'public.company'::regclass and changes ? 'frozen_at') then
    raise exception 'company %: is frozen', session_company using errcode = 'FZ001';
  end if;

  insert into public.audit_event
    (company_id, unique_id, occurred_at, user_id, user_kind, api_key_id, action, resource_type, resource_id, changes,
     request_id, framework_id, parent_type, parent_id)
  values (session_company::int, public.uuid_v7(), now(), acting_user::uuid, acting_kind, session_api_key, tg_argv[0] || '.' || verb,
    tg_argv[0], row_data->>tg_argv[1], changes, coalesce(current_setting('app.request', true), ''),
    coalesce((row_data->>framework_column)::int, 0), parent_type, parent_id);
  return null;
end
$$;
