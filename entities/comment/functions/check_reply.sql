create or replace function public.check_reply() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
-- Rejects a reply to what is no question on the same object. The question may be deleted later, so there is no foreign key.
begin
  if not exists (
      select from public.comment q
      where q.company_id = new.company_id and q.unique_id = new.reply_to and q.kind = 'question'
        and (q.task_id, q.vendor_id, q.requirement_id) is not distinct from (new.task_id, new.vendor_id, new.requirement_id)) then
    raise exception '% on %: expected a reply to a question on the same object', tg_op, tg_table_name
      using errcode = 'check_violation', constraint = 'comment_reply_to';
  end if;
  return new;
end
$$;
