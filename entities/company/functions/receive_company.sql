create or replace function public.receive_company(company_row text) returns void
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
as $$
-- Inserts the company of the session, which arrives from another cell. It is frozen, and not served before end_arrival.
begin
  perform set_config('app.receiving', current_setting('app.company'), true);
  insert into public.company
  select (jsonb_populate_record(null::public.company,
    company_row::jsonb || jsonb_build_object('arriving_at', now(), 'moved_to', null, 'erasing_at', null))).*;
  perform set_config('app.receiving', '', true);
end
$$;
