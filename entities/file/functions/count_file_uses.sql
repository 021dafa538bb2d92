create or replace function public.count_file_uses() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Counts the rows that refer to a file with file_id. The lock on the file makes its removal wait.
begin
  if tg_op <> 'INSERT' and old.file_id is not null then
    update public.file set uses = uses - 1, touched_at = now()
      where company_id = old.company_id and unique_id = old.file_id;
  end if;
  if tg_op <> 'DELETE' and new.file_id is not null then
    update public.file set uses = uses + 1, touched_at = now()
      where company_id = new.company_id and unique_id = new.file_id and state = 'stored';
    if not found then
      raise exception '% on %: the file is not stored', tg_op, tg_table_name using errcode = 'foreign_key_violation';
    end if;
  end if;
  return null;
end
$$;
