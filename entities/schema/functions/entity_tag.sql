create or replace function public.entity_tag(of_company int, version int, created_by uuid, updated_by uuid) returns text
language plpgsql stable
set search_path = pg_catalog, public, pg_temp
as $$
-- Entity tag of a task or vendor: its version, and a digest of the user names in its representation.
begin
  return version || '-' || left(encode(sha256(convert_to(
    (select u.name from public.company_user u where u.company_id = of_company and u.unique_id = created_by) || e'\n' ||
    (select u.name from public.company_user u where u.company_id = of_company and u.unique_id = updated_by), 'UTF8')), 'hex'), 8);
end
$$;

create or replace function public.entity_tag(of_company int, version int, created_by uuid, updated_by uuid, people uuid[])
returns text
language plpgsql stable
set search_path = pg_catalog, public, pg_temp
as $$
-- Entity tag of an object that shows further people: as without them if there are none.
begin
  return version || '-' || left(encode(sha256(convert_to((
    select string_agg(u.name, e'\n' order by one.position)
    from unnest(array[created_by, updated_by] || people) with ordinality one(id, position)
    join public.company_user u on u.company_id = of_company and u.unique_id = one.id), 'UTF8')), 'hex'), 8);
end
$$;
