create or replace function public.audit_seal_hash(previous bytea, event text) returns bytea
language sql stable parallel safe
set search_path = pg_catalog, public, pg_temp
as $$
  select sha256(previous || convert_to(event, 'UTF8'))
$$;

create or replace function public.audit_chain_sfunc(hash bytea, previous bytea, event text) returns bytea
language plpgsql stable
set search_path = pg_catalog, public, pg_temp
as $$
begin
  return public.audit_seal_hash(coalesce(hash, previous), event);
end
$$;

create or replace aggregate public.audit_chain(previous bytea, event text) (sfunc = public.audit_chain_sfunc, stype = bytea);
