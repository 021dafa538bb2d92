create or replace function public.find_documents(
  of_types text[], of_scopes text[], of_frameworks int[], of_words text[], max_hits int)
returns table (found_type text, found_id text)
language plpgsql stable security definer
set search_path = pg_catalog, public, pg_temp
-- Without statistics of a new table the planner would read all of it.
set enable_seqscan = off
set enable_sort = off
-- The costs of what is off would start the compiler.
set jit = off
as $$
-- Finds the documents of the company of the session that have words with all of these beginnings: of the max_hits that changed last,
-- the best first. The owner runs it, because row-level security defeats the index of words: PostgreSQL evaluates policies before an
-- operator that is not leakproof. Every condition names the company, and so does every word.
--
-- A frequent word is found among the documents that changed last. Only a rare one is looked up in the index of words, which would
-- have to read all documents with a frequent one.
declare
  of_company constant int := nullif(current_setting('app.company', true), '')::int;
  -- Documents of a type that are read first. They show how frequent the words are.
  few constant int := 5000;
  -- Documents of all companies, as the planner estimates them. Statistics alone say -1 for a table that was never analyzed.
  total constant real := (
    select pg_relation_size(c.oid) / current_setting('block_size')::real * coalesce(c.reltuples / nullif(c.relpages, 0), 12)
    from pg_class c where c.oid = 'public.search_document'::regclass);
  share real;
  query tsquery := (select string_agg(format('''%s %s'':*', of_company, word), ' & ')::tsquery from unnest(of_words) word);
  titled constant tsquery[] := array(select format('''%s %s'':*A', of_company, word)::tsquery from unnest(of_words) word);
  whole constant tsquery[] := array(select format('''%s %s'':A', of_company, word)::tsquery from unnest(of_words) word);
  one text;
  window_size int;
  found tid[];
  places tid[] := '{}';
  before timestamptz;
  -- Documents that changed earlier than this were not all read.
  since timestamptz;
begin
  if query is null then
    return;
  end if;
  foreach one in array of_types loop
    window_size := few;
    loop
      found := array(
        select latest.place from (
          select d.ctid as place, d.words, d.scope, d.framework_id from public.search_document d
          where d.company_id = of_company and d.type = one order by d.changed_at desc limit window_size) latest
        where latest.words @@ query and latest.scope = any(of_scopes)
          and (of_frameworks is null or latest.framework_id = any(of_frameworks) or latest.framework_id = 0)
        limit max_hits);
      exit when window_size > few or cardinality(found) in (0, max_hits);
      -- More of them are read if that costs less than what the index of words would find, a row of which costs about six times as much:
      -- those that changed last lie together.
      share := cardinality(found)::real / few;
      exit when max_hits * 1.25 / share > 6 * total * share;
      window_size := max_hits * 1.25 / share;
    end loop;
    places := places || found;
    if cardinality(found) < max_hits then
      before := (select d.changed_at from public.search_document d
        where d.company_id = of_company and d.type = one order by d.changed_at desc offset window_size limit 1);
      since := greatest(since, before);
    end if;
  end loop;
  if (select count(*) from public.search_document d where d.ctid = any(places) and (since is null or d.changed_at > since)) < max_hits
      and since is not null then
    if of_frameworks is not null then
      query := query && (select string_agg(format('''%s #%s''', of_company, id), ' | ')::tsquery from unnest(of_frameworks || 0) id);
    end if;
    places := array(
      with hit as materialized (
        select d.ctid as place, d.company_id, d.type, d.scope, d.framework_id, d.changed_at
        from public.search_document d where d.words @@ query)
      select h.place from hit h
      where h.company_id = of_company and h.type = any(of_types) and h.scope = any(of_scopes)
        and (of_frameworks is null or h.framework_id = any(of_frameworks) or h.framework_id = 0)
      order by h.changed_at desc limit max_hits);
  end if;
  return query
    select d.type::text, d.object_id::text from (
      select * from public.search_document p
      where p.ctid = any(places) and p.company_id = of_company order by p.changed_at desc limit max_hits) d
    cross join lateral (
      select 2 * count(*) filter (where d.words @@ t.beginning) + count(*) filter (where d.words @@ t.word) as rank
      from unnest(titled, whole) t(beginning, word)) r
    order by r.rank desc, length(ts_filter(d.words, '{a}')), d.changed_at desc, d.object_id;
end
$$;
