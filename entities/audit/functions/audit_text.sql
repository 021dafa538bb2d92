create or replace function public.audit_text(event public.audit_event, seq bigint) returns text
language sql stable parallel safe
set search_path = pg_catalog, public, pg_temp
as $$
  -- The canonical form that is hashed (docs/audit.md). It holds only columns that are not null, so that a column that
  -- is added later leaves the text of earlier events as it was. It does not depend on settings of the session.
  select concat_ws(e'\n',
    seq,
    to_char(event.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    jsonb_strip_nulls(to_jsonb(event) - '{occurred_at,changes}'::text[]),
    event.changes)
$$;
