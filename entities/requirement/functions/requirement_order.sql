create or replace function public.requirement_order(ref text) returns text
language sql immutable
set search_path = pg_catalog, public, pg_temp
as $$
-- A text whose order by code point is that of refs: case is ignored, and runs of digits are compared as numbers. No ref is longer
-- than 50 characters.
select coalesce(string_agg(case when part[1] ~ '^[0-9]' then lpad(ltrim(part[1], '0'), 50, '0') else part[1] end, '' order by position), '')
from regexp_matches(public.fold_case(normalize(ref)), '[0-9]+|[^0-9]+', 'g') with ordinality found (part, position)
$$;
