create or replace function public.require_person_here() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Rejects a change of what a person signs in with, once all companies of the person were moved away: the other cell has a copy. A
-- move locks the persons before it switches, so a change is in the copy, or comes after the switch and ends here.
begin
  if exists (select from public.member m join public.company c on c.id = m.company_id
      where m.person_id = new.unique_id and c.moved_to is not null)
      and not exists (select from public.member m join public.company c on c.id = m.company_id
      where m.person_id = new.unique_id and c.moved_to is null) then
    raise exception 'person: the companies were moved away' using errcode = 'FZ001';
  end if;
  return new;
end
$$;
